/**
 * Points in time with microseconds, as fixed-width text (`2026-09-30T06:07:52.518975Z`), which compares
 * correctly with `<`. JavaScript's dates stop at milliseconds and would merge neighbours (S7).
 */
export type Moment = string;

const SECOND = "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d";
const FULL = new RegExp(`^${SECOND}\\.\\d{6}Z$`);
const SHORT = new RegExp(`^(${SECOND})(?:\\.(\\d{0,6}))?Z$`);

/** The moment a text names, or undefined. Accepts 0 to 6 fraction digits and `Z`, nothing else (S7). */
export function parseMoment(text: unknown): Moment | undefined {
  if (typeof text !== "string") return undefined;
  if (text.length === 27 && FULL.test(text)) return text;
  const parts = SHORT.exec(text);
  return parts ? `${parts[1]}.${(parts[2] ?? "").padEnd(6, "0")}Z` : undefined;
}

const FIRST = -62_167_219_200_000_000n;
const LAST = 253_402_300_799_999_999n;

function exactMicroseconds(moment: Moment): bigint {
  return BigInt(Date.parse(`${moment.slice(0, 19)}Z`)) * 1000n + BigInt(moment.slice(20, 26));
}

function format(microseconds: bigint): Moment {
  const inside = microseconds < FIRST ? FIRST : microseconds > LAST ? LAST : microseconds;
  const fraction = ((inside % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = (inside - fraction) / 1000n;
  return `${new Date(Number(seconds)).toISOString().slice(0, 19)}.${fraction.toString().padStart(6, "0")}Z`;
}

/** The moment `microseconds` later (earlier, if negative), exact, and never outside the years 0000 to 9999. */
export function addMicroseconds(moment: Moment, microseconds: number): Moment {
  return format(exactMicroseconds(moment) + BigInt(Math.round(microseconds)));
}

/** Microseconds from `older` to `newer`: exact enough for lengths and densities, not for arithmetic on moments. */
export function microsecondsBetween(older: Moment, newer: Moment): number {
  return Number(exactMicroseconds(newer) - exactMicroseconds(older));
}

export const earlier = (a: Moment, b: Moment): Moment => (a < b ? a : b);
export const later = (a: Moment, b: Moment): Moment => (a > b ? a : b);
