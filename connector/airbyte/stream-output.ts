import type { Clock, Pause, StateSnapshot, StreamName } from "@survey-export/core";
import type { SyncMode } from "./generated/protocol.ts";
import type { MessageWriter } from "./message-writer.ts";
import { StreamEstimate } from "./stream-estimate.ts";
import { StreamStates } from "./stream-states.ts";

/** The messages of one stream, in the order that the platform demands. */
export class StreamOutput {
  readonly #name: StreamName;
  readonly #writer: MessageWriter;
  readonly #clock: Clock;
  readonly #states: StreamStates;
  readonly #estimate: StreamEstimate;
  #rateLimitedUntilMs: number | undefined;
  #isOver = false;

  constructor(name: StreamName, syncMode: SyncMode, writer: MessageWriter, clock: Clock) {
    this.#name = name;
    this.#writer = writer;
    this.#clock = clock;
    this.#states = new StreamStates(name, syncMode, writer, clock);
    this.#estimate = new StreamEstimate(name, writer);
  }

  /** `state`: what the stream begins with. */
  async started(state: StateSnapshot): Promise<void> {
    this.#states.began(state);
    await this.#writer.status(this.#name, "STARTED");
    await this.#writer.status(this.#name, "RUNNING");
  }

  /** The stream will have about so many records. */
  expects(records: number): Promise<void> {
    return this.#estimate.expects(records);
  }

  /** `count` records have been written, with so many bytes of JSON, and `state` covers them. */
  async delivered(count: number, bytes: number, state: StateSnapshot): Promise<void> {
    if (this.#rateLimitedUntilMs !== undefined) await this.#writer.status(this.#name, "RUNNING");
    this.#rateLimitedUntilMs = undefined;
    await this.#estimate.delivered(count, bytes);
    await this.#states.delivered(count, state);
  }

  /** No records come for a while. A stream that has ended says nothing more: Airbyte would forget that it is complete. */
  async waiting(pause: Pause | undefined): Promise<void> {
    if (this.#isOver) return;
    const nowMs = this.#clock.now();
    const isNews = this.#rateLimitedUntilMs === undefined || nowMs >= this.#rateLimitedUntilMs;
    if (pause?.reason === "rate_limited" && isNews) {
      // Airbyte ignores the time of a second pause without RUNNING between them (`trackStream` in `StreamStatusTracker.kt`).
      if (this.#rateLimitedUntilMs !== undefined) await this.#writer.status(this.#name, "RUNNING");
      this.#rateLimitedUntilMs = pause.untilMs;
      await this.#writer.status(this.#name, "RUNNING", {
        type: "RATE_LIMITED",
        rate_limited: { quota_reset: Math.round(pause.untilMs) },
      });
    }
    await this.#states.writeIfNews();
  }

  async ended(state: StateSnapshot, isComplete: boolean): Promise<void> {
    this.#isOver = true;
    await this.#states.ended(state, isComplete);
    await this.#writer.status(this.#name, isComplete ? "COMPLETE" : "INCOMPLETE");
  }

  /** The run ends here: writes the last state, from which the next run resumes, unless records that it covers may be missing. */
  async interrupted(areAllWritten: boolean): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    if (areAllWritten) await this.#states.interrupted();
    await this.#writer.status(this.#name, "INCOMPLETE");
  }
}
