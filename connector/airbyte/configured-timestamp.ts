import { parseTimestamp, type Timestamp } from "@survey-export/core";
import type { Checked } from "./checked.ts";

const EXAMPLE = "2024-01-01T00:00:00Z";

/**
 * A date of the configuration as a timestamp. A day alone is refused rather than taken for midnight: as an end date it
 * would leave out the day that it names.
 */
export function checkTimestamp(field: string, text: string): Checked<Timestamp> {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    return { fault: `${field} is a day without a time. Add the time in UTC, like ${EXAMPLE}.` };
  }
  const parts = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z$/.exec(text);
  if (parts === null) {
    return {
      fault: `${field} is not a timestamp in UTC. Write it like ${EXAMPLE}, with up to six digits after the second.`,
    };
  }
  const [, seconds = ""] = parts;
  const date = new Date(`${seconds}Z`);
  if (Number.isNaN(date.valueOf()) || !date.toISOString().startsWith(seconds)) {
    return {
      fault: `${field} names a day or a time that does not exist. Write a real one, like ${EXAMPLE}.`,
    };
  }
  return { value: parseTimestamp(text)! };
}
