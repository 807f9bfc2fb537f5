import { isLowerCaseUuid } from "../text/uuid.ts";

/** One string for one respondent: a UUID in lower case, however it is written; ids of another form as they are. */
export function respondentKey(id: string): string {
  const lower = id.toLowerCase();
  return isLowerCaseUuid(lower) ? lower : id;
}

/** A list that was read to its end. */
export const WHOLE_LIST = Number.NEGATIVE_INFINITY;

const FIRST_CAPACITY = 1 << 10;
const LARGEST_LOAD = 0.7;

/**
 * How far down each respondent's list was read, in microseconds since the epoch. A UUID takes 24 bytes in typed arrays
 * instead of a string and a map entry of its own, so that a million respondents cost some 50 MB. Ids of another form
 * are kept as strings.
 */
export class RespondentDepths {
  readonly #others = new Map<string, number>();
  #capacity = FIRST_CAPACITY;
  #words = new Uint32Array(FIRST_CAPACITY * 4);
  #depths = new Float64Array(FIRST_CAPACITY);
  #taken = new Uint8Array(FIRST_CAPACITY);
  #count = 0;
  readonly #key = new Uint32Array(4);

  /** Undefined for a respondent that was not read. `key` as `respondentKey` gives it. */
  get(key: string): number | undefined {
    if (!this.#parse(key)) return this.#others.get(key);
    const slot = this.#slot();
    return this.#taken[slot] ? this.#depths[slot] : undefined;
  }

  set(key: string, depth: number): void {
    if (!this.#parse(key)) {
      this.#others.set(key, depth);
      return;
    }
    let slot = this.#slot();
    if (!this.#taken[slot]) {
      if (this.#count >= this.#capacity * LARGEST_LOAD) {
        this.#grow();
        this.#parse(key);
        slot = this.#slot();
      }
      this.#taken[slot] = 1;
      this.#words.set(this.#key, slot * 4);
      this.#count++;
    }
    this.#depths[slot] = depth;
  }

  #parse(id: string): boolean {
    if (!isLowerCaseUuid(id)) return false;
    this.#key[0] = Number.parseInt(id.slice(0, 8), 16);
    this.#key[1] = Number.parseInt(id.slice(9, 13) + id.slice(14, 18), 16);
    this.#key[2] = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16);
    this.#key[3] = Number.parseInt(id.slice(28), 16);
    return true;
  }

  /** The slot that holds the parsed key, or the free one where it belongs. */
  #slot(): number {
    const [key, words] = [this.#key, this.#words];
    let hash = 0;
    for (const word of key) hash = Math.imul(hash ^ word, 0x9e3779b1) ^ (hash >>> 15);
    let slot = (hash >>> 0) & (this.#capacity - 1);
    while (this.#taken[slot]) {
      const at = slot * 4;
      const isEqual =
        words[at] === key[0] &&
        words[at + 1] === key[1] &&
        words[at + 2] === key[2] &&
        words[at + 3] === key[3];
      if (isEqual) break;
      slot = (slot + 1) & (this.#capacity - 1);
    }
    return slot;
  }

  #grow(): void {
    const [words, depths, taken] = [this.#words, this.#depths, this.#taken];
    this.#capacity *= 2;
    this.#words = new Uint32Array(this.#capacity * 4);
    this.#depths = new Float64Array(this.#capacity);
    this.#taken = new Uint8Array(this.#capacity);
    for (let old = 0; old < taken.length; old++) {
      if (!taken[old]) continue;
      this.#key.set(words.subarray(old * 4, old * 4 + 4));
      const slot = this.#slot();
      this.#taken[slot] = 1;
      this.#depths[slot] = depths[old]!;
      this.#words.set(this.#key, slot * 4);
    }
  }
}
