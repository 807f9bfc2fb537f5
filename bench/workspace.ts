import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_LIMITS } from "@survey-export/core";
import { type Sandbox, startSandbox } from "../sandbox/index.ts";
import { type Figure, grouped, median, type Row, row, type Size } from "./figure.ts";
import { isRecord, readShipped } from "./program.ts";
import { survey, surveys } from "./sandbox.ts";

const LATENCY_MS = 100;
const MINUTES: Readonly<Record<Size, number>> = { full: 3, quick: 1, tiny: 0.02 };
/** The pause of the neighbour: it waits for the first minute, and seldom later. */
const LONG_MINUTES: Readonly<Record<Size, number>> = { full: 5, quick: 5, tiny: 0.02 };
const SHARED: Readonly<Record<Size, { responses: number; rounds: number }>> = {
  full: { responses: 20_000, rounds: 3 },
  quick: { responses: 20_000, rounds: 1 },
  tiny: { responses: 500, rounds: 1 },
};

/**
 * The shipped program reads with its defaults for these minutes, from a service that refuses the 1001st request within
 * 60 seconds and the 6th at once. Each survey is one request, and there is one more than the rate allows in the
 * minutes: an ideal program starts that request after exactly these minutes.
 */
async function readFor<T>(minutes: number, other: (sandbox: Sandbox, ended: AbortSignal) => Promise<T>) {
  const startsMs: number[] = [];
  const requests = Math.round(minutes * DEFAULT_LIMITS.requestsPerMinute) + 1;
  const sandbox = await startSandbox({
    surveys: surveys(requests, (id) => survey(id, 20, { content: "little" })),
    latencyMs: LATENCY_MS,
    onAnswer: ({ startedAtMs }) => startsMs.push(startedAtMs),
  });
  const ended = new AbortController();
  const others = other(sandbox, ended.signal);
  await readShipped(sandbox, [...sandbox.service.truth.surveyIds()]);
  ended.abort();
  const result = await others;
  await sandbox.close();
  return { result, spanMs: Math.max(...startsMs) - Math.min(...startsMs), stats: sandbox.service.stats };
}

export const allowance: Figure = {
  name: "allowance",
  about: "share of the configured requests a minute that a sync alone uses, and 429s",
  async measure(size) {
    const minutes = MINUTES[size];
    const { spanMs, stats } = await readFor(minutes, async () => {});
    const title = `share of ${DEFAULT_LIMITS.requestsPerMinute} requests a minute that a sync alone uses`;
    return [row("alone", title, [(minutes * 60_000 * 100) / spanMs, stats.byStatus[429] ?? 0])];
  },
};

export const neighbour: Figure = {
  name: "neighbour",
  about: "another program at 60 requests a minute during a sync: how many of its requests are refused",
  async measure(size) {
    const { result } = await readFor(LONG_MINUTES[size], askEachSecond);
    return [row("neighbour", "refused to another program at 60 a minute", [result])];
  },
};

/** The program never asks again for what was refused. Returns the percent that was. */
async function askEachSecond({ url, apiKey }: Sandbox, ended: AbortSignal): Promise<number> {
  const headers = { authorization: `Basic ${apiKey}` };
  const ask = async () => {
    const answer = await fetch(`${url}/surveys/1/responses?items_per_page=1`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const asked: Promise<number>[] = [];
  while (!ended.aborted) {
    asked.push(ask());
    await sleep(1000, undefined, { signal: ended }).catch(() => {});
  }
  const statuses = await Promise.all(asked);
  return (statuses.filter((status) => status === 429).length / statuses.length) * 100;
}

/** Processes that share a workspace and do not know each other, each with the defaults of a sync and its own survey. */
export const sharing: Figure = {
  name: "sharing",
  about: "two and four real processes on one workspace, none told of the others",
  async measure(size) {
    return [await shared(2, "two", size), await shared(4, "four", size)];
  },
};

async function shared(processes: number, name: string, size: Size): Promise<Row> {
  const { responses, rounds } = SHARED[size];
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
  const records = runs.reduce((sum, { lines }) => sum + lines.filter(isRecord).length, 0);
  if (records !== all.length * responses) throw new Error(`${records} records came.`);
  return {
    tookMs: runs.map(({ tookMs }) => tookMs),
    refusedPercent: ((byStatus[429] ?? 0) / requests) * 100,
  };
}
