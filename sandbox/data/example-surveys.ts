import { formatTimestamp } from "../time.ts";
import type { Density } from "./generated.ts";
import { itemAt } from "./random.ts";
import type { SurveyOptions } from "./survey.ts";
import { SURVEY_IDS } from "./survey-ids.ts";

const NEW_YEAR = "2023-01-01T00:00:00+01:00";

/** The last two are disabled, with few responses, and a draft without any. */
const KINDS: readonly (Omit<SurveyOptions, "id" | "responses"> & { density: Density; most?: number })[] = [
  { type: "PageSurvey", name: "After purchase", density: "growing" },
  {
    ...{ type: "WidgetSurvey", name: "Pricing page", density: "even" },
    launch: { start_at: NEW_YEAR, end_at: null, responses_limit: 1_000_000 },
  },
  { type: "MobileSurvey", name: "App rating", density: "bursts" },
  { type: "MessengerSurvey", name: "Support chat", density: "recent" },
  {
    ...{ type: "FeedbackSurvey", name: "Old website", density: "old", most: 10, enabled: false },
    launch: { start_at: NEW_YEAR, end_at: "2023-07-01T00:00:00+02:00", responses_limit: null },
  },
  { type: "IntercomSurvey", name: "Exit survey (draft)", density: "even", most: 0 },
];

/** When the responses end, unless told otherwise: the same in each run. */
const END_MS = Date.UTC(2026, 8, 30, 12);
const YEARS_MS = END_MS - Date.UTC(2023, 2, 1);

/**
 * Up to six surveys, with years of responses up to `endMs` from respondents who answered several of them. Four have
 * this many responses.
 */
export function exampleSurveys(count: number, seed: number, surveys = 6, endMs = END_MS): SurveyOptions[] {
  return KINDS.slice(0, surveys).map(({ density, most = count, ...options }, number) => ({
    ...{ id: itemAt(SURVEY_IDS, number), ...options },
    responses: {
      ...{ seed: seed * 1_000 + number, count: Math.min(count, most), density },
      from: formatTimestamp((endMs - YEARS_MS) * 1_000),
      to: formatTimestamp(endMs * 1_000),
      respondents: Math.max(1, Math.ceil(count / 3)),
    },
  }));
}
