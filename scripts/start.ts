/**
 * `npm start`: the main job, end to end. Starts the sandbox on a free port, runs the real command line against it
 * (check, discover, a first read of all streams), lets the sandbox collect some new responses, reads again from the
 * state of the first read, and compares what came with what the sandbox knows to be there.
 */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { cannotWrite } from "../sandbox/command/cannot-write.ts";
import { exampleSurveys, startSandbox } from "../sandbox/index.ts";
import { expectedKeys, isCounted, keyOf } from "./expected-keys.ts";
import { npsBySurvey } from "./insight.ts";

const FOLDER = ".survey-export/start";
const BIN = "dist/source-survey-export.js";
const RESPONSES = 400;
const NEW_RESPONSES = 5;

type Message = { readonly type: string } & { readonly [field: string]: unknown };
interface Row {
  readonly stream: string;
  readonly data: { readonly [field: string]: unknown };
}

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
  const verdict = messages(check).find(({ type }) => type === "CONNECTION_STATUS")!.connectionStatus as {
    status: string;
  };
  say(`check     ${verdict.status}: the address, the key and the surveys are right.`);

  const discover = await run(["discover", "--config", config], "discover.jsonl");
  const { streams: all } = messages(discover).find(({ type }) => type === "CATALOG")!.catalog as {
    streams: { name: string; supported_sync_modes: string[]; source_defined_primary_key: string[][] }[];
  };
  const streams = all.filter(({ supported_sync_modes: modes }) => modes.includes("incremental"));
  const primaryKeys = new Map(
    streams.map(({ name, source_defined_primary_key: key }) => [name, key.map(([field]) => field!)]),
  );
  const catalog = await keep("catalog.json", {
    streams: streams.map((stream) => ({
      stream,
      sync_mode: "incremental",
      destination_sync_mode: "append_dedup",
    })),
  });
  const others = all.filter((stream) => !streams.includes(stream)).map(({ name }) => name);
  say(`discover  ${streams.length} streams: ${streams.map(({ name }) => name).join(", ")};`);
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

  const firstKeys = keysByStream(first.rows, primaryKeys);
  const secondKeys = keysByStream(second.rows, primaryKeys);
  let complete = true;
  const known = [...primaryKeys.keys()].filter((stream) => after.has(stream));
  const unknown = [...primaryKeys.keys()].filter((stream) => !after.has(stream));
  const table = known.map((stream) => {
    const [there, later] = [before.get(stream)!, after.get(stream)!];
    const [came, again] = [firstKeys.get(stream)!, secondKeys.get(stream)!];
    const missing = [...later].filter((key) => !came.has(key) && !again.has(key)).length;
    complete &&= missing === 0 && came.size === there.size;
    return {
      stream,
      "in the sandbox": there.size,
      "first read": came.size,
      "new since": later.size - there.size,
      "second read, new": [...again].filter((key) => !came.has(key)).length,
      "second read, again": [...again].filter((key) => came.has(key)).length,
      missing,
    };
  });
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
  const answers = new Map(
    [...first.rows, ...second.rows]
      .filter(({ stream }) => stream === "survey_answers")
      .map(({ stream, data }) => [keyOf(data, primaryKeys.get(stream)!), data]),
  );
  const insight = npsBySurvey(answers.values());
  if (insight) say(`\n${insight}`);
  if (!complete)
    throw new Error("Records are missing: see the table above. This should never happen; please report it.");
  if (unknown.length > 0)
    throw new Error(
      `Not checked: ${unknown.join(", ")}. The built program has it and the sources do not. Run npm run build, then npm start again.`,
    );
  say("\nNothing is missing. Next: npm run sandbox, and run the source against it yourself.");
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
  const rows = messages(output)
    .filter(({ type }) => type === "RECORD")
    .map(({ record }) => record as Row);
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

function messages(output: string): Message[] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function keysByStream(
  rows: readonly Row[],
  primaryKeys: ReadonlyMap<string, readonly string[]>,
): Map<string, Set<string>> {
  const keys = new Map([...primaryKeys.keys()].map((stream) => [stream, new Set<string>()]));
  for (const { stream, data } of rows) keys.get(stream)!.add(keyOf(data, primaryKeys.get(stream)!));
  return keys;
}

async function keep(name: string, value: unknown): Promise<string> {
  await writeFile(`${FOLDER}/${name}`, `${JSON.stringify(value, undefined, 2)}\n`);
  return `${FOLDER}/${name}`;
}

function aligned(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const heads = Object.keys(rows[0] ?? {});
  const cells = [heads, ...rows.map((row) => heads.map((head) => String(row[head])))];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join("   "),
    )
    .join("\n");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
