import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import type { Usage } from "./programs/usage.ts";

const root = new URL("../", import.meta.url);
/** Of this run alone, and gone with it. */
const folder = new URL(`.survey-export/bench-${process.pid}/`, root).pathname;
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Bundles programs of `bench/programs/` as the shipped one is, so that none pays for its types; returns their paths. */
export async function bundled(...names: readonly string[]): Promise<string[]> {
  await build({
    absWorkingDir: root.pathname,
    entryPoints: names.map((name) => `bench/programs/${name}.ts`),
    outdir: folder,
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
  return names.map((name) => `${folder}${name}.mjs`);
}

/** What came of a program that ran to its end. */
export interface Ran {
  readonly usage: Usage;
  readonly lines: number;
  readonly bytes: number;
}

export interface RunOptions {
  /** How fast its output is read at most. */
  readonly bytesPerSecond?: number;
  /** Sees its output piece by piece. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/**
 * Runs a program to its end, reads its output as fast as it comes (or slower, with `bytesPerSecond`), and returns
 * what it says it used. Throws when it does not end with 0.
 */
export async function run(
  path: string,
  words: readonly string[],
  { bytesPerSecond = Number.POSITIVE_INFINITY, onOutput }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [path, ...words], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  const usage = text(child.stdio[3] as Readable);
  const beganMs = performance.now();
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
  if (code !== 0) throw new Error(`${path} ended with ${code ?? signal}.`);
  return { usage: JSON.parse(await usage) as Usage, lines, bytes };
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
