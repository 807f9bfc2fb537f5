/**
 * `npm start`: the main job, end to end. Starts the sandbox on a free port, runs the real command line against it
 * (check, discover, a first read of all streams), lets the sandbox collect some new responses, reads again from the
 * state of the first read, and compares what came with what the sandbox knows to be there.
 */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { exampleSurveys, startSandbox } from "../sandbox/index.ts";
import { cannotWrite } from "../sandbox/ready-files.ts";
import {
  aligned,
  compareDelivery,
  keysByStream,
  latestRows,
  messagesIn,
  primaryKeysOf,
  rowsIn,
} from "../tools/demo/delivery.ts";
import { expectedKeys, isCounted } from "../tools/demo/expected-keys.ts";
import { npsBySurvey } from "../tools/demo/scores.ts";

const FOLDER = ".survey-export/start";
const BIN = "dist/source-survey-export.js";
const RESPONSES = 400;
const NEW_RESPONSES = 5;

await emptyFolder();
const sandbox = await startSandbox({ surveys: exampleSurveys(RESPONSES, 40, 3) });
const { truth } = sandbox.service;

try {
  const config = await keep("config.json", {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: truth.surveyIds(),
  });

  say(`A sandbox of the survey service is running at ${sandbox.url} (three surveys, made-up people).`);
  const check = await run(["check", "--config", config], "check.jsonl");
  const verdict = messagesIn(check).find(({ type }) => type === "CONNECTION_STATUS")!.connectionStatus as {
    status: string;
  };
  say(`check     ${verdict.status}: the address, the key and the surveys are right.`);

  const discover = await run(["discover", "--config", config], "discover.jsonl");
  const found = messagesIn(discover).find(({ type }) => type === "CATALOG")!.catalog as {
    streams: { name: string }[];
  };
  const primaryKeys = primaryKeysOf(await run(["catalog", "--config", config], "catalog.json"));
  const catalog = `${FOLDER}/catalog.json`;
  const others = found.streams.flatMap(({ name }) => (primaryKeys.has(name) ? [] : [name]));
  say(`discover  ${primaryKeys.size} streams: ${[...primaryKeys.keys()].join(", ")};`);
  say(`          and snapshots that show what was deleted: ${others.join(", ")}.`);

  const before = expectedKeys(truth);
  const first = await read("first-read", catalog, config);
  say(
    `read      everything there is: ${first.rows.length} records in ${first.requests} requests, ${first.seconds} s.`,
  );

  for (const id of truth.surveyIds()) sandbox.service.collect(id, NEW_RESPONSES);
  say(`          … meanwhile, ${NEW_RESPONSES * truth.surveyIds().length} people answer a survey …`);
  const after = expectedKeys(truth);
  const second = await read("second-read", catalog, config, first.state);
  say(
    `read      only what is new: ${second.rows.length} records in ${second.requests} requests, ${second.seconds} s.`,
  );

  const deliveries = compareDelivery(
    after,
    keysByStream(first.rows, primaryKeys),
    keysByStream(second.rows, primaryKeys),
  );
  const known = deliveries.map(({ stream }) => stream);
  const unknown = [...primaryKeys.keys()].filter((stream) => !after.has(stream));
  const thereBefore = (stream: string): number => before.get(stream)!.size;
  const complete = deliveries.every(
    ({ stream, first, missing }) => missing === 0 && first === thereBefore(stream),
  );
  const table = deliveries.map(({ stream, first, second, again, missing }) => ({
    stream,
    "in the sandbox": thereBefore(stream),
    "first read": first,
    "new since": after.get(stream)!.size - thereBefore(stream),
    "second read, new": second - again,
    "second read, again": again,
    missing,
  }));
  say(`\n${aligned(table)}\n`);
  say(
    '"Again": responses of the last minutes before the first read ended (the lookback window) and with the same timestamp,\n' +
      "read once more in case one arrived late; and, in the respondent streams, the people who answered again.",
  );
  const byDefinition = known.filter((stream) => !isCounted(stream));
  if (byDefinition.length > 0)
    say(
      `\nThe sandbox does not count ${byDefinition.join(", ")}: "in the sandbox" is what the definition makes of its data.`,
    );
  say(
    `\nMessages and state: ${FOLDER}/ (first-read.jsonl, second-read.jsonl, state.jsonl). The service was asked ${
      sandbox.service.stats.requests
    } times\nand never had to refuse (${sandbox.service.stats.byStatus[429] ?? 0} × 429).`,
  );
  const insight = npsBySurvey(latestRows("survey_answers", [...first.rows, ...second.rows], primaryKeys));
  if (insight) say(`\n${insight}`);
  if (!complete)
    throw new Error("Records are missing: see the table above. This should never happen; please report it.");
  if (unknown.length > 0)
    throw new Error(
      `Not checked: ${unknown.join(", ")}. The built program has it and the sources do not. Run npm run build, then npm start again.`,
    );
  say(
    "\nNothing is missing. Next: npm run demo, which kills a sync and ends with a page of charts; or npm run sandbox, to\nrun the source against it yourself.",
  );
} finally {
  await sandbox.close();
}

async function emptyFolder(): Promise<void> {
  try {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const advice = "Make it writable for this user, or run npm start in a copy of the repository that is.";
    process.stderr.write(`${cannotWrite(FOLDER, thrown)} ${advice}\n`);
    process.exit(1);
  }
}

async function read(name: string, catalog: string, config: string, state?: string) {
  const asked = sandbox.service.stats.requests;
  const beganMs = performance.now();
  const output = await run(
    ["read", "--config", config, "--catalog", catalog, ...(state ? ["--state", state] : [])],
    `${name}.jsonl`,
  );
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const rows = rowsIn(output);
  const states = output.split("\n").filter((line) => line.startsWith('{"type":"STATE"'));
  await writeFile(`${FOLDER}/state.jsonl`, `${states.join("\n")}\n`);
  return { rows, seconds, requests: sandbox.service.stats.requests - asked, state: `${FOLDER}/state.jsonl` };
}

/** Runs the bin, keeps its output in a file, and returns it. */
async function run(words: readonly string[], file: string): Promise<string> {
  const path = `${FOLDER}/${file}`;
  const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const sink = child.stdout.pipe(createWriteStream(path));
  const [code] = await Promise.all([
    new Promise<number | null>((resolve, reject) => child.once("exit", resolve).once("error", reject)),
    finished(sink),
  ]);
  const output = await readFile(path, "utf8");
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}. Its messages are in ${path}.`);
  return output;
}

async function keep(name: string, value: unknown): Promise<string> {
  await writeFile(`${FOLDER}/${name}`, `${JSON.stringify(value, undefined, 2)}\n`);
  return `${FOLDER}/${name}`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
