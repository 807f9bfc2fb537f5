import type { Timestamp } from "../coverage/timestamp.ts";
import { isLowerCaseUuid } from "../text/uuid.ts";

/** One string for one respondent: a UUID in lower case, however it is written; ids of another form as they are. */
export function respondentKey(id: string): string {
  const lower = id.toLowerCase();
  return isLowerCaseUuid(lower) ? lower : id;
}

/** From the oldest to the newest response that a respondent's list held, in seconds since the epoch. */
export interface Held {
  readonly oldest: number;
  readonly newest: number;
}

const LARGEST = 0xffff_ffff;
/** The list counts as read, whatever response leads there. */
export const HELD_ALL: Held = { oldest: 0, newest: LARGEST };
/** Every response that leads there stays open. */
export const HELD_NOTHING: Held = { oldest: LARGEST, newest: 0 };

export function heldBetween(oldest: Timestamp, newest: Timestamp): Held {
  return { oldest: secondsOf(oldest), newest: secondsOf(newest) };
}

/** Whether a response of this time lies inside of what the list held. Lists may show other digits: whole seconds count. */
export function isHeld({ oldest, newest }: Held, timestamp: Timestamp): boolean {
  const seconds = secondsOf(timestamp);
  return oldest <= seconds && seconds <= newest;
}

const secondsOf = (timestamp: Timestamp): number =>
  Math.min(LARGEST, Math.max(0, Date.parse(`${timestamp.slice(0, 19)}Z`) / 1000));

const FIRST_CAPACITY = 1 << 10;
const LARGEST_LOAD = 0.7;
/** Doubling would leave half of the memory empty. */
const GROWTH = 1.5;

/**
 * The respondents whose lists this sync has read, and what each list held. A UUID takes 25 bytes in typed arrays instead
 * of a string and a map entry of its own, so that a million respondents cost some 50 MB. Ids of another form are kept as
 * strings.
 */
export class PeopleRead {
  readonly #others = new Map<string, Held>();
  #capacity = FIRST_CAPACITY;
  #words = new Uint32Array(FIRST_CAPACITY * 4);
  #held = new Uint32Array(FIRST_CAPACITY * 2);
  #taken = new Uint8Array(FIRST_CAPACITY);
  #count = 0;
  readonly #key = new Uint32Array(4);

  /** Undefined for a respondent who was not read. `key` as `respondentKey` gives it. */
  get(key: string): Held | undefined {
    if (!this.#parse(key)) return this.#others.get(key);
    const slot = this.#slot();
    if (!this.#taken[slot]) return undefined;
    return { oldest: this.#held[slot * 2]!, newest: this.#held[slot * 2 + 1]! };
  }

  set(key: string, held: Held): void {
    if (!this.#parse(key)) {
      this.#others.set(key, held);
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
    this.#held[slot * 2] = held.oldest;
    this.#held[slot * 2 + 1] = held.newest;
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
    let slot = (hash >>> 0) % this.#capacity;
    while (this.#taken[slot]) {
      const at = slot * 4;
      const isEqual =
        words[at] === key[0] &&
        words[at + 1] === key[1] &&
        words[at + 2] === key[2] &&
        words[at + 3] === key[3];
      if (isEqual) break;
      slot = (slot + 1) % this.#capacity;
    }
    return slot;
  }

  #grow(): void {
    const [words, held, taken] = [this.#words, this.#held, this.#taken];
    this.#capacity = Math.ceil(this.#capacity * GROWTH);
    this.#words = new Uint32Array(this.#capacity * 4);
    this.#held = new Uint32Array(this.#capacity * 2);
    this.#taken = new Uint8Array(this.#capacity);
    for (let old = 0; old < taken.length; old++) {
      if (!taken[old]) continue;
      this.#key.set(words.subarray(old * 4, old * 4 + 4));
      const slot = this.#slot();
      this.#taken[slot] = 1;
      this.#words.set(this.#key, slot * 4);
      this.#held.set(held.subarray(old * 2, old * 2 + 2), slot * 2);
    }
  }
}
