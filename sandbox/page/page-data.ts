import { BASE_PATH } from "../http/request.ts";
import type { AnsweredRequest, Service } from "../service.ts";
import type { Clock } from "../time.ts";
import { FAULTS_TO_TRY } from "./faults-to-try.ts";

/** Everything that changes on the page, as it is now. */
export const pageData = (service: Service, recent: RecentRequests) => ({
  basePath: BASE_PATH,
  apiKey: service.apiKey,
  surveys: service.surveys,
  /** The newest first, whichever survey they answer. */
  newest: service.truth.newest(8),
  load: service.load,
  /** What came in the last minute, oldest first. */
  seconds: recent.seconds(),
  requests: recent.listed,
  faultsToTry: FAULTS_TO_TRY,
  activeFaults: service.activeFaults,
});

/** Starts within one second. */
interface Second {
  readonly answered: number;
  /** By a limit of the service. A 429 of a fault counts as answered. */
  readonly refused: number;
}

const NONE: Second = { answered: 0, refused: 0 };
const LISTED = 50;
const SECONDS = 60;

/** The last requests, and how many started in each second of the last minute. What it keeps is bounded. */
export class RecentRequests {
  readonly #clock: Clock;
  #count = 0;
  readonly #seconds = new Map<number, Second>();
  /** Newest first, with their numbers since the sandbox started. */
  listed: readonly (AnsweredRequest & { readonly number: number })[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(request: AnsweredRequest): void {
    this.#count += 1;
    this.listed = [{ ...request, number: this.#count }, ...this.listed.slice(0, LISTED - 1)];
    const at = Math.floor(request.startedAtMs / 1_000);
    const { answered, refused } = this.#seconds.get(at) ?? NONE;
    const byLimit = request.status === 429 && request.fault === undefined;
    this.#seconds.set(at, byLimit ? { answered, refused: refused + 1 } : { answered: answered + 1, refused });
    for (const second of this.#seconds.keys()) if (second < at - 2 * SECONDS) this.#seconds.delete(second);
  }

  /** The last 60 seconds up to the present one, oldest first. */
  seconds(): Second[] {
    const first = Math.floor(this.#clock.now() / 1_000) - SECONDS + 1;
    return Array.from({ length: SECONDS }, (_, place) => this.#seconds.get(first + place) ?? NONE);
  }
}
