import {
  type Clock,
  fixed,
  type Pause,
  type StateSnapshot,
  type StreamName,
  type SurveyExportError,
  say,
  withCode,
} from "@survey-export/core";
import type { SyncMode } from "./generated/protocol.ts";
import type { MessageWriter } from "./message-writer.ts";

/** A state is due after this many records or milliseconds: a kill costs little, and the destination is not flooded. */
const STATE_EVERY_RECORDS = 1000;
const STATE_EVERY_MS = 2000;
/**
 * A state is written at least this often while nothing changes: only records and states count as a sign of life, and
 * platforms end a sync without one (Airbyte after 3 hours).
 */
const REPEAT_STATE_MS = 60_000;
/** Errors of one stream that become a TRACE. Further ones are only logged, since platforms show each TRACE. */
const MOST_ERRORS = 10;

/** The messages of one stream, in the order that the platform demands. */
export class StreamOutput {
  readonly #name: StreamName;
  readonly #isFullRefresh: boolean;
  readonly #writer: MessageWriter;
  readonly #clock: Clock;
  #state: StateSnapshot | undefined;
  /** The last state that was written, or that the stream began with. `text`: before a counter made it differ. */
  #written: { state: StateSnapshot | undefined; text: string | undefined; atMs: number };
  #recordsSince = 0;
  #repeats = 0;
  #rateLimitedUntilMs: number | undefined;
  /** The first sentences that were written. One fault of the service can fail every page with the same sentence. */
  readonly #writtenErrors = new Set<string>();
  #isOver = false;

  constructor(name: StreamName, syncMode: SyncMode, writer: MessageWriter, clock: Clock) {
    this.#name = name;
    this.#isFullRefresh = syncMode === "full_refresh";
    this.#writer = writer;
    this.#clock = clock;
    this.#written = { state: undefined, text: undefined, atMs: clock.monotonicMs() };
  }

  /** `state`: what the stream begins with. It is written only while nothing else is, or as the last state. */
  async started(state: StateSnapshot): Promise<void> {
    this.#state = state;
    this.#written.state = state;
    await this.#writer.status(this.#name, "STARTED");
    await this.#writer.status(this.#name, "RUNNING");
  }

  /** `count` records have been written, and `state` covers them. */
  async delivered(count: number, state: StateSnapshot): Promise<void> {
    this.#recordsSince += count;
    this.#state = state;
    if (this.#rateLimitedUntilMs !== undefined) await this.#writer.status(this.#name, "RUNNING");
    this.#rateLimitedUntilMs = undefined;
    const isDue = this.#recordsSince >= STATE_EVERY_RECORDS || this.#sinceWrittenMs >= STATE_EVERY_MS;
    if (isDue) await this.#writeIfNews();
  }

  /** No records come for a while. */
  async waiting(pause: Pause | undefined): Promise<void> {
    const nowMs = this.#clock.now();
    const isNews = this.#rateLimitedUntilMs === undefined || nowMs >= this.#rateLimitedUntilMs;
    if (pause?.reason === "rate_limited" && isNews) {
      this.#rateLimitedUntilMs = pause.untilMs;
      await this.#writer.status(this.#name, "RUNNING", {
        type: "RATE_LIMITED",
        rate_limited: { quota_reset: Math.round(pause.untilMs) },
      });
    }
    await this.#writeIfNews();
  }

  /** Writes nothing if the same sentence was written before. */
  async failed(error: SurveyExportError): Promise<void> {
    if (this.#writtenErrors.has(error.message)) return;
    if (this.#writtenErrors.size < MOST_ERRORS) {
      this.#writtenErrors.add(error.message);
      await this.#writer.error(error, this.#name);
    } else await this.#writer.log("ERROR", withCode(say`${fixed(this.#name)}: ${error.whole}`, error.code));
  }

  async ended(state: StateSnapshot, isComplete: boolean): Promise<void> {
    this.#isOver = true;
    await this.#write(state, this.#textOf(state, isComplete));
    await this.#writer.status(this.#name, isComplete ? "COMPLETE" : "INCOMPLETE");
  }

  /** The run ends here: writes the last state, from which the next run resumes. */
  async interrupted(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#writeIfNews(this.#recordsSince > 0);
    await this.#writer.status(this.#name, "INCOMPLETE");
  }

  /** Writes the state if it is news, or if it `mustCome`, by default after some time. Its text is made once: it may be large. */
  async #writeIfNews(mustCome = this.#sinceWrittenMs >= REPEAT_STATE_MS): Promise<void> {
    const state = this.#state;
    if (state === undefined || (state === this.#written.state && !mustCome)) return;
    const text = this.#textOf(state, false);
    if (mustCome || text !== this.#written.text) await this.#write(state, text);
  }

  /**
   * Destinations refuse two equal states with records between them. If the state is the one before, a counter makes the
   * difference; reading a state ignores it.
   */
  async #write(state: StateSnapshot, text: string): Promise<void> {
    const count = this.#recordsSince;
    const isRepeated = text === this.#written.text && count > 0;
    this.#written = { state, text, atMs: this.#clock.monotonicMs() };
    this.#recordsSince = 0;
    const written = isRepeated
      ? JSON.stringify({ ...(JSON.parse(text) as object), repeats: ++this.#repeats })
      : text;
    await this.#writer.state(this.#name, written, count);
  }

  /** `isFinished`: of the last state of a complete stream. Until then, a full refresh says that it can be resumed. */
  #textOf(state: StateSnapshot, isFinished: boolean): string {
    return JSON.stringify(
      this.#isFullRefresh && !isFinished ? { ...state.toJSON(), full_refresh: true } : state,
    );
  }

  get #sinceWrittenMs(): number {
    return this.#clock.monotonicMs() - this.#written.atMs;
  }
}
