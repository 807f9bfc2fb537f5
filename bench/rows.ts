import { createHash } from "node:crypto";

const RECORD = '{"type":"RECORD",';
/** When the line was written: it differs between two runs. */
const EMITTED_AT = /,"emitted_at":\d+\}\}$/;
const NEWLINE = 10;

/** What a program wrote: two programs that wrote the same RECORD lines, in whatever order, have equal rows. */
export class Rows {
  #count = 0;
  /** Of a hash of each line: the order does not matter, and a line that comes twice counts twice. */
  #sum = 0n;
  #rest = Buffer.alloc(0);

  /** The next piece of the output. */
  take(chunk: Buffer): void {
    const pieces = Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let end = pieces.indexOf(NEWLINE); end >= 0; end = pieces.indexOf(NEWLINE, from)) {
      this.#line(pieces.toString("utf8", from, end));
      from = end + 1;
    }
    this.#rest = pieces.subarray(from);
  }

  get count(): number {
    return this.#count;
  }

  equals(other: Rows): boolean {
    return this.#count === other.#count && this.#sum === other.#sum;
  }

  #line(line: string): void {
    if (!line.startsWith(RECORD)) return;
    this.#count++;
    this.#sum += createHash("sha256").update(line.replace(EMITTED_AT, "")).digest().readBigUInt64LE();
  }
}
