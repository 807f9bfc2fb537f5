import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { catalogStreams } from "../connector/airbyte/catalog.ts";

/** A path of this folder. */
export const at = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
/** The command of a program for Node. */
export const node = (...words: readonly string[]): string[] => [process.execPath, ...words];
/** The shipped program. */
export const SHIPPED = at("../dist/source-survey-export.js");
/** The bare program as it is written: see there. */
export const BARE = at("programs/bare.mjs");

/** Only for this run, and deleted after it. */
const folder = at(`../.survey-export/bench-${process.pid}/`);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Bundles `ours.ts` and `bare.mjs` as the shipped program is, so that neither pays for its files; returns their paths. */
export async function bundled(): Promise<{ readonly ours: string; readonly bare: string }> {
  await build({
    entryPoints: [at("programs/ours.ts"), BARE],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "warning",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    minifySyntax: true,
    minifyWhitespace: true,
  });
  return { ours: `${folder}ours.mjs`, bare: `${folder}bare.mjs` };
}

/** What came of a program. */
export interface Ran {
  /** From its start to its end. */
  readonly tookMs: number;
  readonly cpuSeconds: number;
  /** Resident, as the operating system counts it. */
  readonly peakMegabytes: number;
  /** Whole lines of its output; only of a program that was run with `keepsOutput` or `killAfter`. */
  readonly lines: readonly string[];
}

const RECORD = '"type":"RECORD"';
export const isRecord = (line: string): boolean => line.includes(RECORD);

/**
 * Runs a command, and reads its output as fast as it comes: to its end, or until it has written `killAfter` records.
 * @throws Error with what it wrote to standard error, if it does not end with 0, or before it could be killed
 */
export async function run(
  command: readonly string[],
  { keepsOutput = false, killAfter }: { keepsOutput?: boolean; killAfter?: number | undefined } = {},
): Promise<Ran> {
  const child = spawn("python3", [at("programs/measure.py"), ...command], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const errors = text(child.stderr!);
  const report = createInterface({ input: child.stdio[3] as Readable })[Symbol.asyncIterator]();
  const pid = Number((await report.next()).value);
  const chunks: Buffer[] = [];
  let [records, killed] = [0, false];
  for await (const chunk of child.stdout! as AsyncIterable<Buffer>) {
    if (keepsOutput || killAfter !== undefined) chunks.push(chunk);
    if (killAfter === undefined || killed) continue;
    records += chunk.toString().split(RECORD).length - 1;
    if (records >= killAfter) killed = process.kill(pid, "SIGKILL");
  }
  const { code, ...used } = JSON.parse(String((await report.next()).value));
  await ended;
  if (killed !== (killAfter !== undefined) || (!killed && code !== 0)) {
    throw new Error(`${command.join(" ")} ended with ${code}.\n${await errors}`);
  }
  // What follows the last line break is nothing, or the cut line of a process that was killed.
  return { ...used, lines: Buffer.concat(chunks).toString().split("\n").slice(0, -1) };
}

let files = 0;

/** Writes a file, as JSON unless the content is a string, and returns its path. It is gone when this process ends. */
export function fileOf(content: unknown): string {
  mkdirSync(folder, { recursive: true });
  const path = `${folder}${++files}`;
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Arguments of a program with Airbyte's command line: each content as the file of the option of its name. */
export const optionsOf = (contents: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(contents).flatMap(([name, content]) => [`--${name}`, fileOf(content)]);

/** The configured catalog of an incremental sync of these streams. */
export const catalogOf = (...names: readonly string[]): object => ({
  streams: catalogStreams()
    .filter(({ name }) => names.includes(name))
    .map((stream) => ({
      stream,
      sync_mode: "incremental",
      destination_sync_mode: "append_dedup",
      cursor_field: ["collected_at"],
      primary_key: stream.source_defined_primary_key,
    })),
});

/** Reads the responses of these surveys with the shipped program, and keeps its output. */
export function readShipped(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  surveyIds: readonly string[],
  settings: object = {},
): Promise<Ran> {
  const config = { base_url: url, api_key: apiKey, survey_ids: surveyIds, ...settings };
  const options = optionsOf({ config, catalog: catalogOf("survey_responses") });
  return run(node(SHIPPED, "read", ...options), { keepsOutput: true });
}
