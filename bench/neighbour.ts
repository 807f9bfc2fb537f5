import { readStreams, STREAMS } from "@survey-export/core";
import { createService, type Service } from "../sandbox/index.ts";
import { createSimulatedClock, type SimulatedClock } from "../test/model/support/clock.ts";
import { clientOf, type SimulatedHost, simulatedHost } from "../test/model/support/host.ts";
import { randomFrom } from "../test/model/support/random.ts";
import { type Figure, median, percent, type Row, type Size } from "./figure.ts";
import { ALLOWED, CONFIGURED, survey } from "./service.ts";

const TARGETS = { refused: 0.05, inARow: 3, used: 0.99 };
const MINUTES = 5;
const EVERY_MS = 1000;
/** Few: what is in a page does not matter here. */
const PER_PAGE = 10;
/** At these the configured rate holds the sync up. At 250 ms it is the five requests at once: no target, a note. */
const BOUND_BY_RATE_MS = [30, 100];
const LATENCIES_MS = [...BOUND_BY_RATE_MS, 250];
/** Each way, varied by half up and down, as between programs of one region. */
const NETWORK_MS = 3;
const SEEDS: Readonly<Record<Size, number>> = { full: 15, quick: 5, tiny: 1 };

interface Neighbourhood {
  /** Of the other program's requests. */
  readonly refused: number;
  readonly inARow: number;
  /** Of the requests that the sync is configured to make in the time that it took for them. */
  readonly used: number;
}

/**
 * A program that asks once a second, for as long as a sync of the same workspace reads at its configured rate. The
 * service refuses the 1001st request within 60 seconds and the 6th at once. The program never asks again for what
 * was refused: its next request is the one of the next second. A sync that may use all that the service allows is
 * measured for comparison, and has no target.
 */
export const neighbour: Figure = {
  name: "neighbour",
  about: "another program at 60 requests a minute beside a long sync: how many of its requests are refused",
  async measure(size) {
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const requestsPerMinute of [CONFIGURED, ALLOWED]) {
      for (const latencyMs of LATENCIES_MS) {
        const runs: Neighbourhood[] = [];
        for (let seed = 1; seed <= SEEDS[size]; seed++) {
          runs.push(await beside(requestsPerMinute, latencyMs, seed));
        }
        notes.push(described(requestsPerMinute, latencyMs, runs));
        if (requestsPerMinute === CONFIGURED && BOUND_BY_RATE_MS.includes(latencyMs)) {
          rows.push(rowOf(latencyMs, runs));
        }
      }
    }
    return { rows, notes };
  },
};

/** Pages enough for more than the minutes. */
const large = survey("1", 2 * PER_PAGE * ALLOWED * MINUTES, { content: "little" });
const small = survey("2", 100, { content: "little" });

async function beside(requestsPerMinute: number, latencyMs: number, seed: number): Promise<Neighbourhood> {
  const clock = createSimulatedClock();
  const startsMs: number[] = [];
  const service = createService({
    surveys: [large, small],
    latencyMs,
    clock,
    onAnswer: ({ url, status, startedAtMs }) => {
      if (status === 200 && url.includes(`/surveys/${large.id}/`)) startsMs.push(startedAtMs);
    },
  });
  const random = randomFrom(seed);
  const ended = new AbortController();
  const host = { ...overNetwork(simulatedHost(service, clock), clock, random), random };
  const others = askEachSecond(service, clock, random, ended.signal);
  const wanted = requestsPerMinute * MINUTES;
  const client = clientOf(host, { requestsPerMinute });
  const streams = new Map([[STREAMS.survey_responses, undefined]]);
  const read = { surveyIds: [large.id], respondentUuids: [], streams, itemsPerPage: PER_PAGE };
  for await (const event of readStreams(client, read)) {
    if (event.type === "failure") throw event.error;
    if (startsMs.length > wanted + 5) break;
  }
  ended.abort();
  startsMs.sort((one, other) => one - other);
  const tookMs = startsMs[wanted]! - startsMs[0]!;
  return { ...refusals(await others), used: (MINUTES * 60_000) / tookMs };
}

/** Each request and each answer is on its way for a moment. */
function overNetwork(host: SimulatedHost, clock: SimulatedClock, random: () => number): SimulatedHost {
  const onTheWay = () => clock.sleep(NETWORK_MS * (0.5 + random()));
  return {
    ...host,
    async transport(request, signal) {
      await onTheWay();
      const answer = await host.transport(request, signal);
      await onTheWay();
      return answer;
    },
  };
}

/** Whether each of its requests was refused, in the order in which they were sent. */
async function askEachSecond(
  service: Service,
  clock: SimulatedClock,
  random: () => number,
  ended: AbortSignal,
): Promise<boolean[]> {
  const url = `${service.basePath}/surveys/${small.id}/responses?items_per_page=1`;
  const headers = { authorization: `Basic ${service.apiKey}` };
  const answers: Promise<boolean>[] = [];
  await clock.sleep(EVERY_MS * random());
  for (let nextMs = clock.now(); !ended.aborted; nextMs += EVERY_MS) {
    await clock.sleep(Math.max(0, nextMs - clock.now()));
    if (!ended.aborted) answers.push(service.handle({ url, headers }).then(({ status }) => status === 429));
  }
  return Promise.all(answers);
}

function refusals(asked: readonly boolean[]): Pick<Neighbourhood, "refused" | "inARow"> {
  let [inARow, longest] = [0, 0];
  for (const refused of asked) {
    inARow = refused ? inARow + 1 : 0;
    longest = Math.max(longest, inARow);
  }
  return { refused: asked.filter(Boolean).length / asked.length, inARow: longest };
}

function rowOf(latencyMs: number, runs: readonly Neighbourhood[]): Row {
  const { refused, inARow, used } = middle(runs);
  return {
    figure: `another program at ${60_000 / EVERY_MS} a minute beside a sync at ${CONFIGURED} a minute, ${MINUTES} minutes, ${latencyMs} ms: refused, in a row, share of the ${CONFIGURED} used; median of ${runs.length}`,
    target: `≤ ${percent(TARGETS.refused)}, ≤ ${TARGETS.inARow}, ≥ ${percent(TARGETS.used)}`,
    measured: `${percent(refused)}, ${inARow}, ${percent(used)}`,
    met: refused <= TARGETS.refused && inARow <= TARGETS.inARow && used >= TARGETS.used,
    kind: "simulated",
  };
}

const middle = (runs: readonly Neighbourhood[]): Neighbourhood => ({
  refused: median(runs.map((run) => run.refused)),
  inARow: median(runs.map((run) => run.inARow)),
  used: median(runs.map((run) => run.used)),
});

/** Median and worst. */
function described(requestsPerMinute: number, latencyMs: number, runs: readonly Neighbourhood[]): string {
  const { refused, inARow, used } = middle(runs);
  const worst = (of: (run: Neighbourhood) => number): number => Math.max(...runs.map(of));
  return [
    `neighbour, a sync at ${requestsPerMinute} a minute, ${latencyMs} ms: refused ${percent(refused)} (worst of ${runs.length} ${percent(worst((run) => run.refused))})`,
    `in a row ${inARow} (${worst((run) => run.inARow)})`,
    `${percent(used)} of the ${requestsPerMinute} used (${percent(-worst((run) => -run.used))})`,
  ].join(", ");
}
