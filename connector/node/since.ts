const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

/**
 * When something begins, in epoch milliseconds: a date (its midnight in UTC), or a time in UTC, each of a day that exists.
 * Undefined for anything else: a time of another zone would move the first day.
 */
export function parseSince(text: string): number | undefined {
  if (!DATE.test(text) && !TIME.test(text)) return undefined;
  const ms = Date.parse(text);
  // A date moves days that do not exist to the next month.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10)) ? ms : undefined;
}
