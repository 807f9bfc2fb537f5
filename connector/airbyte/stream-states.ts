import type { Clock, StateSnapshot, StreamName } from "@survey-export/core";
import type { SyncMode } from "./generated/protocol.ts";
import type { MessageWriter } from "./message-writer.ts";

/** A state is due after this many records or milliseconds: a kill costs little, and the destination is not flooded. */
const STATE_EVERY_RECORDS = 1000;
const STATE_EVERY_MS = 2000;
/**
 * A state is written at least this often while nothing changes: only records and states count as a sign of life, and
 * a platform may end a sync without one (Airbyte Cloud after 3 hours).
 */
const REPEAT_STATE_MS = 60_000;

/** The states of one stream: when each is written, and how many records it counts. */
export class StreamStates {
  readonly #name: StreamName;
  readonly #isFullRefresh: boolean;
  readonly #writer: MessageWriter;
  readonly #clock: Clock;
  #latest: StateSnapshot | undefined;
  /** The last one that was written, with its text before a counter made it differ; or the one that the stream began with. */
  #written: { state: StateSnapshot | undefined; text: string | undefined; atMs: number; repeats: number };
  #recordsSince = 0;

  constructor(name: StreamName, syncMode: SyncMode, writer: MessageWriter, clock: Clock) {
    this.#name = name;
    this.#isFullRefresh = syncMode === "full_refresh";
    this.#writer = writer;
    this.#clock = clock;
    this.#written = { state: undefined, text: undefined, atMs: clock.monotonicMs(), repeats: 0 };
  }

  /** `state`: what the stream begins with. It is written only while nothing else is, or as the last state. */
  began(state: StateSnapshot): void {
    this.#latest = state;
    this.#written.state = state;
  }

  /** `count` records have been written, and `state` covers them. */
  async delivered(count: number, state: StateSnapshot): Promise<void> {
    this.#recordsSince += count;
    this.#latest = state;
    const isDue = this.#recordsSince >= STATE_EVERY_RECORDS || this.#sinceWrittenMs >= STATE_EVERY_MS;
    if (isDue) await this.writeIfNews();
  }

  /** The last state of a stream that was read to its end. */
  ended(state: StateSnapshot, isComplete: boolean): Promise<void> {
    return this.#write(state, this.#textOf(state, isComplete));
  }

  /** The last state of a read that ends early. */
  interrupted(): Promise<void> {
    return this.writeIfNews(this.#recordsSince > 0);
  }

  /**
   * Writes the state if it is another one, or if it `mustCome`, by default after some time. Its text may be large: it is made
   * once, and only if it is written, so that the time of a quiet sync of thousands of surveys does not go into comparing texts.
   */
  async writeIfNews(mustCome = this.#sinceWrittenMs >= REPEAT_STATE_MS): Promise<void> {
    const state = this.#latest;
    const isWritten = state === this.#written.state;
    if (state === undefined || (isWritten && !mustCome)) return;
    await this.#write(state, (isWritten && this.#written.text) || this.#textOf(state, false));
  }

  /**
   * Destinations refuse two equal states with records between them. If the state is the one before, a counter makes the
   * difference; reading a state ignores it.
   */
  async #write(state: StateSnapshot, text: string): Promise<void> {
    const count = this.#recordsSince;
    const isRepeated = text === this.#written.text && count > 0;
    const repeats = this.#written.repeats + Number(isRepeated);
    this.#written = { state, text, atMs: this.#clock.monotonicMs(), repeats };
    this.#recordsSince = 0;
    const written = isRepeated ? JSON.stringify({ ...(JSON.parse(text) as object), repeats }) : text;
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
