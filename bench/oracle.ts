import { fileURLToPath } from "node:url";
import { parseTimestamp } from "@survey-export/core";
import { type Figure, grouped, median, type Row, ratioRow, type Size } from "./figure.ts";
import {
  bundled,
  catalogOf,
  optionsOf,
  type RemoteSandbox,
  runToEnd,
  startRemote,
  withFiles,
} from "./program.ts";
import { ALLOWED, FROM, survey } from "./service.ts";
import { simulatedRead } from "./simulated-read.ts";

const ID = "1";
const SLOTS = 5;
const PER_PAGE = 100;
/** From a request to its answer, where the phases are told. */
const TRIP_MS = 100;
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
          count / PER_PAGE < ALLOWED ? readShipped : (sandbox: RemoteSandbox) => readWith(ours, sandbox);
        const pairs: { readonly oracleMs: number; readonly oursMs: number }[] = [];
        for (let round = 0; round < rounds; round++) {
          const oracleMs = await measured(start, count, readAsOracle);
          pairs.push({ oracleMs, oursMs: await measured(start, count, read) });
        }
        const ratio = median(pairs.map(({ oracleMs, oursMs }) => oursMs / oracleMs));
        const of = `${grouped(count)} responses, ${latencyMs} ms`;
        const figure = `time of a first sync / of an oracle, ${of}, median of ${rounds}`;
        rows.push(ratioRow("real", figure, "≤", target, ratio));
        const seconds = (which: "oracleMs" | "oursMs"): string =>
          (median(pairs.map((pair) => pair[which])) / 1000).toFixed(2);
        notes.push(
          `oracle, ${of}: oracle ${seconds("oracleMs")} s, ours ${seconds("oursMs")} s (medians of pairs run in turn)`,
        );
      }
      notes.push(`oracle, phases of ${grouped(count)} responses: ${told(await phasesOf(count))}`);
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

const readShipped = ({ url, apiKey }: RemoteSandbox) =>
  withFiles((file) => {
    const config = { base_url: url, api_key: apiKey, survey_ids: [ID], start_date: FROM };
    const contents = {
      config: { ...config, requests_per_minute: ALLOWED },
      catalog: catalogOf(["survey_responses"]),
    };
    return timed([path("../dist/source-survey-export.js"), "read", ...optionsOf(file, contents)]);
  });

/** Runs a program to its end, and counts the responses that it wrote, each once. */
async function timed(words: readonly string[]): Promise<{ tookMs: number; records: number }> {
  const output: Buffer[] = [];
  const { tookMs } = await runToEnd(words, { onOutput: (chunk) => output.push(chunk) });
  const uuids = Buffer.concat(output)
    .toString("latin1")
    .matchAll(/"data":\{"uuid":"([^"]+)"/g);
  return { tookMs, records: new Set([...uuids].map(([, uuid]) => uuid)).size };
}

function told({ roundTrips, fewest, first, widening, full, last }: Phases): string {
  const trips = (value: number): string => value.toFixed(1);
  return `${trips(roundTrips)} round trips against ${trips(fewest)}: until the first page ${trips(first)}, until five are under way ${trips(widening)}, five or nearly ${trips(full)}, after that ${trips(last)} (simulated)`;
}

/**
 * Writes the path of each page of a survey's list to a file, for the program that knows them beforehand. A page
 * begins with the first response of its timestamp, so none is left out. Removes the file when `use` has ended.
 */
export async function withPageBounds<T>(
  sandbox: RemoteSandbox,
  surveyId: string,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const newestFirst = (
    await sandbox.control<{ collected_at: string }[]>("GET", `/sandbox/truth?survey_id=${surveyId}`)
  ).toSorted((one, other) => (one.collected_at < other.collected_at ? 1 : -1));
  const paths: string[] = [];
  for (let first = 0; first < newestFirst.length; first += PER_PAGE) {
    const { collected_at } = newestFirst[first]!;
    while (first > 0 && newestFirst[first - 1]!.collected_at === collected_at) first--;
    const start = encodeURIComponent(collected_at);
    paths.push(`/surveys/${surveyId}/responses?items_per_page=${PER_PAGE}&start=${start}`);
  }
  return withFiles((file) => use(file("paths", paths.join("\n"))));
}

/** Where the time of a first sync goes, in round trips: the time from a request to its answer. */
interface Phases {
  readonly roundTrips: number;
  /** Of a program that knows all page bounds. */
  readonly fewest: number;
  /** Until the first page has come: nothing can be cut before. */
  readonly first: number;
  /** After that, until five requests are under way for the first time. */
  readonly widening: number;
  /** From then until the last time that five are. */
  readonly full: number;
  /** The rest: what is left is too little to cut. */
  readonly last: number;
}

/** The phases of the real core on a simulated clock: only the service takes time. */
async function phasesOf(count: number): Promise<Phases> {
  const startedMs: number[] = [];
  const { tookMs } = await simulatedRead({
    ...{ survey: survey("1", count, { content: "little" }), latencyMs: TRIP_MS },
    read: { startDate: parseTimestamp(FROM) },
    onAnswer: ({ startedAtMs }) => startedMs.push(startedAtMs),
  });
  startedMs.sort((one, other) => one - other);
  const [began = 0, second = began + tookMs] = startedMs;
  const underWay = (atMs: number): number =>
    startedMs.filter((start) => start <= atMs && atMs < start + TRIP_MS).length;
  const wide = startedMs.filter((start) => underWay(start) >= SLOTS);
  const trips = (ms: number): number => ms / TRIP_MS;
  const [firstWide, lastWide] =
    wide.length === 0 ? [began + tookMs, began + tookMs] : [Math.min(...wide), Math.max(...wide) + TRIP_MS];
  const end = began + tookMs;
  return {
    roundTrips: trips(tookMs),
    fewest: Math.ceil(count / PER_PAGE / SLOTS),
    first: trips(second - began),
    widening: trips(firstWide - second),
    full: trips(lastWide - firstWide),
    last: trips(end - lastWide),
  };
}
