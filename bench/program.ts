import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build, type Plugin } from "esbuild";
import { catalogStreams } from "../connector/airbyte/catalog.ts";
import type { Usage } from "./programs/usage.ts";

const root = new URL("../", import.meta.url);
/** Of this run alone, and gone with it. */
const folder = new URL(`.survey-export/bench-${process.pid}/`, root).pathname;
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Bundles programs of `bench/programs/` as the shipped one is, so that none pays for its types; returns their paths. */
export function bundled(...names: readonly string[]): Promise<string[]> {
  return bundle(names, folder);
}

/** The same, changed by a plugin, in a folder of its own. */
export function bundledWith(plugin: Plugin, place: string, ...names: readonly string[]): Promise<string[]> {
  return bundle(names, `${folder}${place}`, [plugin]);
}

async function bundle(names: readonly string[], outdir: string, plugins: Plugin[] = []): Promise<string[]> {
  await build({
    absWorkingDir: root.pathname,
    entryPoints: names.map((name) => `bench/programs/${name}.ts`),
    outdir,
    plugins,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: "warning",
  });
  return names.map((name) => `${outdir}${name}.mjs`);
}

/** What came of a program that ran to its end. */
export interface Output {
  /** From its start to its end. */
  readonly tookMs: number;
  readonly lines: number;
  readonly bytes: number;
  /** What it wrote to descriptor 3. */
  readonly report: string;
}

/** What came of a program that tells what it used. */
export interface Ran extends Output {
  readonly usage: Usage;
}

export interface RunOptions {
  /** How fast its output is read at most. */
  readonly bytesPerSecond?: number;
  /** Sees its output piece by piece. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/** Runs a program of the bench, which says what it used: see `runToEnd`. */
export async function run(path: string, words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const output = await runToEnd([path, ...words], options);
  return { ...output, usage: JSON.parse(output.report) as Usage };
}

/**
 * Runs Node with these words to its end, and reads its output as fast as it comes (or slower, with `bytesPerSecond`).
 *
 * @throws Error with what it wrote to standard error, if it does not end with 0
 */
export async function runToEnd(
  words: readonly string[],
  { bytesPerSecond = Number.POSITIVE_INFINITY, onOutput }: RunOptions = {},
): Promise<Output> {
  const beganMs = performance.now();
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  const errors = text(child.stderr!);
  const report = text(child.stdio[3] as Readable);
  let bytes = 0;
  let lines = 0;
  for await (const chunk of child.stdout! as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    onOutput?.(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    const aheadMs = (bytes / bytesPerSecond) * 1000 - (performance.now() - beganMs);
    if (aheadMs > 1) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  }
  const [code, signal] = await ended;
  const tookMs = performance.now() - beganMs;
  if (code !== 0) throw new Error(`${words[0]} ended with ${code ?? signal}.\n${await errors}`);
  return { tookMs, lines, bytes, report: await report };
}

async function text(stream: Readable): Promise<string> {
  let whole = "";
  for await (const chunk of stream.setEncoding("utf8")) whole += chunk;
  return whole;
}

/** A sandbox in a process of its own. */
export interface RemoteSandbox {
  readonly url: string;
  readonly apiKey: string;
  /** Asks a control route of the sandbox. */
  control<T>(method: string, path: string): Promise<T>;
  /** Ends it; returns when each request started, in milliseconds. */
  close(): Promise<readonly number[]>;
}

/** Starts a sandbox with these options, which must be JSON. */
export async function startRemote(path: string, options: object): Promise<RemoteSandbox> {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--max-old-space-size=4096", path, JSON.stringify(options)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error("The sandbox did not start.");
  const { url, apiKey } = JSON.parse(first.value) as { url: string; apiKey: string };
  return {
    url,
    apiKey,
    control: async (method, route) => {
      const answer = await fetch(new URL(route, url), { method });
      return (await answer.json()) as never;
    },
    async close() {
      child.stdin!.end();
      const last = await lines.next();
      await ended;
      return last.done ? [] : (JSON.parse(last.value) as number[]);
    },
  };
}

/** Writes a file, as JSON unless the content is a string, and returns its path. */
export type WriteFile = (name: string, content: unknown) => string;

/** Gives `use` a folder of its own to write files into, and removes it when `use` has ended. */
export async function withFiles<T>(use: (file: WriteFile) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "survey-export-bench-"));
  try {
    return await use((name, content) => {
      const path = join(folder, name);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Arguments of a program with Airbyte's command line: each content as the file of the option of its name. */
export const optionsOf = (file: WriteFile, contents: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(contents).flatMap(([name, content]) => [`--${name}`, file(name, content)]);

/** The configured catalog of an incremental sync of these streams. */
export const catalogOf = (names: readonly string[]): object => ({
  streams: catalogStreams()
    .filter(({ name }) => names.includes(name))
    .map((stream) => ({
      ...{ stream, sync_mode: "incremental", destination_sync_mode: "append_dedup" },
      ...{ cursor_field: ["collected_at"], primary_key: stream.source_defined_primary_key },
    })),
});
