import type { StreamRecord } from "@survey-export/core";

/**
 * What `JSON.stringify` writes for half of a pair of surrogates, or for NUL. Such a text is not valid Unicode, or
 * databases cannot store it: PyAirbyte skips the line, and PostgreSQL refuses the whole load.
 */
const ESCAPE = /\\(u(?:d[89a-f][0-9a-f]{2}|0000)|.)/g;
const REPLACEMENT = "\ufffd";

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
  /** Whether a character that no destination can store was replaced by U+FFFD. */
  hasReplaced = false;

  /** The lines are valid until the next ones are asked for. */
  encode(stream: string, records: readonly StreamRecord[], emittedAtMs: number): Uint8Array {
    const head = this.#encoder.encode(
      `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"data":`,
    );
    const tail = this.#encoder.encode(`,"emitted_at":${emittedAtMs}}}\n`);
    let end = 0;
    for (const record of records) {
      const data = this.#storable(JSON.stringify(record));
      this.#makeRoom(end, head.length + data.length * BYTES_OF_A_UNIT + tail.length);
      this.#bytes.set(head, end);
      end += head.length;
      end += this.#encoder.encodeInto(data, this.#bytes.subarray(end)).written;
      this.#bytes.set(tail, end);
      end += tail.length;
    }
    return this.#bytes.subarray(0, end);
  }

  #storable(json: string): string {
    if (!json.includes("\\u")) return json;
    return json.replace(ESCAPE, (sequence, name: string) => {
      if (name.length === 1) return sequence;
      this.hasReplaced = true;
      return REPLACEMENT;
    });
  }

  #makeRoom(used: number, needed: number): void {
    if (used + needed <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (used + needed));
    larger.set(this.#bytes.subarray(0, used));
    this.#bytes = larger;
  }
}
