import { readStreams, STREAMS, type SyncOptions } from "@survey-export/core";
import { createService, type Fault, type SurveyOptions } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/support/clock.ts";
import { clientOf, simulatedHost } from "../test/support/host.ts";
import { type Figure, grouped, row, type Size } from "./figure.ts";
import { DENSITIES, survey, surveys } from "./sandbox.ts";

/** From a request to its answer. Nothing else takes time. */
const TRIP_MS = 250;
const RESPONSES: Readonly<Record<Size, number>> = { full: 100_000, quick: 100_000, tiny: 3000 };

/** What a first sync needed. */
interface Needed {
  readonly requests: number;
  readonly roundTrips: number;
}

/**
 * What the real core needs for a first sync of surveys of the sandbox, by a clock that does not wait. `count`: of all records.
 * @throws Error if not every record came
 */
async function syncOf(
  surveys: readonly SurveyOptions[],
  count: number,
  options: Partial<SyncOptions> = {},
  faults: readonly Fault[] = [],
): Promise<Needed> {
  const clock = createSimulatedClock();
  const sandbox = createService({ surveys, latencyMs: TRIP_MS, clock, limits: { perMinute: false } });
  sandbox.addFaults(...faults);
  const client = clientOf(simulatedHost(sandbox, clock), { requestsPerMinute: Number.POSITIVE_INFINITY });
  const streams = new Map([[STREAMS.survey_responses, undefined]]);
  const beganMs = clock.now();
  let [records, lastMs] = [0, beganMs];
  for await (const event of readStreams(client, {
    surveyIds: [],
    respondentUuids: [],
    streams,
    ...options,
  })) {
    if (event.type === "records") records += event.records.length;
    if (event.type === "failure" && faults.length === 0) throw event.error;
    if (event.type !== "waiting") lastMs = clock.now();
  }
  if (records !== count) throw new Error(`${records} of ${count} records came.`);
  return { requests: sandbox.stats.requests, roundTrips: (lastMs - beganMs) / TRIP_MS };
}

/** Of one survey, which is named. */
export const firstSync = (
  of: SurveyOptions,
  count: number,
  inOrder: SyncOptions["inOrder"] = false,
): Promise<Needed> => syncOf([of], count, { surveyIds: [of.id], inOrder });

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

/** What it costs to find out that nobody's attributes can be read, next to a sync without that stream. */
async function costOfRefusals(): Promise<number> {
  const all = [survey("1", 10_000, { content: "little", respondents: 10_000 })];
  const without = await syncOf(all, 10_000);
  const streams = new Map(
    ([STREAMS.survey_responses, STREAMS.respondent_attributes] as const).map((one) => [one, undefined]),
  );
  const refused: Fault = { on: "/attributes", reply: { kind: "status", status: 403 } };
  return (await syncOf(all, 10_000, { streams }, [refused])).requests / without.requests;
}

export const needed: Figure = {
  name: "needed",
  about: "requests and round trips of first syncs of every survey",
  async measure() {
    const little = (id: string, count: number) => survey(id, count, { content: "little" });
    const large = ["1", "2"].map((id) => little(id, 1500));
    const streams = new Map(
      ([STREAMS.survey_responses, STREAMS.respondent_responses] as const).map((one) => [one, undefined]),
    );
    const both = await syncOf(large, 2 * 3000, { streams });
    const one = await syncOf(large, 3000);
    const small = await syncOf(
      surveys(5, (id) => little(id, 190)),
      5 * 190,
    );
    return [
      row("both", "requests of both streams of responses / of one, two surveys of 1,500", [
        both.requests / one.requests,
      ]),
      row("small", "requests / needed; round trips, five surveys of 190", [
        small.requests / 11,
        small.roundTrips,
      ]),
      row(
        "refusals",
        "requests with attributes that are refused for all of 10,000 respondents / without them",
        [await costOfRefusals()],
      ),
    ];
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
