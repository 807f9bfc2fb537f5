import type { Client, Parse } from "../client/client.ts";
import { SurveyExportError } from "../errors.ts";
import { Outage } from "./outage.ts";

/** Who waits for a slot. People come before pages, so that few of them ever wait. */
type Turn = "person" | "page";

type Answer<T> = { readonly page: T } | { readonly error: SurveyExportError };

/** How long no event may be emitted before the caller is told of it. */
const QUIET_MS = 60_000;

/** The requests of one sync: at most so many at once, ended together, and watched for an outage. */
export class Requests {
  readonly outage: Outage;
  readonly #client: Client;
  readonly #abort = new AbortController();
  readonly #waiting: Readonly<Record<Turn, (() => void)[]>> = { person: [], page: [] };
  #free: number;

  /** `onEnd`: the service has been silent for too long, or refuses every request. */
  constructor(client: Client, onEnd: () => void) {
    this.#client = client;
    this.#free = client.maxConcurrentRequests;
    this.outage = new Outage(client, onEnd);
  }

  /** How many people wait for their turn. */
  get peopleWaiting(): number {
    return this.#waiting.person.length;
  }

  /**
   * Does `work` when a slot is free, and holds it until that has ended: `work` waits until the caller has taken what it
   * brought, so a slow caller slows the requests.
   */
  async inSlot<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting[turn].push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.person.shift() ?? this.#waiting.page.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /**
   * One page, or why it never came. `attempts`: how often it is requested at most.
   *
   * @throws the reason of `stop` once that was called, and SurveyExportError `defect`
   */
  async get<T>(path: string, parse: Parse<T>, attempts = this.outage.attempts): Promise<Answer<T>> {
    const { signal } = this.#abort;
    signal.throwIfAborted();
    try {
      const page = await this.#client.get(path, parse, signal, attempts);
      this.outage.good();
      return { page };
    } catch (thrown) {
      signal.throwIfAborted();
      const error = SurveyExportError.from(thrown);
      if (error.code === "defect") throw error;
      return { error };
    }
  }

  /** Ends the sync if there is an outage, and calls `onQuiet` at the end of each minute without news since `lastMs`. */
  async watch(lastMs: () => number, onQuiet: () => void): Promise<void> {
    const { clock } = this.#client.host;
    for (;;) {
      await clock.sleep(Math.min(QUIET_MS, this.outage.dueInMs), this.#abort.signal);
      this.outage.check();
      if (this.outage.error) return;
      if (clock.monotonicMs() - lastMs() >= QUIET_MS) onQuiet();
    }
  }

  /** Ends all requests with `reason`. */
  stop(reason: unknown): void {
    this.#abort.abort(reason);
  }
}
