import {
  type InitialState,
  parseStreamState,
  parseTimestamp,
  readStreams,
  STREAMS,
  type StreamName,
} from "@survey-export/core";
import { createService, type SurveyOptions } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/model/support/clock.ts";
import { clientOf, simulatedHost } from "../test/model/support/host.ts";
import { type Figure, grouped, type Row, ratioRow, type Size } from "./figure.ts";
import { DENSITIES, FROM, survey } from "./service.ts";
import { simulatedRead } from "./simulated-read.ts";

const RESPONSES: Readonly<Record<Size, number>> = { full: 100_000, quick: 100_000, tiny: 3000 };
const TARGET = 1.03;
const SURVEYS: Readonly<Record<Size, number>> = { full: 300, quick: 300, tiny: 10 };
const QUIET_TARGET = 1.05;

/** Requests made for one survey, against as many as it has pages; and for many surveys of which nothing is new. */
export const requests: Figure = {
  name: "requests",
  about: "requests made / fewest possible, one large survey, by density; a quiet sync of many surveys",
  async measure(size) {
    const count = RESPONSES[size];
    const fewest = Math.ceil(count / 100);
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const startDate of [undefined, parseTimestamp(FROM)]) {
      const which = startDate === undefined ? "no start date" : "start date";
      const ratios = new Map<string, number>();
      for (const density of DENSITIES) {
        const result = await simulatedRead({
          survey: survey("1", count, { density, content: "little" }),
          latencyMs: 250,
          read: { startDate },
        });
        if (result.records !== count)
          throw new Error(`${density}: ${result.records} of ${count} records came.`);
        ratios.set(density, result.requests / fewest);
      }
      const worst = Math.max(...ratios.values());
      const figure = `requests / fewest possible, ${grouped(count)} responses, worst of ${ratios.size} densities, ${which}`;
      rows.push(ratioRow("simulated", figure, "≤", TARGET, worst, 3));
      notes.push(
        `requests, ${which}: ${[...ratios].map(([density, ratio]) => `${density} ${ratio.toFixed(3)}`).join(", ")}`,
      );
    }
    const quiet = await quietSyncs(SURVEYS[size]);
    return { rows: [...rows, ...quiet.rows], notes: [...notes, ...quiet.notes] };
  },
};

/**
 * A survey of which nothing is new needs one request. The newest response lies in the lookback, which no state covers
 * (I5), so that a stream of people reads once more whoever gave one of the responses there.
 */
async function quietSyncs(surveys: number): Promise<{ rows: Row[]; notes: string[] }> {
  const alone = await quietSync(surveys, ["survey_responses"]);
  const all = await quietSync(surveys, [
    "survey_responses",
    "survey_answers",
    "respondent_responses",
    "respondent_attributes",
  ]);
  const row = (figure: string, ratio: number): Row =>
    ratioRow("simulated", figure, "≤", QUIET_TARGET, ratio, 3);
  return {
    rows: [
      row(`requests / surveys, quiet sync of ${surveys} surveys, survey_responses`, alone.requests / surveys),
      row(
        `requests / (surveys + twice the people in the lookback), quiet sync of ${surveys} surveys, the four default streams`,
        all.requests / (surveys + 2 * all.people),
      ),
    ],
    notes: [
      `requests, quiet sync of ${surveys} surveys: ${alone.requests}; with the streams of people ${all.requests}, since the lookback shows ${all.people} people and both streams read each of them`,
    ],
  };
}

const RESPONSES_OF_A_SURVEY = 20;
const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
/** The default of the connection's `lookback_window`. */
const LOOKBACK_MS = 600_000;

interface QuietSync {
  readonly requests: number;
  /** Different respondents whom the lookback shows: `survey_responses` must be one of the streams. */
  readonly people: number;
}

/** A response a day, each of somebody else. */
const surveyOfStrangers = (survey: number): SurveyOptions => ({
  id: String(survey),
  content: "little",
  responses: Array.from({ length: RESPONSES_OF_A_SURVEY }, (_, number) => ({
    collected_at: new Date(NOW_MS - (number + 1) * DAY_MS - survey).toISOString().replace("Z", "000Z"),
    respondent_uuid: `${survey.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`,
  })),
});

/** The second sync of many surveys, after a first one with the same streams: nothing has come between the two. */
async function quietSync(surveyCount: number, names: readonly StreamName[]): Promise<QuietSync> {
  const clock = createSimulatedClock(NOW_MS);
  const surveys = Array.from({ length: surveyCount }, (_, number) => surveyOfStrangers(number));
  const sandbox = createService({ surveys, latencyMs: 30, clock, limits: { perMinute: false } });
  const states = await sync(new Map());
  const requestsBefore = sandbox.stats.requests;
  const people = new Set<unknown>();
  await sync(states, (record) => people.add(record.respondent_uuid));
  return { requests: sandbox.stats.requests - requestsBefore, people: people.size };

  async function sync(
    before: ReadonlyMap<StreamName, InitialState>,
    onResponse: (record: Readonly<Record<string, unknown>>) => void = () => {},
  ): Promise<Map<StreamName, InitialState>> {
    const client = clientOf(simulatedHost(sandbox, clock), { requestsPerMinute: Number.POSITIVE_INFINITY });
    const after = new Map<StreamName, InitialState>();
    const streams = new Map(names.map((name) => [STREAMS[name], before.get(name)]));
    const surveyIds = surveys.map(({ id }) => id);
    for await (const event of readStreams(client, {
      ...{ surveyIds, respondentUuids: [], streams, lookbackMs: LOOKBACK_MS },
    })) {
      if (event.type === "failure") throw event.error;
      if (event.type === "records" && event.stream === "survey_responses")
        for (const record of event.records) onResponse({ ...record });
      if (event.type === "end")
        after.set(event.stream, parseStreamState(JSON.parse(JSON.stringify(event.state)), event.stream));
    }
    return after;
  }
}
