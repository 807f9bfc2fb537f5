import type { Patience } from "../client/attempts.ts";
import type { Client, Parse, Reply } from "../client/client.ts";
import { SurveyExportError } from "../errors.ts";
import { type Ledger, reasonOf } from "./failures/ledger.ts";
import type { Silence } from "./failures/silence.ts";

/** Who waits for a slot. Respondents come before pages, so that few of them ever wait; what is spare goes to the others. */
type Queue = "respondent" | "page" | "spare";

/** Attempts of a request on which one respondent depends, or a part of one stream. */
export const ATTEMPTS_OF_A_PART = 4;
/** Attempts of a request that only tries whether something still fails, such as what is asked for a second time. */
export const ATTEMPTS_OF_A_TRY = 2;
/**
 * After so long, a request has two attempts: others come to their turn, and one of them may be good. Without this: if most
 * surveys fail, they hold all slots until the sync ends, and none of the others is read.
 */
const TRYING_MS = 60_000;
/** The second look at what failed ends if so many of its requests fail alike, before any succeeds. */
const FAILED_ALIKE = 10;

/** The requests of one sync: at most so many at once, and ended together. */
export class Requests {
  readonly #client: Client;
  readonly #ledger: Ledger;
  readonly #silence: Silence;
  readonly #abort = new AbortController();
  readonly #waiting: Readonly<Record<Queue, (() => void)[]>> = { respondent: [], page: [], spare: [] };
  /** Slots: as many as the rate limiter lets be in flight. Each is held for longer, see `inSlot`. */
  #free: number;
  /** Of the second look, until a request succeeds or fails otherwise: how many failed, and why. */
  #alike: { readonly reason: string | undefined; readonly count: number } | undefined;

  constructor(client: Client, ledger: Ledger, silence: Silence) {
    this.#client = client;
    this.#ledger = ledger;
    this.#silence = silence;
    this.#free = client.rateLimiter.maxConcurrentRequests;
  }

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Does `work` in a slot. It waits until the caller has taken what it brought, so a slow caller slows the requests. */
  async inSlot<T>(queue: Queue, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting[queue].push(resolve));
    try {
      return await work();
    } finally {
      const { respondent, page, spare } = this.#waiting;
      const next = respondent.shift() ?? page.shift() ?? spare.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** What failed is asked for once more from now on. */
  beginSecondLook(): void {
    this.#alike = { reason: undefined, count: 0 };
  }

  /** Whether the second look meets what the first one has met, so that nothing more is asked for. */
  get isSecondLookOver(): boolean {
    return this.#alike !== undefined && this.#alike.count >= FAILED_ALIKE;
  }

  /**
   * One page, or why it never came. While the service is silent, it is requested twice, unless `patience` says otherwise.
   * @throws the reason of `stop` once that was called, and SurveyExportError `defect`
   */
  async get<T>(path: string, parse: Parse<T>, patience: Patience = {}): Promise<Reply<T>> {
    const { signal } = this;
    signal.throwIfAborted();
    const isSilent = this.#silence.ms >= TRYING_MS;
    const attempts = patience.attempts ?? (isSilent ? ATTEMPTS_OF_A_TRY : undefined);
    const options = { ...patience, attempts };
    const reply = await this.#client.get(path, parse, signal, options).catch((thrown: unknown) => {
      signal.throwIfAborted();
      throw SurveyExportError.from(thrown);
    });
    if ("error" in reply) {
      signal.throwIfAborted();
      this.#failedAlike(reasonOf(reply.error));
    } else {
      this.#ledger.pageCame();
      if (!this.isSecondLookOver) this.#alike = undefined;
    }
    return reply;
  }

  #failedAlike(reason: string): void {
    if (this.#alike === undefined) return;
    const isAlike = this.#alike.reason === undefined || this.#alike.reason === reason;
    this.#alike = isAlike ? { reason, count: this.#alike.count + 1 } : undefined;
  }

  /** Ends all requests with `reason`. */
  stop(reason: unknown): void {
    this.#abort.abort(reason);
  }
}
