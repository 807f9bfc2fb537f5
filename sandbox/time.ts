/** Time as the sandbox sees it, in milliseconds since the epoch. The caller passes it in, so that tests control it. */
export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds; rejects once the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that stands still, later than all example data, and sleeps in no time. */
export const stillClock: Clock = {
  now: () => Date.UTC(2027, 0, 1),
  sleep: async () => {},
};

/**
 * Timestamps are whole microseconds since the epoch, as a number: exact until the year 2255. A `Date` has only
 * milliseconds and would merge timestamps that the service keeps apart.
 */

/** How many fraction digits a timestamp is written with. `shortest` drops trailing zeros. */
export type Fraction = "micros" | "millis" | "seconds" | "shortest";

const RESOLUTION_MICROS: Record<Fraction, number> = {
  micros: 1,
  millis: 1_000,
  seconds: 1_000_000,
  shortest: 1,
};

/** The smallest step, in microseconds, that a service writing this fraction can distinguish. */
export const resolutionOf = (fraction: Fraction): number => RESOLUTION_MICROS[fraction];

/** The last multiple of a step that is not later. */
export const roundedDown = (micros: number, step: number): number => Math.floor(micros / step) * step;

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
const DAY_SECONDS = 86_400;
let rememberedDay = Number.NaN;
let rememberedDate = "";

/** `YYYY-MM-DDTHH:MM:SS`, the fraction, `Z`. Neighbours in a list often share their day, so the last one is remembered. */
export function formatTimestamp(micros: number, fraction: Fraction = "micros"): string {
  const second = Math.floor(micros / 1_000_000);
  const day = Math.floor(second / DAY_SECONDS);
  if (day !== rememberedDay) {
    rememberedDay = day;
    rememberedDate = new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
  }
  const time = second - day * DAY_SECONDS;
  const clock = `${TWO_DIGITS[Math.floor(time / 3_600)]}:${TWO_DIGITS[Math.floor(time / 60) % 60]}:${TWO_DIGITS[time % 60]}`;
  return `${rememberedDate}T${clock}${fractionOf(micros - second * 1_000_000, fraction)}Z`;
}

function fractionOf(micros: number, fraction: Fraction): string {
  if (fraction === "seconds") return "";
  const digits = String(micros + 1_000_000).slice(1);
  if (fraction === "micros") return `.${digits}`;
  if (fraction === "millis") return `.${digits.slice(0, 3)}`;
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "" : `.${kept}`;
}

const TIMESTAMP_PATTERN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/;

/** The microseconds of a written timestamp, or undefined if it is not one. Strict: exactly six fraction digits. */
export function parseTimestamp(text: string, rigour: "strict" | "lenient" = "lenient"): number | undefined {
  const match = TIMESTAMP_PATTERN.exec(text);
  const [, second = "", fraction = ""] = match ?? [];
  if (match === null || (rigour === "strict" && fraction.length !== 6)) return undefined;
  const ms = Date.parse(`${second}Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== second) return undefined;
  return ms * 1_000 + Number(fraction.padEnd(6, "0"));
}

/** Like `parseTimestamp`, for options of the sandbox's user: throws a sentence instead. */
export function requireTimestamp(text: string, where: string): number {
  const micros = parseTimestamp(text);
  if (micros === undefined) {
    throw new Error(`${where} is "${text}"; write it like 2026-01-31T12:00:00.000000Z.`);
  }
  return micros;
}
