import type { TrueResponse } from "../data/truth.ts";
import type { ActiveFault } from "../faults/plan.ts";
import type { Load } from "../http/limits.ts";
import { BASE_PATH } from "../http/request.ts";
import type { AnsweredRequest } from "../request-handler.ts";
import type { Service, SurveySummary } from "../service.ts";
import type { Clock } from "../time.ts";
import { FAULTS_TO_TRY, type FaultToTry } from "./faults-to-try.ts";

/** Everything that changes on the page. */
export interface PageData {
  readonly basePath: string;
  readonly apiKey: string;
  readonly surveys: readonly SurveySummary[];
  /** Of all surveys, newest first. */
  readonly newest: readonly TrueResponse[];
  readonly load: Load;
  /** Of the last minute, oldest first. */
  readonly seconds: readonly Second[];
  /** Newest first. */
  readonly requests: readonly RecentRequest[];
  readonly faultsToTry: Readonly<Record<string, readonly FaultToTry[]>>;
  readonly activeFaults: readonly ActiveFault[];
}

/** What the page shows now. */
export function pageData(service: Service, recent: RecentRequests): PageData {
  return {
    basePath: BASE_PATH,
    apiKey: service.apiKey,
    surveys: service.surveys,
    newest: service.truth.newest(NEWEST),
    load: service.load,
    seconds: recent.seconds(),
    requests: recent.listed,
    faultsToTry: FAULTS_TO_TRY,
    activeFaults: service.activeFaults,
  };
}

/** One request of the list, with its number since the sandbox started. */
interface RecentRequest extends AnsweredRequest {
  readonly number: number;
}

/** Starts within one second. */
export interface Second {
  readonly answered: number;
  /** By a limit of the service. A 429 of a fault counts as answered. */
  readonly refused: number;
}

const NEWEST = 8;
const LISTED = 50;
const SECONDS = 60;

/** The last requests, and how many started in each second of the last minute. What it keeps is bounded. */
export class RecentRequests {
  readonly #clock: Clock;
  #count = 0;
  /** Oldest first. */
  readonly #last: RecentRequest[] = [];
  readonly #seconds = new Map<number, Second>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(request: AnsweredRequest): void {
    this.#count += 1;
    this.#last.push({ ...request, number: this.#count });
    if (this.#last.length > LISTED) this.#last.shift();
    const at = Math.floor(request.startedAtMs / 1_000);
    if (!this.#seconds.has(at)) this.#forgetBefore(at - 2 * SECONDS);
    const { answered, refused } = this.#seconds.get(at) ?? { answered: 0, refused: 0 };
    const byLimit = request.status === 429 && request.fault === undefined;
    this.#seconds.set(at, byLimit ? { answered, refused: refused + 1 } : { answered: answered + 1, refused });
  }

  #forgetBefore(first: number): void {
    for (const second of this.#seconds.keys()) if (second < first) this.#seconds.delete(second);
  }

  /** Newest first. */
  get listed(): readonly RecentRequest[] {
    return this.#last.toReversed();
  }

  /** The last 60 seconds up to the present one, oldest first. */
  seconds(): Second[] {
    const last = Math.floor(this.#clock.now() / 1_000);
    return Array.from(
      { length: SECONDS },
      (_, place) => this.#seconds.get(last - SECONDS + 1 + place) ?? { answered: 0, refused: 0 },
    );
  }
}
