import type { MessageWriter } from "./message-writer.ts";

/**
 * The estimate of one stream: how many records it will have, by the service's own count, and how many bytes, by those of the
 * records so far. It is written once, when both are known. Airbyte's worker sets both without asking whether they are there, and
 * dies of a missing one (`trackEstimates` in airbyte-platform's `StatsTracker.kt`).
 */
export class StreamEstimate {
  readonly #name: string;
  readonly #writer: Pick<MessageWriter, "estimate">;
  /** Records that are to come, those that came included. */
  #expected: number | undefined;
  #records = 0;
  #bytes = 0;
  #isWritten = false;

  constructor(name: string, writer: Pick<MessageWriter, "estimate">) {
    this.#name = name;
    this.#writer = writer;
  }

  /** About so many records are to come. */
  expects(records: number): Promise<void> {
    this.#expected = records;
    return this.#writeIfKnown();
  }

  /** So many records came, with so many bytes of JSON. */
  delivered(records: number, bytes: number): Promise<void> {
    this.#records += records;
    this.#bytes += bytes;
    return this.#writeIfKnown();
  }

  async #writeIfKnown(): Promise<void> {
    if (this.#isWritten || this.#expected === undefined || this.#bytes === 0) return;
    this.#isWritten = true;
    // The service's count may be old.
    const rows = Math.max(this.#expected, this.#records);
    const bytes = Math.round((rows * this.#bytes) / this.#records);
    await this.#writer.estimate(this.#name, rows, bytes);
  }
}
