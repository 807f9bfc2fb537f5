import {
  type InitialState,
  parseStreamState,
  readStreams,
  STREAMS,
  type StreamName,
} from "@survey-export/core";
import { createService, type SurveyOptions } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/simulation/clock.ts";
import { clientOf, simulatedHost } from "../test/simulation/host.ts";

const RESPONSES_OF_A_SURVEY = 20;
const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
/** The default of the connection's `lookback_window`. */
const LOOKBACK_MS = 600_000;

export interface QuietSync {
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
export async function quietSync(surveyCount: number, names: readonly StreamName[]): Promise<QuietSync> {
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
