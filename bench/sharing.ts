import { startSandbox } from "../sandbox/index.ts";
import { type Figure, grouped, median, type Row, row, type Size } from "./figure.ts";
import { readShipped } from "./program.ts";
import { survey, surveys } from "./service.ts";

const LATENCY_MS = 100;
const SIZES: Readonly<Record<Size, { responses: number; rounds: number }>> = {
  full: { responses: 20_000, rounds: 3 },
  quick: { responses: 20_000, rounds: 1 },
  tiny: { responses: 500, rounds: 1 },
};

/** Processes that share a workspace and do not know each other, each with the defaults of a sync and its own survey. */
export const sharing: Figure = {
  name: "sharing",
  about: "two and four real processes on one workspace, none told of the others",
  async measure(size) {
    return [await shared(2, "two", size), await shared(4, "four", size)];
  },
};

async function shared(processes: number, name: string, size: Size): Promise<Row> {
  const { responses, rounds } = SIZES[size];
  const ids = surveys(processes, (id) => survey(id, responses)).map(({ id }) => id);
  const runs: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    const one = await readAll([ids], responses);
    const shares = ids.map((id) => [id]);
    const several = await readAll(shares, responses);
    const slowestMs = Math.max(...several.tookMs);
    const fairness = slowestMs / Math.min(...several.tookMs);
    runs.push([slowestMs / one.tookMs[0]!, fairness, several.refusedPercent]);
  }
  const title = `${name} processes, ${grouped(responses)} responses each: time / one process; slowest / fastest; refused`;
  const medians = [0, 1, 2].map((which) => median(runs.map((numbers) => numbers[which]!)));
  return row(name, title, medians);
}

/** Each of these shares in a process of its own, all at once, from a service that refuses the 6th request at once. */
async function readAll(shares: readonly (readonly string[])[], responses: number) {
  const all = surveys(shares.flat().length, (id) => survey(id, responses, { content: "little" }));
  const sandbox = await startSandbox({ surveys: all, latencyMs: LATENCY_MS });
  const runs = await Promise.all(shares.map((ids) => readShipped(sandbox, ids)));
  const { requests, byStatus } = sandbox.service.stats;
  await sandbox.close();
  const records = runs.reduce((sum, run) => sum + run.records.length, 0);
  if (records !== all.length * responses) throw new Error(`${records} records came.`);
  return {
    tookMs: runs.map(({ tookMs }) => tookMs),
    refusedPercent: ((byStatus[429] ?? 0) / requests) * 100,
  };
}
