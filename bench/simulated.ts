import { readStreams, STREAMS, type SyncOptions } from "@survey-export/core";
import { createService, type SurveyOptions } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/support/clock.ts";
import { clientOf, simulatedHost } from "../test/support/host.ts";
import { type Figure, grouped, row, type Size } from "./figure.ts";
import { DENSITIES, survey } from "./sandbox.ts";

/** From a request to its answer. Nothing else takes time. */
const TRIP_MS = 250;
const RESPONSES: Readonly<Record<Size, number>> = { full: 100_000, quick: 100_000, tiny: 3000 };

/**
 * What the real core needs for a first sync of one survey of the sandbox, by a clock that does not wait.
 * @throws Error if not every response came
 */
export async function firstSync(
  of: SurveyOptions,
  count: number,
  inOrder: SyncOptions["inOrder"] = false,
): Promise<{ readonly requests: number; readonly roundTrips: number }> {
  const clock = createSimulatedClock();
  const sandbox = createService({ surveys: [of], latencyMs: TRIP_MS, clock, limits: { perMinute: false } });
  const client = clientOf(simulatedHost(sandbox, clock), { requestsPerMinute: Number.POSITIVE_INFINITY });
  const streams = new Map([[STREAMS.survey_responses, undefined]]);
  const beganMs = clock.now();
  let [records, lastMs] = [0, beganMs];
  for await (const event of readStreams(client, {
    surveyIds: [of.id],
    respondentUuids: [],
    streams,
    inOrder,
  })) {
    if (event.type === "records") records += event.records.length;
    if (event.type === "failure") throw event.error;
    if (event.type !== "waiting") lastMs = clock.now();
  }
  if (records !== count) throw new Error(`${records} of ${count} records came.`);
  return { requests: sandbox.stats.requests, roundTrips: (lastMs - beganMs) / TRIP_MS };
}

/** What `of` gives for a survey of each density. */
export async function ofDensities(count: number, of: (survey: SurveyOptions) => Promise<number>) {
  const numbers: number[] = [];
  for (const density of DENSITIES) numbers.push(await of(survey("1", count, { density, content: "little" })));
  return numbers;
}

export const requests: Figure = {
  name: "requests",
  about: "requests made / fewest possible, one large survey, by density",
  async measure(size) {
    const count = RESPONSES[size];
    const ratios = await ofDensities(
      count,
      async (one) => (await firstSync(one, count)).requests / Math.ceil(count / 100),
    );
    const title = `requests / fewest possible, ${grouped(count)} responses`;
    return [row("requests", title, [Math.max(...ratios)])];
  },
};

export const speed: Figure = {
  name: "speed",
  about: "time of one walk / ours, one large survey, by density",
  async measure(size) {
    const count = RESPONSES[size];
    const ratios = await ofDensities(count, async (one) => {
      const walk = await firstSync(one, count, true);
      return walk.roundTrips / (await firstSync(one, count)).roundTrips;
    });
    return [row("speed", `speed-up over one walk, ${grouped(count)} responses`, [Math.min(...ratios)])];
  },
};
