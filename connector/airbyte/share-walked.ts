import type { StreamState } from "@survey-export/core";
import type { Selection } from "./configuration.ts";

/**
 * How much of the wanted time range the streams cover, 0 to 1: of each survey from the start date to the newest
 * response seen, the mean over surveys and streams. Undefined without a start date, since nobody knows how far
 * back the lists go. For people: dates of milliseconds will do.
 */
export function shareWalked(
  states: readonly StreamState[],
  { startDate, surveyIds }: Selection,
): number | undefined {
  if (startDate === undefined || states.length === 0 || surveyIds.length === 0) return undefined;
  const startMs = Date.parse(startDate);
  let sum = 0;
  for (const { surveys } of states) {
    for (const id of surveyIds) {
      // A survey may be named as a property that every object has.
      const spans = Object.hasOwn(surveys, id) ? surveys[id]! : [];
      const newestMs = Date.parse(spans.at(-1)?.[1] ?? startDate);
      const coveredMs = spans.reduce((total, [older, newer]) => {
        const fromMs = older === null ? startMs : Math.max(startMs, Date.parse(older));
        return total + Math.max(0, Date.parse(newer) - fromMs);
      }, 0);
      sum += newestMs > startMs ? coveredMs / (newestMs - startMs) : 0;
    }
  }
  return sum / (states.length * surveyIds.length);
}
