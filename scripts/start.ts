/**
 * `npm start`: a whole sync on this machine. Serves a made-up company, syncs it with the real command line into a SQLite
 * file, kills that halfway, resumes, syncs again, compares the tables with what the sandbox holds, and makes the report.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cannotWrite } from "../sandbox/configuration-file.ts";
import {
  exampleCompany,
  expectedKeys,
  machineClock,
  type Sandbox,
  type Service,
  startSandbox,
  surveyKeys,
} from "../sandbox/index.ts";
import { keysIn } from "./table-keys.ts";
import { counted, npsLine, Terminal } from "./terminal.ts";

const FOLDER = ".survey-export/start";
const TARGET = "surveys.sqlite";
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PROGRAM = join(ROOT, "dist/source-survey-export.js");

/** How long the service takes for each answer: long enough for a read that one can watch, and kill halfway. */
const LATENCY_MS = 80;
/** So few that a read takes long enough, too. */
const ITEMS_PER_PAGE = 10;
/** The limit of the real service. */
const ALLOWANCE_PER_MINUTE = 1_000;
/** When the company's present begins: its newest response is of the day before. */
const PRESENT_MS = Date.UTC(2026, 8, 29, 9);
/** How far below the newest response of its survey a late one appears: less than the lookback. */
const LATE_BY_MS = 120_000;
/** Between the steps, so that one can read along. */
const PAUSE_MS = 700;
const LOOK_EVERY_MS = 100;

const terminal = new Terminal(process.stdout.isTTY === true, (shown) => process.stdout.write(shown));
const target = join(FOLDER, TARGET);
const step = (title: string): void => terminal.say(`\n${title}`);

/** The whole run. The address of the report is the last line. */
async function start(): Promise<void> {
  await emptyFolder();
  terminal.say(
    "A whole sync on your machine, in less than a minute. A survey service with made-up people starts,\n" +
      "the real program reads it into a SQLite file, is killed halfway and resumes. Then all rows are compared.",
  );
  build();
  const aheadMs = PRESENT_MS - machineClock.now();
  const sandbox = await startSandbox({
    ...exampleCompany(),
    latencyMs: LATENCY_MS,
    limits: { perMinute: ALLOWANCE_PER_MINUTE },
    clock: { ...machineClock, now: () => machineClock.now() + aheadMs },
  });
  try {
    await tell(sandbox);
  } finally {
    await sandbox.close();
  }
  const address = await program("report", target, "--texts");
  terminal.say(
    `\nAs a page, which begins with the NPS of the last three months, and of the three before:\n${address}`,
  );
}

/** Removes what an earlier run wrote. The folder is for the owner alone. */
async function emptyFolder(): Promise<void> {
  try {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const advice = "Make it writable for this user, or run npm start in a copy of the repository that is.";
    throw new Error(`${cannotWrite(FOLDER, thrown)} ${advice}`);
  }
}

function build(): void {
  const script = join(ROOT, "scripts/build.ts");
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (status === 0) return;
  const isMissing = stderr.includes("ERR_MODULE_NOT_FOUND");
  throw new Error(
    `The program could not be built. ${isMissing ? "A package is missing: run npm ci, then npm start again." : stderr}`,
  );
}

/** Runs and tells each step. Throws if a row is missing. */
async function tell({ service, ...sandbox }: Sandbox): Promise<void> {
  // People answer those that somebody has answered before: one is a draft, and one is switched off.
  const surveys = service.truth.surveyIds().filter((id) => service.truth.count(id) > 0);
  const people = surveys.reduce((sum, id) => sum + service.truth.count(id), 0);
  const config = { base_url: sandbox.url, api_key: sandbox.apiKey, items_per_page: ITEMS_PER_PAGE };
  await writeFile(join(FOLDER, "config.json"), `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });

  const all = service.truth.surveyIds().length;
  step(`1. Start the service: ${all} surveys of a made-up company with ${people} responses`);
  terminal.say(
    `   Like the real one it allows 5 requests at once and ${counted(ALLOWANCE_PER_MINUTE)} a minute; an answer takes ${LATENCY_MS} ms.`,
  );
  step("2. Read everything into tables, and kill the program halfway");
  await sync(service, true);
  await sleep(PAUSE_MS);
  const [growing = ""] = service.collect(surveys[1]!, { count: 1, now: true, answersShown: 2 });
  for (const id of surveys) service.collect(id, { count: 8, now: true });
  terminal.say(`   Meanwhile ${surveys.length * 8} people answer, and another one begins.`);
  await sleep(PAUSE_MS);

  step("3. Run it again: it resumes from the state in the file");
  await sync(service, false);
  await sleep(PAUSE_MS);

  const begun = answersOf(growing);
  service.grow();
  for (const id of surveys) service.collect(id, { count: 1, lateByMs: LATE_BY_MS });
  for (const id of surveys) service.collect(id, { count: 1, now: true });
  step(`4. Then ${surveys.length * 2} more people answer. The next sync reads only what is new`);
  terminal.say(`   ${surveys.length} of the answers appear late, and the person who began finishes.`);
  const before = service.stats.requests;
  await sync(service, false);
  terminal.say(`   It took ${service.stats.requests - before} requests. The syncs before took ${before}.`);
  terminal.say(
    `   The response that had ${begun} answers in the sync before has ${answersOf(growing)} now: a sync reads again\n` +
      "   what was younger than the lookback when it was read.",
  );

  step("5. Compare the tables with what is in the sandbox");
  terminal.say(comparison(service));
  terminal.say("   Nothing is missing.");
  step("NPS of all months, from the view nps_by_month (░ detractors  ▒ passives  █ promoters)");
  for (const row of sql(NPS)) terminal.say(npsLine(row as never));
}

/** Runs a command of the program, and returns what it says. */
async function program(...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (code === 0) return output.trim();
  throw new Error(`The program ended with ${code}: ${errors}`);
}

/** A sync into the file. `isKilled`: with SIGKILL, once a third of the rows are there: about half, since they come twice a second. */
async function sync(service: Service, isKilled: boolean): Promise<void> {
  terminal.say(`   $ source-survey-export sync ${TARGET}`);
  const keys = [...truth(service, true).values()];
  const all = keys.reduce((sum, { size }) => sum + size, 0);
  const beganMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM, "sync", target], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = Promise.all([once(child, "close"), text(child.stderr)]);
  while (child.exitCode === null && child.signalCode === null) {
    const rows = rowsIn();
    terminal.bar(Math.min(rows, all), all);
    if (isKilled && rows >= all / 3) child.kill("SIGKILL");
    await Promise.race([ended, sleep(LOOK_EVERY_MS)]);
  }
  const [[code, signal], errors] = await ended;
  terminal.bar(Math.min(rowsIn(), all), all);
  const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
  if (isKilled && signal === "SIGKILL") terminal.say(`   Killed with SIGKILL after ${seconds} s.`);
  else if (!isKilled && code === 0) terminal.say(`   Done after ${seconds} s.`);
  else if (code === 0)
    throw new Error("The program ended before it could be killed. Please run npm start again.");
  else throw new Error(`The program ended with ${code ?? signal}: ${errors}`);
}

const truth = ({ truth }: Service, isWithoutGrowing: boolean) =>
  new Map<string, ReadonlySet<string>>([
    ...expectedKeys(truth, ({ isGrowing }) => !(isWithoutGrowing && isGrowing)),
    ...surveyKeys(truth),
  ]);

function rowsIn(): number {
  if (!existsSync(target)) return 0;
  return [...keysIn(target).values()].reduce((sum, { size }) => sum + size, 0);
}

function sql(query: string, ...values: string[]) {
  const database = new DatabaseSync(target, { timeout: 10_000 });
  try {
    return database.prepare(query).all(...values);
  } finally {
    database.close();
  }
}

const answersOf = (response: string): unknown =>
  sql("select count(*) as answers from survey_answers where response_uuid = ?", response)[0]?.answers;

/** By question, with the survey's name before it: a score that mixes two questions means nothing. */
const NPS = `
  select survey_name || ': ' || question as name, sum(answers) as answers,
         sum(promoters) as promoters, sum(detractors) as detractors
  from nps_by_month
  group by survey_id, question_id
  order by 1.0 * (sum(promoters) - sum(detractors)) / sum(answers) desc`;

/** The comparison as a table for a terminal. Throws if a row is missing. */
function comparison(service: Service): string {
  const found = keysIn(target);
  const rows = [...truth(service, false)].map(([stream, keys]) => {
    const here = found.get(stream) ?? new Set();
    return { stream, there: keys.size, here: here.size, missing: keys.difference(here).size };
  });
  const lines = rows.map(({ stream, ...counts }) => [stream, ...Object.values(counts).map(counted)]);
  const table = [["table", "in the sandbox", "rows", "missing"], ...lines]
    .map(([name = "", ...cells]) => `   ${name.padEnd(22)}${cells.map((cell) => cell.padStart(16)).join("")}`)
    .join("\n");
  const missing = rows.reduce((sum, row) => sum + row.missing, 0);
  if (missing > 0) throw new Error(`${table}\n${counted(missing)} rows are missing. Please report it.`);
  return table;
}

try {
  await start();
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  process.exitCode = 1;
}
