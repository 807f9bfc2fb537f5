import type { Checked } from "./configured-field.ts";

const UNITS_MS: Readonly<Record<string, number>> = {
  W: 604_800_000,
  D: 86_400_000,
  H: 3_600_000,
  M: 60_000,
  S: 1000,
};
const LONGEST_MS = 3650 * 86_400_000;

/** Why a text is not an ISO 8601 duration in units of a fixed length. */
export function lookbackProblem(text: string): string {
  return /^P[^T]*\d[YM]/.test(text)
    ? "counts in months or years, whose length varies. Write it in weeks, days, hours, minutes and seconds, like P30D."
    : "is not an ISO 8601 duration. Write it like PT10M for ten minutes or P1D for a day.";
}

/**
 * A duration with the form's pattern, in milliseconds. Only units of a fixed length are accepted. A month has none: the
 * window would depend on the day of the sync.
 */
export function checkLookback(text: string): Checked<number> {
  if (!/\d[WDHMS]$/.test(text)) return { fault: lookbackProblem(text) };
  const parts = [...text.matchAll(/(\d{1,9})([WDHMS])/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit!]!, 0);
  if (ms > LONGEST_MS) return { fault: "is longer than 3650 days. Write a shorter one." };
  return { value: ms };
}
