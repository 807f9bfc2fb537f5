import { counted, type Message, say } from "@survey-export/core";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** From so many minutes on, hours are told. */
const MOST_MINUTES = 120;

/** A time that is only estimated, rounded up: "less than a minute", "about 12 minutes", "about 3 hours". */
export function aboutHowLong(ms: number): Message {
  if (ms < MINUTE_MS) return say`less than a minute`;
  const minutes = Math.ceil(ms / MINUTE_MS);
  if (minutes < MOST_MINUTES) return say`about ${counted(minutes, say`minute`, say`minutes`)}`;
  return say`about ${Math.ceil(ms / HOUR_MS)} hours`;
}
