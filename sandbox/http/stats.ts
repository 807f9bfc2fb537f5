import { MinuteWindow } from "./limits.ts";
import type { Endpoint } from "./request.ts";

/** Counts since the service started or its stats were reset. */
export interface Stats {
  readonly requests: number;
  /** Requests with a path of the API, by endpoint, refused ones included. */
  readonly byEndpoint: Readonly<Record<Endpoint, number>>;
  /** By path below the origin, without the query. After 100,000 paths, new ones count under "(others)". */
  readonly byPath: Readonly<Record<string, number>>;
  /** By status. Requests that got no status, such as a reset, count under 0. */
  readonly byStatus: Readonly<Record<number, number>>;
  /** The most requests that were unanswered at once, refused ones included. */
  readonly maxConcurrent: number;
  /** The most starts in any 60 seconds, refused ones included. */
  readonly maxStartsPerMinute: number;
  readonly tooManyConcurrent: number;
  readonly tooManyPerMinute: number;
  /** Requests that a client which knows the API would not send. The first 100 are listed. */
  readonly malformed: number;
  readonly malformedRequests: readonly { readonly url: string; readonly problem: string }[];
  /** Requests without a key or with a wrong one. */
  readonly unauthorized: number;
  readonly faults: number;
  /** By the fault's name or kind. */
  readonly byFault: Readonly<Record<string, number>>;
  /** Items in answers with status 200, before faults were applied. */
  readonly items: number;
}

const MAX_PATHS = 100_000;
const MAX_PROBLEMS = 100;

/** Counts requests. `read` gives a copy of the counts. */
export class StatsCounter {
  #requests = 0;
  #byEndpoint: Record<Endpoint, number> = {
    ...{ survey_responses: 0, respondent_responses: 0, respondent_attributes: 0 },
  };
  #byPath = new Map<string, number>();
  #byStatus = new Map<number, number>();
  #byFault = new Map<string, number>();
  #maxConcurrent = 0;
  #maxStarts = 0;
  #window = new MinuteWindow();
  #problems: { url: string; problem: string }[] = [];
  #malformed = 0;
  tooManyConcurrent = 0;
  tooManyPerMinute = 0;
  unauthorized = 0;
  items = 0;

  started(path: string, nowMs: number, inFlight: number): void {
    this.#requests += 1;
    const known = this.#byPath.has(path) || this.#byPath.size < MAX_PATHS;
    increase(this.#byPath, known ? path : "(others)");
    this.#window.add(nowMs);
    this.#maxStarts = Math.max(this.#maxStarts, this.#window.count(nowMs));
    this.#maxConcurrent = Math.max(this.#maxConcurrent, inFlight);
  }

  routed(endpoint: Endpoint): void {
    this.#byEndpoint[endpoint] += 1;
  }

  answered(status: number): void {
    increase(this.#byStatus, status);
  }

  faulted(name: string): void {
    increase(this.#byFault, name);
  }

  /** Counts a request as malformed. The caller reports each request once. */
  reported(url: string, problem: string): void {
    this.#malformed += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ url, problem });
  }

  read(): Stats {
    return {
      requests: this.#requests,
      byEndpoint: { ...this.#byEndpoint },
      byPath: Object.fromEntries(this.#byPath),
      byStatus: Object.fromEntries(this.#byStatus),
      maxConcurrent: this.#maxConcurrent,
      maxStartsPerMinute: this.#maxStarts,
      tooManyConcurrent: this.tooManyConcurrent,
      tooManyPerMinute: this.tooManyPerMinute,
      malformed: this.#malformed,
      malformedRequests: [...this.#problems],
      unauthorized: this.unauthorized,
      faults: [...this.#byFault.values()].reduce((sum, count) => sum + count, 0),
      byFault: Object.fromEntries(this.#byFault),
      items: this.items,
    };
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
