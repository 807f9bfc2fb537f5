declare const brand: unique symbol;

/**
 * A point in time with microseconds, which JavaScript's dates lack (S7): a fixed-width string that `<` compares correctly
 * (`2026-09-30T06:07:52.518975Z`). Only the functions here make one: an arbitrary string does not compile.
 */
export type Timestamp = string & { readonly [brand]: "Timestamp" };

const SECOND = "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d";
const FULL = new RegExp(`^${SECOND}\\.\\d{6}Z$`);
const SHORT = new RegExp(`^(${SECOND})(?:\\.(\\d{0,6}))?Z$`);

/** The timestamp that a string names, or undefined: 0 to 6 fraction digits and `Z` (S7), of a day that exists. */
export function parseTimestamp(text: unknown): Timestamp | undefined {
  if (typeof text !== "string") return undefined;
  if (FULL.test(text)) return isRealDay(text) ? (text as Timestamp) : undefined;
  const match = SHORT.exec(text);
  if (match === null || !isRealDay(text)) return undefined;
  return `${match[1]}.${(match[2] ?? "").padEnd(6, "0")}Z` as Timestamp;
}

/** Whether the month has the day. `text` begins `YYYY-MM-DD`, with a month from 01 to 12 and a day from 01 to 31. */
function isRealDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  // A date moves days that do not exist to the next month.
  return day <= 28 || new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === day;
}

const FIRST = -62_167_219_200_000_000n;
const LAST = 253_402_300_799_999_999n;

function exactMicroseconds(timestamp: Timestamp): bigint {
  return BigInt(Date.parse(`${timestamp.slice(0, 19)}Z`)) * 1000n + BigInt(timestamp.slice(20, 26));
}

function format(microseconds: bigint): Timestamp {
  const inRange = microseconds < FIRST ? FIRST : microseconds > LAST ? LAST : microseconds;
  const fraction = ((inRange % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const milliseconds = (inRange - fraction) / 1000n;
  const seconds = new Date(Number(milliseconds)).toISOString().slice(0, 19);
  return `${seconds}.${fraction.toString().padStart(6, "0")}Z` as Timestamp;
}

/** No timestamp is later. */
export const LATEST = format(LAST);

/** The timestamp `microseconds` later (earlier, if negative): exact, and never outside the years 0000 to 9999. */
export function addMicroseconds(timestamp: Timestamp, microseconds: number): Timestamp {
  return format(exactMicroseconds(timestamp) + BigInt(Math.round(microseconds)));
}

/** Milliseconds since the epoch as a timestamp. */
export function timestampOfMs(epochMs: number): Timestamp {
  return format(BigInt(Math.round(epochMs)) * 1000n);
}

/** The inverse, without what is less than a millisecond. */
export const msOf = (timestamp: Timestamp): number => Date.parse(`${timestamp.slice(0, 23)}Z`);

/** Microseconds from `older` to `newer`, for lengths and densities. */
export function microsecondsBetween(older: Timestamp, newer: Timestamp): number {
  return Number(exactMicroseconds(newer) - exactMicroseconds(older));
}

/** Clocks of one service differ by less. */
const CLOCK_TOLERANCE_MICROSECONDS = 60_000_000;

/** Whether `timestamp` is in the future by more than the clocks of one service differ. */
export const isFarAbove = (timestamp: Timestamp | undefined, present: Timestamp): boolean =>
  timestamp !== undefined && microsecondsBetween(present, timestamp) > CLOCK_TOLERANCE_MICROSECONDS;

export const earlier = (a: Timestamp, b: Timestamp): Timestamp => (a < b ? a : b);
export const later = (a: Timestamp, b: Timestamp): Timestamp => (a > b ? a : b);

/** The later one; undefined counts as earlier than everything. */
export const latest = (a: Timestamp | undefined, b: Timestamp | undefined): Timestamp | undefined =>
  a === undefined ? b : b === undefined ? a : later(a, b);

/** The earlier one; undefined counts as later than everything. */
export const earliest = (a: Timestamp | undefined, b: Timestamp | undefined): Timestamp | undefined =>
  a === undefined ? b : b === undefined ? a : earlier(a, b);

/** Services round their timestamps to seconds, to milliseconds or not at all. In microseconds. */
export const COARSEST_GRAIN = 1_000_000;
const MILLISECOND_MICROSECONDS = 1000;

/** The coarsest unit (a second, a millisecond, a microsecond; in microseconds) of which `timestamp` is a multiple. */
export function grainOf(timestamp: Timestamp): number {
  if (!timestamp.endsWith("000Z")) return 1;
  return timestamp.endsWith("000000Z") ? COARSEST_GRAIN : MILLISECOND_MICROSECONDS;
}

/** The last multiple of `grain` microseconds that is not later than `timestamp`. */
export function roundDown(timestamp: Timestamp, grain: number): Timestamp {
  if (grain === 1) return timestamp;
  const kept = grain === COARSEST_GRAIN ? 20 : 23;
  return `${timestamp.slice(0, kept).padEnd(26, "0")}Z` as Timestamp;
}
