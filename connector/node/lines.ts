import { closeSync, openSync, readSync } from "node:fs";

const NEWLINE = 0x0a;

/** A line without its newline. */
export interface Line {
  /** At most the longest that was asked for. */
  readonly start: Buffer;
  /** Of the whole line, in bytes. */
  readonly length: number;
}

/**
 * Cuts what is read of a file into lines, piece by piece. Takes time that grows with the file only, and keeps no more
 * than the longest start of a line, whatever the file holds.
 */
export class Lines {
  readonly #longest: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The lines that end in `chunk`. */
  *in(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      yield this.rest;
      this.#pieces = [];
      this.#length = 0;
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  /** What came after the last newline. */
  get rest(): Line {
    const [first, ...others] = this.#pieces;
    const start = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [start];
    return { start, length: this.#length };
  }

  /** Of what came after the last newline, in bytes. */
  get restLength(): number {
    return this.#length;
  }

  /** The first bytes of what came after the last newline. */
  get restHead(): Buffer {
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  #add(piece: Buffer): void {
    if (piece.length > 0 && this.#length < this.#longest)
      this.#pieces.push(piece.subarray(0, this.#longest - this.#length));
    this.#length += piece.length;
  }
}

/** Whether a line begins with these bytes. */
export const begins = (line: Buffer, head: Buffer): boolean =>
  line.length >= head.length && line.compare(head, 0, head.length, 0, head.length) === 0;

const CHUNK_BYTES = 1 << 20;

/** A file piece by piece. */
export function* chunksOf(path: string): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = readSync(file, chunk);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
