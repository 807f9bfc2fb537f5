import { parseTimestamp, type Timestamp } from "@survey-export/core";
import type { Checked } from "./configured-field.ts";

const EXAMPLE = "2024-01-01T00:00:00Z";

/**
 * Why a text without the form's pattern is not a timestamp. A day alone is refused rather than taken for midnight: as an
 * end date it would leave out the day that it names.
 */
export function timestampProblem(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
    ? `is a day without a time. Add the time in UTC, like ${EXAMPLE}.`
    : `is not a timestamp in UTC. Write it like ${EXAMPLE}, with up to six digits after the second.`;
}

/** A date with the form's pattern as a timestamp. */
export function checkTimestamp(text: string): Checked<Timestamp> {
  const value = parseTimestamp(text);
  if (value !== undefined) return { value };
  return { fault: `names a day or a time that does not exist. Write a real one, like ${EXAMPLE}.` };
}
