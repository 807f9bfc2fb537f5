import { type Timestamp, timestampOfMs } from "../coverage/timestamp.ts";
import type { Clock } from "../ports.ts";

/** When a request was sent: by the host's monotonic clock, and by its wall clock. */
export interface Sent {
  readonly atMs: number;
  readonly wallMs: number;
}

/** The service's clock is believed to this precision: its `Date` header has whole seconds. */
const PRESENT_SLACK_MS = 1000;

/** The service's own time, by the `Date` headers of its responses (S12). */
export class ServiceClock {
  readonly #clock: Clock;
  /** How far the service's clock, by the last `Date` header, is ahead of the monotonic one. */
  #aheadMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * A response came. `dateMs`: its `Date` header, in epoch milliseconds, NaN without one.
   * @returns the service's present when it was asked, since it may date a page long after it was made
   */
  dated({ atMs, wallMs }: Sent, dateMs: number): { readonly present: Timestamp; readonly isDated: boolean } {
    const isDated = !Number.isNaN(dateMs);
    if (!isDated) return { present: timestampOfMs(wallMs - PRESENT_SLACK_MS), isDated };
    this.#aheadMs = dateMs - this.#clock.monotonicMs();
    return { present: timestampOfMs(this.#aheadMs + atMs - PRESENT_SLACK_MS), isDated };
  }

  /** The service's present by its last response; by the host's clock before the first one. */
  present(): Timestamp {
    const nowMs = this.#aheadMs === undefined ? this.#clock.now() : this.#aheadMs + this.#clock.monotonicMs();
    return timestampOfMs(nowMs - PRESENT_SLACK_MS);
  }
}
