/**
 * `npm start`: a whole sync on this machine. Serves a made-up company, reads it with the real command line, kills that
 * halfway, resumes, syncs again, compares with what the sandbox holds, and draws a page from what was read. With
 * `-- --picture`, the same run becomes the picture in README, `docs/demo.svg`.
 */
import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { exampleCompany, expectedKeys, startSandbox, type Truth } from "../sandbox/index.ts";
import { cannotWrite } from "../sandbox/ready-files.ts";
import type { Moment } from "../tools/demo/charts.ts";
import type { Report } from "../tools/demo/page.ts";
import { npsLines } from "../tools/demo/scores.ts";
import { Source, verdict } from "../tools/demo/source.ts";
import { animated, counted, Terminal } from "../tools/demo/terminal.ts";

const FOLDER = ".survey-export/start";
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const BIN = join(ROOT, "dist/source-survey-export.js");

/** How long the service takes for each answer: long enough for a read that one can watch, and kill halfway. */
const LATENCY_MS = 80;
/** The limit of the real service. */
const ALLOWANCE_PER_MINUTE = 1_000;
/** The company's present: its newest response is of the day before. */
const PRESENT_MS = Date.UTC(2026, 8, 29, 9);
/** How far below the newest response of its survey a late one appears. */
const LATE_BY_MS = 120_000;
/** Between the steps, so that one can read along. */
const PAUSE_MS = 700;

const isPicture = process.argv.includes("--picture");

/** The whole run. The address of the page is the last line. */
async function start(terminal: Terminal): Promise<void> {
  await emptyFolder();
  if (isPicture) terminal.say("$ npm start\n", "command");
  terminal.say(
    "A whole sync on your machine, in less than a minute. A survey service with made-up people starts,\n" +
      "the real program reads it, is killed halfway and resumes. Then all records are compared.",
  );
  build();
  const { page } = await import("../tools/demo/page.ts");
  const report = await tell(terminal);
  const file = join(FOLDER, "report.html");
  await writeFile(file, await page(report), { mode: 0o600 });
  const address = pathToFileURL(resolve(file)).href;
  terminal.say(
    `\nNPS and CSAT by month, what people wrote, and the requests, as a page with charts:\n${address}`,
  );
  if (!isPicture) return;
  const hidden = (text: string): string => text.replace(address, `file:///…/${file}`);
  await writeFile(
    join(ROOT, "docs/demo.svg"),
    animated(terminal.lines.map((line) => ({ ...line, text: hidden(line.text) }))),
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
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/build.ts")], {
    encoding: "utf8",
  });
  if (status === 0) return;
  const isMissing = stderr.includes("ERR_MODULE_NOT_FOUND");
  throw new Error(
    `The program could not be built. ${isMissing ? "A package is missing: run npm ci, then npm start again." : stderr}`,
  );
}

/** Runs and tells each step, and returns what the page shows. Throws if a record is missing. */
async function tell(terminal: Terminal): Promise<Report> {
  const startedMs = Date.now();
  const requestsMs: number[] = [];
  const moments: Moment[] = [];
  const sandbox = await startSandbox({
    ...exampleCompany(),
    latencyMs: LATENCY_MS,
    limits: { perMinute: ALLOWANCE_PER_MINUTE },
    serviceClockOffsetMs: PRESENT_MS - startedMs,
    onAnswer: ({ startedAtMs }) => requestsMs.push(startedAtMs - startedMs),
  });
  const { truth } = sandbox.service;
  const happened = (what: string): number => moments.push({ atMs: Date.now() - startedMs, what });
  try {
    const surveys = truth.surveyIds();
    const responses = surveys.reduce((sum, id) => sum + truth.count(id), 0);
    terminal.say(
      `\n1. Start the service: ${surveys.length} surveys of a made-up company with ${responses} responses`,
      "heading",
    );
    terminal.say(
      `   Like the real one it allows 5 requests at once and ${counted(ALLOWANCE_PER_MINUTE)} a minute; an answer takes ${LATENCY_MS} ms.`,
    );
    const source = await Source.prepare(FOLDER, BIN, sandbox);

    terminal.say("\n2. Read everything, and kill the program halfway", "heading");
    await read(terminal, source, truth, "first.jsonl");
    happened("killed ✕");
    await sleep(PAUSE_MS);
    for (const id of surveys) sandbox.service.collect(id, { count: 1, lateByMs: LATE_BY_MS });
    for (const id of surveys) sandbox.service.collect(id, 7);
    terminal.say(
      `   Meanwhile ${surveys.length * 8} people answer. ${surveys.length} of the answers appear late.`,
    );
    await sleep(PAUSE_MS);

    terminal.say("\n3. Resume from the last state that the killed program wrote", "heading");
    happened("▶ resumed");
    await read(terminal, source, truth, "second.jsonl", "first.jsonl");
    await sleep(PAUSE_MS);

    for (const id of surveys) sandbox.service.collect(id, 2);
    terminal.say(
      `\n4. Then ${surveys.length * 2} more people answer. The next sync reads only what is new`,
      "heading",
    );
    happened("▶ next");
    const before = sandbox.service.stats.requests;
    await read(terminal, source, truth, "third.jsonl", "second.jsonl");
    const { requests, maxStartsPerMinute } = sandbox.service.stats;
    terminal.say(`   It took ${requests - before} requests. The reads before took ${before}.`);

    terminal.say("\n5. Compare what was read with what is in the sandbox", "heading");
    const streams = source.compare(expectedKeys(truth));
    terminal.say(verdict(streams));
    terminal.say("   Nothing is missing.", "good");
    terminal.say("\nNPS by survey (░ detractors  ▒ passives  █ promoters)", "heading");
    const answers = [...source.records.get("survey_answers")!.values()];
    terminal.say(npsLines(answers).join("\n"));
    return {
      answers,
      responses: source.records.get("survey_responses")!.size,
      streams,
      twice: source.delivered - source.count,
      nextRequests: requests - before,
      requestsMs,
      busiestMinute: maxStartsPerMinute,
      allowancePerMinute: ALLOWANCE_PER_MINUTE,
      moments,
    };
  } finally {
    await sandbox.close();
  }
}

/**
 * Reads into a file, from the state in the output of the read before. The first read has none before it, and is killed
 * when half of all records came.
 */
async function read(terminal: Terminal, source: Source, truth: Truth, output: string, before?: string) {
  const all = [...expectedKeys(truth).values()].reduce((sum, { size }) => sum + size, 0);
  const isKilledAt = before === undefined ? all / 2 : Infinity;
  const files = before === undefined ? "--config config.json --catalog catalog.json" : `… --state ${before}`;
  terminal.say(`   $ source-survey-export read ${files} > ${output}`, "command");
  const onRecords = (): boolean => {
    terminal.bar(source.count, all);
    return source.count >= isKilledAt;
  };
  const { seconds, isKilled } = await source.read(output, onRecords, before);
  if (isKilled) terminal.say(`   Killed with SIGKILL after ${seconds.toFixed(1)} s.`, "bad");
  else if (before !== undefined) terminal.say(`   Done after ${seconds.toFixed(1)} s.`, "good");
  else throw new Error("The program ended before it could be killed. Please run npm start again.");
}

try {
  await start(new Terminal(process.stdout.isTTY === true, (text) => process.stdout.write(text)));
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  process.exitCode = 1;
}
