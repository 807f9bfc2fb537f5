import type { Checked } from "./checked.ts";

const UNITS_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1000];
const LONGEST_MS = 3650 * 86_400_000;

/**
 * An ISO 8601 duration in milliseconds. Only units of a fixed length are accepted. A month has none: the window
 * would depend on the day of the sync.
 */
export function checkLookback(text: string): Checked<number> {
  const parts = /^P(\d{1,9}W)?(\d{1,9}D)?(?:T(\d{1,9}H)?(\d{1,9}M)?(\d{1,9}S)?)?$/.exec(text);
  if (parts === null && /^P[^T]*\d[YM]/.test(text)) {
    return {
      fault:
        "lookback_window counts in months or years, whose length varies. Write it in weeks, days, hours, " +
        "minutes and seconds, like P30D.",
    };
  }
  if (parts === null || !/\d[WDHMS]$/.test(text)) {
    return {
      fault:
        "lookback_window is not an ISO 8601 duration. Write it like PT10M for ten minutes or P1D for a day.",
    };
  }
  const ms = UNITS_MS.reduce(
    (sum, unit, index) => sum + unit * Number.parseInt(parts[index + 1] ?? "0", 10),
    0,
  );
  if (ms > LONGEST_MS) return { fault: "lookback_window is longer than 3650 days. Write a shorter one." };
  return { value: ms };
}
