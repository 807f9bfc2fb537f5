import type { StreamRecord } from "@survey-export/core";

/** At most this many bytes of UTF-8 for each unit of a string. */
const BYTES_OF_A_UNIT = 3;

/**
 * RECORD lines in UTF-8, one for each record, each ending in a newline. The frame is the same for all records of a
 * page, so only the data is serialised.
 *
 * Each record is encoded by itself: in one long string, a single letter outside Latin-1 would double the size of all
 * records and the processor time to encode them.
 */
export class RecordLines {
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(256 * 1024);

  encode(stream: string, records: readonly StreamRecord[], emittedAtMs: number): Uint8Array {
    const head = this.#encoder.encode(
      `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"data":`,
    );
    const tail = this.#encoder.encode(`,"emitted_at":${emittedAtMs}}}\n`);
    let end = 0;
    for (const record of records) {
      const data = JSON.stringify(record);
      this.#makeRoom(end, head.length + data.length * BYTES_OF_A_UNIT + tail.length);
      this.#bytes.set(head, end);
      end += head.length;
      end += this.#encoder.encodeInto(data, this.#bytes.subarray(end)).written;
      this.#bytes.set(tail, end);
      end += tail.length;
    }
    return this.#bytes.slice(0, end);
  }

  #makeRoom(used: number, needed: number): void {
    if (used + needed <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (used + needed));
    larger.set(this.#bytes.subarray(0, used));
    this.#bytes = larger;
  }
}
