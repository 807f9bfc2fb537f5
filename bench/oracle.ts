import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { catalogStreams } from "../connector/airbyte/catalog.ts";
import { type Figure, median, type Row, type Size } from "./figure.ts";
import { withPageBounds } from "./peers/page-bounds.ts";
import { type Phases, phasesOf } from "./phases.ts";
import { bundled, type RemoteSandbox, startRemote } from "./program.ts";
import { ALLOWED } from "./rates.ts";
import { FROM, survey } from "./survey.ts";

const ID = "1";
const LATENCIES_MS = [30, 100, 250];
/** `target`: the most that our time may be, over the oracle's. */
const SIZES: Readonly<Record<Size, readonly { count: number; target: number; rounds: number }[]>> = {
  full: [
    { count: 1000, target: 1.5, rounds: 5 },
    { count: 20_000, target: 1.15, rounds: 3 },
    { count: 100_000, target: 1.15, rounds: 1 },
  ],
  quick: [
    { count: 1000, target: 1.5, rounds: 3 },
    { count: 20_000, target: 1.15, rounds: 1 },
  ],
  tiny: [{ count: 500, target: 1.5, rounds: 1 }],
};
const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** How near a sync comes to what is possible: the time of a first sync over that of `peers/oracle.mjs`. */
export const oracle: Figure = {
  name: "oracle",
  about: "wall time of a first sync / of a program that knows all page bounds beforehand, real socket",
  async measure(size) {
    const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const { count, target, rounds } of SIZES[size]) {
      for (const latencyMs of size === "full" ? LATENCIES_MS : [30]) {
        const start = () =>
          startRemote(sandboxProgram, {
            ...{ surveys: [survey(ID, count)], latencyMs },
            limits: { perMinute: false },
          });
        // More requests than the shipped program may be allowed in a minute.
        const read =
          count / 100 < ALLOWED ? readShipped : (sandbox: RemoteSandbox) => readWith(ours, sandbox);
        const pairs: { readonly oracleMs: number; readonly oursMs: number }[] = [];
        for (let round = 0; round < rounds; round++) {
          const oracleMs = await measured(start, count, readAsOracle);
          pairs.push({ oracleMs, oursMs: await measured(start, count, read) });
        }
        const ratio = median(pairs.map(({ oracleMs, oursMs }) => oursMs / oracleMs));
        const of = `${count.toLocaleString("en")} responses, ${latencyMs} ms`;
        rows.push({
          figure: `time of a first sync / of an oracle, ${of}, median of ${rounds}`,
          target: `≤ ${target}`,
          measured: ratio.toFixed(2),
          met: ratio <= target,
          kind: "real",
        });
        const seconds = (which: "oracleMs" | "oursMs"): string =>
          (median(pairs.map((pair) => pair[which])) / 1000).toFixed(2);
        notes.push(
          `oracle, ${of}: oracle ${seconds("oracleMs")} s, ours ${seconds("oursMs")} s (medians of pairs run in turn)`,
        );
      }
      notes.push(`oracle, phases of ${count.toLocaleString("en")} responses: ${told(await phasesOf(count))}`);
    }
    return { rows, notes };
  },
};

/** The time of one program, from its start to its end, on a sandbox of its own. Throws if not every record came. */
async function measured(
  start: () => Promise<RemoteSandbox>,
  count: number,
  read: (sandbox: RemoteSandbox) => Promise<{ readonly tookMs: number; readonly records: number }>,
): Promise<number> {
  const sandbox = await start();
  try {
    const { tookMs, records } = await read(sandbox);
    if (records !== count) throw new Error(`${records} of ${count} records came.`);
    return tookMs;
  } finally {
    await sandbox.close();
  }
}

const readAsOracle = (sandbox: RemoteSandbox) =>
  withPageBounds(sandbox, ID, (file) => timed([path("peers/oracle.mjs"), sandbox.url, sandbox.apiKey, file]));

const readWith = (program: string, { url, apiKey }: RemoteSandbox) =>
  timed([program, url, apiKey, "survey_responses", "keep", ID]);

async function readShipped({ url, apiKey }: RemoteSandbox) {
  const folder = mkdtempSync(join(tmpdir(), "oracle-"));
  const file = (name: string, content: unknown): string[] => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return [`--${name}`, join(folder, name)];
  };
  const streams = catalogStreams()
    .filter(({ name }) => name === "survey_responses")
    .map((stream) => ({ stream, sync_mode: "incremental", destination_sync_mode: "append_dedup" }));
  const config = { base_url: url, api_key: apiKey, survey_ids: [ID], start_date: FROM };
  try {
    return await timed([
      path("../dist/source-survey-export.js"),
      "read",
      ...file("config", { ...config, requests_per_minute: ALLOWED }),
      ...file("catalog", { streams }),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program to its end, reads its output as fast as it comes, and counts the responses, each once. */
async function timed(words: readonly string[]): Promise<{ tookMs: number; records: number }> {
  const beganMs = performance.now();
  // Descriptor 3 is where the programs of the bench tell what they used.
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "ignore", "pipe"] });
  (child.stdio[3] as Readable).resume();
  const ended = once(child, "exit") as Promise<[number | null]>;
  const output: Buffer[] = [];
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) output.push(chunk);
  const [code] = await ended;
  const tookMs = performance.now() - beganMs;
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}.`);
  const uuids = Buffer.concat(output)
    .toString("latin1")
    .matchAll(/"data":\{"uuid":"([^"]+)"/g);
  return { tookMs, records: new Set([...uuids].map(([, uuid]) => uuid)).size };
}

function told({ roundTrips, fewest, first, widening, full, last }: Phases): string {
  const trips = (value: number): string => value.toFixed(1);
  return `${trips(roundTrips)} round trips against ${trips(fewest)}: until the first page ${trips(first)}, until five are under way ${trips(widening)}, five or nearly ${trips(full)}, after that ${trips(last)} (simulated)`;
}
