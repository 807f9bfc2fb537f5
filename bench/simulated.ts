import {
  EMPTY_STATE,
  type Host,
  readStreams,
  STREAMS,
  type SyncOptions,
  type Timestamp,
  timestampOfMs,
} from "@survey-export/core";
import { createService, type Density, type Fault, type SurveyOptions } from "../sandbox/index.ts";
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

/** What is not the sandbox's own. */
interface Surroundings {
  readonly startsAtMs?: number;
  readonly transportOf?: (transport: Host["transport"]) => Host["transport"];
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
  { startsAtMs, transportOf = (transport) => transport }: Surroundings = {},
): Promise<Needed> {
  const clock = createSimulatedClock(startsAtMs);
  const sandbox = createService({ surveys, latencyMs: TRIP_MS, clock, limits: { perMinute: false } });
  sandbox.addFaults(...faults);
  const host = simulatedHost(sandbox, clock);
  const transport = transportOf(host.transport);
  const client = clientOf({ ...host, transport }, { requestsPerMinute: Number.POSITIVE_INFINITY });
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

const DAY_MS = 86_400_000;
const LAST_YEAR_MS = Date.UTC(2025, 0, 1);

/** Pages asked for if 242 responses in two bursts, a week apart, follow what a state covers. */
async function pagesOfBursts(): Promise<number> {
  const endMs = LAST_YEAR_MS + 100 * DAY_MS;
  const timesOf = (count: number, fromMs: number, everyMs: number) =>
    Array.from({ length: count }, (_, place) => fromMs + place * everyMs);
  const old = timesOf(1000, LAST_YEAR_MS, DAY_MS / 10);
  const fresh = [...timesOf(121, endMs + 3 * DAY_MS, 5000), ...timesOf(121, endMs + 10 * DAY_MS, 5000)];
  const [start, end] = [LAST_YEAR_MS, endMs].map(timestampOfMs) as [Timestamp, Timestamp];
  const responses = [...old, ...fresh].map((ms, place) => ({
    uuid: `r${place}`,
    collected_at: timestampOfMs(ms),
  }));
  const state = { ...EMPTY_STATE, surveys: new Map([["1", [[start, end] as const]]]) };
  const streams = new Map([[STREAMS.survey_responses, state]]);
  const knownSurveys = { listed: new Set(["1"]), read: new Set(["1"]) };
  const options = { surveyIds: ["1"], streams, knownSurveys, startDate: start };
  const surveys = [{ id: "1", content: "little" as const, responses }];
  return (await syncOf(surveys, 242, options, [], { startsAtMs: endMs + 20 * DAY_MS })).requests;
}

/** A transport by which the list of surveys tells a tenth of the responses. */
const tellingATenth =
  (transport: Host["transport"]): Host["transport"] =>
  async (request, signal) => {
    const answer = await transport(request, signal);
    if (!request.url.includes("/surveys?")) return answer;
    const body = answer.body.replace(
      /"responses":(\d+)/g,
      (_, count) => `"responses":${Math.round(count / 10)}`,
    );
    return { ...answer, body };
  };

export const plans: Figure = {
  name: "plans",
  about: "requests if the list of surveys does not say how many responses follow, or where",
  async measure() {
    const of = (density: Density) => [survey("1", 1000, { density, content: "little" })];
    const aTenth = await syncOf(of("even"), 1000, {}, [], { transportOf: tellingATenth });
    const diesAway = await syncOf(of("old"), 1000);
    const title =
      "pages, 242 new responses in two bursts; requests / fewest, 1,000 of which the list tells a tenth; that die away";
    return [row("plans", title, [await pagesOfBursts(), aTenth.requests / 11, diesAway.requests / 11])];
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
