import { formatTimestamp } from "../time.ts";
import { itemAt } from "./random.ts";
import type { SurveyOptions } from "./survey.ts";

const KINDS = [
  { type: "PageSurvey", name: "After purchase", density: "growing" },
  { type: "WidgetSurvey", name: "Pricing page", density: "even" },
  { type: "MobileSurvey", name: "App rating", density: "bursts" },
  { type: "MessengerSurvey", name: "Support chat", density: "recent" },
] as const;

/** When the responses end, unless told otherwise: the same in each run. */
const END_MS = Date.UTC(2026, 8, 30, 12);
const YEARS_MS = END_MS - Date.UTC(2023, 2, 1);

/** Surveys with years of responses each, up to `endMs`, from respondents who answered several of them. */
export function exampleSurveys(count: number, seed: number, surveys = 4, endMs = END_MS): SurveyOptions[] {
  return Array.from({ length: surveys }, (_, number) => {
    const { type, name, density } = itemAt(KINDS, number);
    const round = Math.floor(number / KINDS.length);
    return {
      id: String(1_001 + number),
      type,
      name: round === 0 ? name : `${name} ${round + 1}`,
      responses: {
        ...{ seed: seed * 1_000 + number, count, density },
        from: formatTimestamp((endMs - YEARS_MS) * 1_000),
        to: formatTimestamp(endMs * 1_000),
        respondents: Math.max(1, Math.ceil(count / 3)),
      },
    };
  });
}
