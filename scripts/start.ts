/**
 * `npm start`: a whole sync on this machine. Serves a made-up company, reads it with the real command line, kills that
 * halfway, resumes, syncs again, compares with what the sandbox holds, and draws a page from what was read. With
 * `-- --picture`, the same run becomes the picture in README, `docs/demo.svg`.
 */
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  exampleCompany,
  expectedKeys,
  machineClock,
  type Sandbox,
  startSandbox,
  surveyKeys,
  type Truth,
} from "../sandbox/index.ts";
import { cannotWrite } from "../sandbox/ready-files.ts";
import type { Moment } from "../tools/demo/charts.ts";
import { page, type Report } from "../tools/demo/page.ts";
import { npsLines } from "../tools/demo/scores.ts";
import { Received, read, verdict } from "../tools/demo/source.ts";
import { animated, counted, Terminal } from "../tools/demo/terminal.ts";

const FOLDER = ".survey-export/start";
const ROOT = fileURLToPath(new URL("../", import.meta.url));

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

const terminal = new Terminal(process.stdout.isTTY === true, (text) => process.stdout.write(text));
const isPicture = process.argv.includes("--picture");
const fileOf = (name: string): string => join(FOLDER, name);

/** The whole run. The address of the page is the last line. */
async function start(): Promise<void> {
  await emptyFolder();
  if (isPicture) terminal.say("$ npm start\n", "command");
  terminal.say(
    "A whole sync on your machine, in less than a minute. A survey service with made-up people starts,\n" +
      "the real program reads it, is killed halfway and resumes. Then all records are compared.",
  );
  build();
  const startedMs = Date.now();
  const requestsMs: number[] = [];
  const aheadMs = PRESENT_MS - machineClock.now();
  const sandbox = await startSandbox({
    ...exampleCompany(),
    latencyMs: LATENCY_MS,
    limits: { perMinute: ALLOWANCE_PER_MINUTE },
    clock: { ...machineClock, now: () => machineClock.now() + aheadMs },
    onAnswer: ({ startedAtMs }) => requestsMs.push(startedAtMs - PRESENT_MS),
  });
  try {
    const report = { ...(await tell(sandbox, startedMs)), requestsMs };
    await writeFile(fileOf("report.html"), page(report), { mode: 0o600 });
  } finally {
    await sandbox.close();
  }
  const address = pathToFileURL(resolve(fileOf("report.html"))).href;
  terminal.say(
    `\nNPS and CSAT by month, what people wrote, and the requests, as a page with charts:\n${address}`,
  );
  if (!isPicture) return;
  const shown = terminal.lines.map((line) => ({
    ...line,
    text: line.text.replace(address, `file:///…/${fileOf("report.html")}`),
  }));
  await writeFile(join(ROOT, "docs/demo.svg"), animated(shown));
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

/** Runs and tells each step, and returns what the page shows. Throws if a record is missing. */
async function tell(
  { service, ...sandbox }: Sandbox,
  startedMs: number,
): Promise<Omit<Report, "requestsMs">> {
  // People answer those that somebody has answered before: one is a draft, and one is switched off.
  const surveys = service.truth.surveyIds().filter((id) => service.truth.count(id) > 0);
  const people = surveys.reduce((sum, id) => sum + service.truth.count(id), 0);
  const received = new Received();
  const moments: Moment[] = [];
  const step = (title: string): void => terminal.say(`\n${title}`, "heading");
  const happened = (what: string) => moments.push({ atMs: Date.now() - startedMs, what });
  const sync = (output: string, before?: string) => readInto(output, before, service.truth, received);
  const config = { base_url: sandbox.url, api_key: sandbox.apiKey };
  const settings = JSON.stringify({ ...config, items_per_page: ITEMS_PER_PAGE }, undefined, 2);
  await writeFile(fileOf("config.json"), `${settings}\n`, { mode: 0o600 });
  await copyFile(join(ROOT, "examples/catalog.json"), fileOf("catalog.json"));

  const all = service.truth.surveyIds().length;
  step(`1. Start the service: ${all} surveys of a made-up company with ${people} responses`);
  terminal.say(
    `   Like the real one it allows 5 requests at once and ${counted(ALLOWANCE_PER_MINUTE)} a minute; an answer takes ${LATENCY_MS} ms.`,
  );
  step("2. Read everything, and kill the program halfway");
  await sync("first.jsonl");
  happened("killed ✕");
  await sleep(PAUSE_MS);
  const [growing = ""] = service.collect(surveys[1]!, { count: 1, now: true, answersShown: 2 });
  for (const id of surveys) service.collect(id, { count: 8, now: true });
  terminal.say(`   Meanwhile ${surveys.length * 8} people answer, and another one begins.`);
  await sleep(PAUSE_MS);

  step("3. Resume from the last state that the killed program wrote");
  happened("▶ resumed");
  await sync("second.jsonl", "first.jsonl");
  await sleep(PAUSE_MS);

  const begun = received.answersOf(growing);
  service.grow();
  for (const id of surveys) service.collect(id, { count: 1, lateByMs: LATE_BY_MS });
  for (const id of surveys) service.collect(id, { count: 1, now: true });
  step(`4. Then ${surveys.length * 2} more people answer. The next sync reads only what is new`);
  terminal.say(`   ${surveys.length} of the answers appear late, and the person who began finishes.`);
  happened("▶ next");
  const before = service.stats.requests;
  await sync("third.jsonl", "second.jsonl");
  const { requests } = service.stats;
  terminal.say(`   It took ${requests - before} requests. The reads before took ${before}.`);
  terminal.say(
    `   The response that had ${begun} answers in the read before has ${received.answersOf(growing)} now: a sync reads again\n` +
      "   what was younger than the lookback when it was read.",
  );

  step("5. Compare what was read with what is in the sandbox");
  const streams = received.compare(new Map([...expectedKeys(service.truth), ...surveyKeys(service.truth)]));
  terminal.say(verdict(streams));
  terminal.say("   Nothing is missing.", "good");
  step("NPS by survey (░ detractors  ▒ passives  █ promoters)");
  const { answers } = received;
  terminal.say(npsLines(answers).join("\n"));
  return {
    answers,
    streams,
    moments,
    responses: received.of("survey_responses").size,
    twice: received.delivered - received.count,
    nextRequests: requests - before,
    allowancePerMinute: ALLOWANCE_PER_MINUTE,
  };
}

/** Reads into a file, from the state in the output of the read before. The first read is killed. */
async function readInto(output: string, before: string | undefined, truth: Truth, received: Received) {
  const words = ["read", "--config", fileOf("config.json"), "--catalog", fileOf("catalog.json")];
  if (before !== undefined) words.push("--state", fileOf(before));
  const shown = before === undefined ? "--config config.json --catalog catalog.json" : `… --state ${before}`;
  terminal.say(`   $ source-survey-export read ${shown} > ${output}`, "command");
  const all = [...expectedKeys(truth, ({ isGrowing }) => !isGrowing).values()].reduce(
    (sum, { size }) => sum + size,
    0,
  );
  const beganMs = performance.now();
  const program = [join(ROOT, "dist/source-survey-export.js"), ...words];
  const isKilled = await read(program, fileOf(output), received, () => {
    terminal.bar(Math.min(received.count, all), all);
    return before === undefined && received.count >= all / 2;
  });
  const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
  if (isKilled) terminal.say(`   Killed with SIGKILL after ${seconds} s.`, "bad");
  else if (before !== undefined) terminal.say(`   Done after ${seconds} s.`, "good");
  else throw new Error("The program ended before it could be killed. Please run npm start again.");
}

try {
  await start();
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  process.exitCode = 1;
}
