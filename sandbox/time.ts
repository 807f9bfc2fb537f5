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
export function formatTimestamp(micros: number): string {
  const milliseconds = Math.floor(micros / 1_000);
  const rest = String(micros - milliseconds * 1_000).padStart(3, "0");
  return new Date(milliseconds).toISOString().replace("Z", `${rest}Z`);
}

const TIMESTAMP_PATTERN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/;

/** The microseconds of a written timestamp, or undefined if it is not one with six fraction digits. */
export function parseTimestamp(text: string): number | undefined {
  const [, second = "", fraction = ""] = TIMESTAMP_PATTERN.exec(text) ?? [];
  const ms = Date.parse(`${second}Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== second) return undefined;
  return ms * 1_000 + Number(fraction);
}

/** Like `parseTimestamp`, for options of the sandbox's user: throws a sentence instead. */
export function requireTimestamp(text: string, where: string): number {
  const micros = parseTimestamp(text);
  if (micros === undefined) {
    throw new Error(`${where} is "${text}"; write it like 2026-01-31T12:00:00.000000Z.`);
  }
  return micros;
}
