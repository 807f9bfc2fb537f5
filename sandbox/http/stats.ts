import { ENDPOINTS, type Endpoint } from "./request.ts";

/** Counts since the service started or its stats were reset. */
export interface Stats {
  requests: number;
  /** Requests with a path of the API, by endpoint, refused ones included. */
  readonly byEndpoint: Record<Endpoint, number>;
  /** By path below the origin, without the query. */
  readonly byPath: Record<string, number>;
  /** By status. Requests that got no status, such as a reset, count under 0. */
  readonly byStatus: Record<number, number>;
  /** The most requests that were unanswered at once, refused ones included. */
  maxConcurrent: number;
  /** The most starts in any 60 seconds that counted towards the limit. */
  maxStartsPerMinute: number;
  tooManyConcurrent: number;
  tooManyPerMinute: number;
  /** Requests that a client which knows the API would not send. */
  malformed: number;
  readonly malformedRequests: { readonly url: string; readonly problem: string }[];
  /** Requests that a fault changed. */
  faults: number;
  /** Items in answers with status 200, before faults were applied. */
  items: number;
}

/** Nothing counted yet. */
export const noStats = (): Stats => ({
  requests: 0,
  byEndpoint: Object.fromEntries(ENDPOINTS.map((name) => [name, 0])) as Record<Endpoint, number>,
  byPath: {},
  byStatus: {},
  maxConcurrent: 0,
  maxStartsPerMinute: 0,
  tooManyConcurrent: 0,
  tooManyPerMinute: 0,
  malformed: 0,
  malformedRequests: [],
  faults: 0,
  items: 0,
});

/** Counts one more under a key. */
export function increase<Key extends string | number>(counts: Record<Key, number>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
