import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type SharedWorkspaceResult, shareWorkspace } from "../test/model/support/shared-workspace.ts";
import { type Figure, grouped, median, percent, type Row, type Size } from "./figure.ts";
import { bundled, startRemote } from "./program.ts";
import { ALLOWED, CONFIGURED, survey } from "./service.ts";

const LATENCY_MS = 100;
const RESPONSES_EACH = 20_000;
/** Pages of 20,000 responses, and what the division into slices adds. */
const REQUESTS_EACH = 206;
const MINUTES = 10;
const SOCKET_RUNS = { four: 3, eight: 1 };
const SEEDS: Readonly<Record<Size, number>> = { full: 25, quick: 15, tiny: 1 };
/** Of four processes; of eight, only the refusals have one. All else is told in the notes. */
const TARGETS = { time: 1.35, fairness: 1.5, refused: 0.02, used: 0.85, refusedOfEight: 0.03 };
const RETRY_AFTER = [
  { retryAfter: false, how: "429 without Retry-After" },
  { retryAfter: true, how: "429 with Retry-After" },
];

/** Several processes read at the same time, over the time of one process that reads everything. */
interface Sharing {
  readonly time: number;
  /** Slowest over fastest. */
  readonly fairness: number;
  readonly refused: number;
}

/**
 * Processes that share a workspace and do not know each other, against a service that refuses the 1001st request
 * within 60 seconds and the 6th at once. Each process has the default limits of a sync, and so does the one that
 * reads everything.
 */
export const sharing: Figure = {
  name: "sharing",
  about: "2, 4 and 8 processes on one workspace, none told of the others",
  async measure(size) {
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const { retryAfter, how } of RETRY_AFTER) {
      for (const processes of [2, 4, 8]) {
        const runs = await simulated(processes, retryAfter, SEEDS[size]);
        if (processes === 4) rows.push(sharingRow(middle(runs), `${how}, median`, "simulated"));
        if (processes === 8) rows.push(refusedRow(middle(runs), `${how}, median`, "simulated"));
        notes.push(`sharing, ${processes} processes, ${how}: ${described(runs)}`);
        notes.push(
          `sharing, ${processes} processes, ${how}, ${MINUTES} min: ${await longRun(processes, retryAfter)}`,
        );
      }
      rows.push(await usedRow(retryAfter, how));
    }
    if (size === "full") {
      const four = await overSockets(4, SOCKET_RUNS.four);
      rows.push(sharingRow(middle(four), `real processes, median of ${four.length}`, "real"));
      const eight = await overSockets(8, SOCKET_RUNS.eight);
      rows.push(refusedRow(middle(eight), `real processes, median of ${eight.length}`, "real"));
      notes.push(`sharing, 4 real processes: ${described(four)}`);
      notes.push(`sharing, 8 real processes: ${described(eight)}`);
    }
    return { rows, notes };
  },
};

async function simulated(processes: number, retryAfter: boolean, seeds: number): Promise<Sharing[]> {
  const of = { latencyMs: LATENCY_MS, retryAfter, requestsPerMinute: CONFIGURED };
  const one = await shareWorkspace({ ...of, processes: 1, requestsEach: processes * REQUESTS_EACH, seed: 1 });
  const runs: Sharing[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const run = await shareWorkspace({ ...of, processes, requestsEach: REQUESTS_EACH, seed });
    runs.push({ time: run.allMs / one.allMs, fairness: ratio(run.tookMs), refused: refusedShare(run) });
  }
  return runs;
}

const runLong = (processes: number, retryAfter: boolean): Promise<SharedWorkspaceResult> =>
  shareWorkspace({
    processes,
    requestsEach: Number.POSITIVE_INFINITY,
    latencyMs: LATENCY_MS,
    retryAfter,
    requestsPerMinute: CONFIGURED,
    seed: 1,
    untilMs: MINUTES * 60_000,
  });

async function longRun(processes: number, retryAfter: boolean): Promise<string> {
  const run = await runLong(processes, retryAfter);
  return `${percent(used(run))} of the minute used, ${percent(refusedShare(run))} refused, most over fewest answers ${ratio(run.answeredEach).toFixed(2)}`;
}

async function usedRow(retryAfter: boolean, how: string): Promise<Row> {
  const run = await runLong(4, retryAfter);
  return {
    figure: `share of the ${ALLOWED} requests a minute of the workspace that four processes use in ${MINUTES} minutes, and refused, ${how}`,
    target: `≥ ${percent(TARGETS.used)}, ≤ ${percent(TARGETS.refused)}`,
    measured: `${percent(used(run))}, ${percent(refusedShare(run))}`,
    met: used(run) >= TARGETS.used && refusedShare(run) <= TARGETS.refused,
    kind: "simulated",
  };
}

/** The core as shipped, with a sandbox in another process. */
async function overSockets(processes: number, times: number): Promise<Sharing[]> {
  const [sandboxProgram = "", reader = ""] = await bundled("sandbox", "reader");
  const surveys = Array.from({ length: processes }, (_, number) =>
    survey(String(number + 1), RESPONSES_EACH, { content: "little" }),
  );
  const readAll = async (shares: readonly (readonly string[])[]) => {
    const sandbox = await startRemote(sandboxProgram, { surveys, latencyMs: LATENCY_MS });
    const beganMs = performance.now();
    const tookMs = await Promise.all(shares.map((ids) => runReader(reader, sandbox, ids)));
    const allMs = performance.now() - beganMs;
    const stats = await sandbox.control<{ requests: number; byStatus: Record<string, number> }>(
      "GET",
      "/sandbox/stats",
    );
    await sandbox.close();
    return { allMs, tookMs, refused: (stats.byStatus[429] ?? 0) / stats.requests };
  };
  const ids = surveys.map(({ id }) => id);
  const one = await readAll([ids]);
  const runs: Sharing[] = [];
  for (let run = 0; run < times; run++) {
    const several = await readAll(ids.map((id) => [id]));
    runs.push({
      time: several.allMs / one.allMs,
      fairness: ratio(several.tookMs),
      refused: several.refused,
    });
  }
  return runs;
}

async function runReader(
  program: string,
  { url, apiKey }: { url: string; apiKey: string },
  surveyIds: readonly string[],
): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, url, apiKey, ...surveyIds]);
  const { records, tookMs } = JSON.parse(stdout) as { records: number; tookMs: number };
  if (records !== surveyIds.length * RESPONSES_EACH) throw new Error(`${records} records came.`);
  return tookMs;
}

function sharingRow({ time, fairness, refused }: Sharing, how: string, kind: Row["kind"]): Row {
  return {
    figure: `four processes, ${grouped(RESPONSES_EACH)} responses each, ${LATENCY_MS} ms: time over one process, slowest over fastest, refused; ${how}`,
    target: `≤ ${TARGETS.time}, ≤ ${TARGETS.fairness}, ≤ ${percent(TARGETS.refused)}`,
    measured: `${time.toFixed(2)}, ${fairness.toFixed(2)}, ${percent(refused)}`,
    met: time <= TARGETS.time && fairness <= TARGETS.fairness && refused <= TARGETS.refused,
    kind,
  };
}

function refusedRow({ refused }: Sharing, how: string, kind: Row["kind"]): Row {
  return {
    figure: `eight processes, ${grouped(RESPONSES_EACH)} responses each, ${LATENCY_MS} ms: refused; ${how}`,
    target: `≤ ${percent(TARGETS.refusedOfEight)}`,
    measured: percent(refused),
    met: refused <= TARGETS.refusedOfEight,
    kind,
  };
}

const ratio = (values: readonly number[]): number => Math.max(...values) / Math.min(...values);
const used = ({ answered }: SharedWorkspaceResult): number => answered / (MINUTES * ALLOWED);
const refusedShare = ({ refused, answered }: SharedWorkspaceResult): number => refused / (refused + answered);

const middle = (runs: readonly Sharing[]): Sharing => ({
  time: median(runs.map(({ time }) => time)),
  fairness: median(runs.map(({ fairness }) => fairness)),
  refused: median(runs.map(({ refused }) => refused)),
});

/** Median and worst. */
function described(runs: readonly Sharing[]): string {
  const { time, fairness, refused } = middle(runs);
  const worst = (of: (run: Sharing) => number): number => Math.max(...runs.map(of));
  return [
    `time over one process ${time.toFixed(2)} (worst of ${runs.length} ${worst((run) => run.time).toFixed(2)})`,
    `slowest over fastest ${fairness.toFixed(2)} (${worst((run) => run.fairness).toFixed(2)})`,
    `refused ${percent(refused)} (${percent(worst((run) => run.refused))})`,
  ].join(", ");
}
