import type { Checked } from "./checked.ts";

const example = "2024-01-01T00:00:00Z";

/**
 * A date of the configuration with all six digits after the second, so that two of them compare as text.
 * A day alone is refused rather than taken for midnight: as an end date it would leave out the day it names.
 */
export function checkMoment(field: string, text: string): Checked<string> {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    return { fault: `${field} is a day without a time. Add the time in UTC, like ${example}.` };
  }
  const parts = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z$/.exec(text);
  if (parts === null) {
    return {
      fault: `${field} is not a moment in UTC. Write it like ${example}, with up to six digits after the second.`,
    };
  }
  const [, seconds = "", fraction = ""] = parts;
  const date = new Date(`${seconds}Z`);
  if (Number.isNaN(date.valueOf()) || !date.toISOString().startsWith(seconds)) {
    return {
      fault: `${field} names a day or a time that does not exist. Write a real one, like ${example}.`,
    };
  }
  return { value: `${seconds}.${fraction.padEnd(6, "0")}Z` };
}
