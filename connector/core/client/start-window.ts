const MINUTE_MS = 60_000;
const COMPACT_AT = 4096;

/**
 * The starts that the service may count at one time in any 60 seconds. A start counts until 60 seconds after its
 * answer: the service saw the request at an unknown time between the two, so the service never counts more.
 */
export class StartWindow {
  #inFlight = 0;
  #answeredMs: number[] = [];
  #first = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  start(): void {
    this.#inFlight++;
  }

  end(nowMs: number): void {
    this.#inFlight--;
    this.#answeredMs.push(nowMs);
  }

  /** How many starts the minute up to `nowMs` holds. */
  count(nowMs: number): number {
    while (this.#first < this.#answeredMs.length && this.#answeredMs[this.#first]! + MINUTE_MS <= nowMs)
      this.#first++;
    if (this.#first > COMPACT_AT) {
      this.#answeredMs = this.#answeredMs.slice(this.#first);
      this.#first = 0;
    }
    return this.#inFlight + this.#answeredMs.length - this.#first;
  }

  /** When time alone frees the next start. Undefined while only requests in flight count. */
  nextFreeMs(): number | undefined {
    const oldest = this.#answeredMs[this.#first];
    return oldest === undefined ? undefined : oldest + MINUTE_MS;
  }
}
