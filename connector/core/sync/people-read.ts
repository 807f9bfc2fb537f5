import type { Timestamp } from "../coverage/timestamp.ts";
import { certain } from "../errors.ts";
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

/** Of a person: the UUID, and what their list held. */
const UUID_WORDS = 4;
const PERSON_WORDS = UUID_WORDS + 2;
/** People in one block. Blocks never move, so that growth copies none of them and leaves none half empty. */
const BLOCK_SIZE = 1 << 12;
const FIRST_PLACES = 1 << 10;
const LARGEST_LOAD = 0.75;

/**
 * The respondents whose lists this sync has read, and what each list held. A UUID takes 24 bytes in a typed array and 5
 * to 11 in an index, instead of a string and a map entry of its own: a million respondents cost some 32 MB. Ids of
 * another form are kept as strings.
 */
export class PeopleRead {
  readonly #others = new Map<string, Held>();
  readonly #blocks: Uint32Array[] = [];
  #count = 0;
  /** Numbers of people, the first being 1, each at the place of their hash or the next free one. */
  #index = new Uint32Array(FIRST_PLACES);
  readonly #key = new Uint32Array(UUID_WORDS);

  /** Undefined for a respondent who was not read. `key` as `respondentKey` gives it. */
  get(key: string): Held | undefined {
    if (!this.#parse(key)) return this.#others.get(key);
    const number = this.#index[this.#place()] ?? 0;
    if (number === 0) return undefined;
    const block = this.#blockOf(number);
    const at = startOf(number) + UUID_WORDS;
    return { oldest: block[at] ?? 0, newest: block[at + 1] ?? 0 };
  }

  set(key: string, { oldest, newest }: Held): void {
    if (!this.#parse(key)) {
      this.#others.set(key, { oldest, newest });
      return;
    }
    const place = this.#place();
    const number = this.#index[place] || this.#add(place);
    this.#blockOf(number).set([oldest, newest], startOf(number) + UUID_WORDS);
  }

  #parse(id: string): boolean {
    if (!isLowerCaseUuid(id)) return false;
    this.#key[0] = Number.parseInt(id.slice(0, 8), 16);
    this.#key[1] = Number.parseInt(id.slice(9, 13) + id.slice(14, 18), 16);
    this.#key[2] = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16);
    this.#key[3] = Number.parseInt(id.slice(28), 16);
    return true;
  }

  /** Adds the parsed key. @returns its number */
  #add(place: number): number {
    const number = ++this.#count;
    if (startOf(number) === 0) this.#blocks.push(new Uint32Array(BLOCK_SIZE * PERSON_WORDS));
    this.#blockOf(number).set(this.#key, startOf(number));
    this.#index[place] = number;
    if (number > this.#index.length * LARGEST_LOAD) this.#growIndex();
    return number;
  }

  /** The place of the parsed key in the index, or the free one where it belongs. */
  #place(): number {
    const mask = this.#index.length - 1;
    let place = hashOf(this.#key, 0) & mask;
    for (;;) {
      const number = this.#index[place] ?? 0;
      if (number === 0 || this.#isKeyOf(number)) return place;
      place = (place + 1) & mask;
    }
  }

  #isKeyOf(number: number): boolean {
    const [key, block, at] = [this.#key, this.#blockOf(number), startOf(number)];
    return (
      block[at] === key[0] && block[at + 1] === key[1] && block[at + 2] === key[2] && block[at + 3] === key[3]
    );
  }

  #blockOf(number: number): Uint32Array {
    return certain(this.#blocks[Math.floor((number - 1) / BLOCK_SIZE)], "a block");
  }

  #growIndex(): void {
    this.#index = new Uint32Array(this.#index.length * 2);
    const mask = this.#index.length - 1;
    for (let number = 1; number <= this.#count; number++) {
      let place = hashOf(this.#blockOf(number), startOf(number)) & mask;
      while (this.#index[place] !== 0) place = (place + 1) & mask;
      this.#index[place] = number;
    }
  }
}

/** Where the words of a person begin in their block. */
const startOf = (number: number): number => ((number - 1) % BLOCK_SIZE) * PERSON_WORDS;

/** Of the UUID at `at`: all of its bits count, since UUIDs of one origin may differ in a few only. */
function hashOf(words: Uint32Array, at: number): number {
  let hash = 0;
  for (let word = at; word < at + UUID_WORDS; word++) {
    hash = Math.imul(hash ^ (words[word] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
