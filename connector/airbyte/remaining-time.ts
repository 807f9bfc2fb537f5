/** How far a sync was at a moment. */
export interface Moment {
  /** Monotonic milliseconds. */
  readonly atMs: number;
  /** Requests that were sent until then. */
  readonly requests: number;
  /** Responses that had come. */
  readonly responses: number;
  /** Lists of respondents that a response has led to, and that were not read yet. */
  readonly waiting: number;
}

/** With less to go by, nothing is said. */
const SHORTEST_MS = 10_000;
const FEWEST_REQUESTS = 10;

/**
 * About how many milliseconds a sync will go on; undefined if too little is known.
 *
 * It goes by what happened between two moments: how many requests each response has cost (its part of a page, and the people
 * whom nobody had asked for yet), and how many requests were sent a minute. The later responses lead to fewer new people, so
 * this is rather too long than too short. `about`: how many responses there are. `requestsPerMinute`: the limit, since a sync
 * sends a minute's requests at once and then waits.
 *
 * @example 100 of 400 responses cost 60 requests in 12 s, and 20 people wait: 20 and 0.8 × 300 requests, at 5 a second
 */
export function remainingMs(
  before: Moment,
  now: Moment,
  about: number,
  requestsPerMinute: number,
): number | undefined {
  const tookMs = now.atMs - before.atMs;
  const sent = now.requests - before.requests;
  const responses = now.responses - before.responses;
  if (tookMs < SHORTEST_MS || sent < FEWEST_REQUESTS || responses <= 0) return undefined;
  const perResponse = Math.max(0, sent + now.waiting - before.waiting) / responses;
  const requests = now.waiting + Math.max(0, about - now.responses) * perResponse;
  const perMs = Math.min(sent / tookMs, requestsPerMinute / 60_000);
  return requests / perMs;
}
