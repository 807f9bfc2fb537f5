import type { Density, SurveyOptions } from "../sandbox/index.ts";

export const DENSITIES: readonly Density[] = ["even", "growing", "steep", "old", "bursts", "burst", "recent"];
/** Years of responses; the oldest lies near the start. */
export const FROM = "2023-03-01T00:00:00.000000Z";
const TO = "2026-09-30T12:00:00.000000Z";

/** One survey of the sandbox. `little`: responses without answers, if only the pages count. */
export function survey(
  id: string,
  count: number,
  { density = "even", content = "full" }: { density?: Density; content?: "full" | "little" } = {},
): SurveyOptions {
  const seed = 7000 + Number(id);
  const respondents = Math.max(1, Math.ceil(count / 3));
  return { id, content, responses: { seed, count, density, from: FROM, to: TO, respondents } };
}

/** So many surveys. Their ids are 1, 2, 3 and so on. */
export const surveys = (count: number, one: (id: string) => SurveyOptions): SurveyOptions[] =>
  Array.from({ length: count }, (_, place) => one(String(place + 1)));
