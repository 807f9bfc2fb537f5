import { setTimeout as sleep } from "node:timers/promises";
import { type Sandbox, startSandbox } from "../sandbox/index.ts";
import { type Figure, row, type Size } from "./figure.ts";
import { readShipped } from "./program.ts";
import { CONFIGURED, survey, surveys } from "./service.ts";

const MINUTES: Readonly<Record<Size, number>> = { full: 3, quick: 1, tiny: 0.02 };
/** Of the neighbour: it waits for the first minute, and seldom later. */
const LONG_MINUTES: Readonly<Record<Size, number>> = { full: 5, quick: 5, tiny: 0.02 };
const LATENCY_MS = 100;

/**
 * The shipped program reads with its defaults for these minutes, from a service that refuses the 1001st request within
 * 60 seconds and the 6th at once. Each survey is one request, and there is one more than the rate allows in the
 * minutes: an ideal program starts that request after exactly these minutes.
 */
async function readFor<T>(minutes: number, beside: (sandbox: Sandbox, ended: AbortSignal) => Promise<T>) {
  const startsMs: number[] = [];
  const sandbox = await startSandbox({
    surveys: surveys(Math.round(minutes * CONFIGURED) + 1, (id) => survey(id, 20, { content: "little" })),
    latencyMs: LATENCY_MS,
    onAnswer: ({ startedAtMs }) => startsMs.push(startedAtMs),
  });
  const ended = new AbortController();
  const besides = beside(sandbox, ended.signal);
  await readShipped(sandbox, [...sandbox.service.truth.surveyIds()]);
  ended.abort();
  const result = await besides;
  await sandbox.close();
  return { result, spanMs: Math.max(...startsMs) - Math.min(...startsMs), stats: sandbox.service.stats };
}

export const allowance: Figure = {
  name: "allowance",
  about: "share of the configured requests a minute that a sync alone uses, and 429s",
  async measure(size) {
    const minutes = MINUTES[size];
    const { spanMs, stats } = await readFor(minutes, async () => {});
    const title = `share of ${CONFIGURED} requests a minute that a sync alone uses`;
    return [row("alone", title, [(minutes * 60_000 * 100) / spanMs, stats.byStatus[429] ?? 0])];
  },
};

export const neighbour: Figure = {
  name: "neighbour",
  about: "another program at 60 requests a minute beside a sync: how many of its requests are refused",
  async measure(size) {
    const { result } = await readFor(LONG_MINUTES[size], askEachSecond);
    const title = `refused to another program at 60 a minute`;
    return [row("neighbour", title, [result])];
  },
};

/** The program never asks again for what was refused. Returns the percent that was. */
async function askEachSecond({ url, apiKey }: Sandbox, ended: AbortSignal): Promise<number> {
  const headers = { authorization: `Basic ${apiKey}` };
  const asked: Promise<number>[] = [];
  while (!ended.aborted) {
    asked.push(
      fetch(`${url}/surveys/1/responses?items_per_page=1`, { headers }).then(async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    await sleep(1000, undefined, { signal: ended }).catch(() => {});
  }
  const statuses = await Promise.all(asked);
  return (statuses.filter((status) => status === 429).length / statuses.length) * 100;
}
