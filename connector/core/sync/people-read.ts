import { isLowerCaseUuid } from "../text/uuid.ts";

/** One string for one person: a UUID in lower case, however it is written; ids of another form as they are. */
export function respondentKey(id: string): string {
  const lower = id.toLowerCase();
  return isLowerCaseUuid(lower) ? lower : id;
}

/** When somebody's list was read, and what came of it: two numbers from 0 to 2^32 - 1, the second one never 0. */
export type Read = readonly [since: number, outcome: number];

/** Of a person: the UUID, and the two numbers. */
const [UUID_WORDS, WORDS] = [4, 6];
const LARGEST_LOAD = 0.75;

/**
 * The people whose lists a sync has read. A UUID takes some 50 bytes in one typed array, instead of the 200 of a string, an
 * object and a map's entry: a sync of many surveys meets a million people. Ids of another form are kept as strings.
 */
export class PeopleRead {
  readonly #others = new Map<string, Read>();
  /** Each person at the place of their hash, or the next free one. */
  #table = new Uint32Array(1024 * WORDS);
  #count = 0;

  /** Undefined for a person who was not read. `key` as `respondentKey` gives it. */
  get(key: string): Read | undefined {
    const uuid = wordsOf(key);
    if (uuid === undefined) return this.#others.get(key);
    const at = placeOf(this.#table, uuid);
    const [since = 0, outcome = 0] = this.#table.subarray(at + UUID_WORDS, at + WORDS);
    return outcome === 0 ? undefined : [since, outcome];
  }

  set(key: string, read: Read): void {
    const uuid = wordsOf(key);
    if (uuid === undefined) {
      this.#others.set(key, read);
      return;
    }
    if (++this.#count * WORDS > this.#table.length * LARGEST_LOAD) this.#grow();
    this.#table.set([...uuid, ...read], placeOf(this.#table, uuid));
  }

  #grow(): void {
    const larger = new Uint32Array(this.#table.length * 2);
    for (let at = 0; at < this.#table.length; at += WORDS) {
      const person = this.#table.subarray(at, at + WORDS);
      if (person[WORDS - 1] !== 0) larger.set(person, placeOf(larger, person));
    }
    this.#table = larger;
  }
}

/** The place of a person in a table, or the free one where they belong. `uuid`: its first four words. */
function placeOf(table: Uint32Array, uuid: ArrayLike<number>): number {
  const isHere = (at: number): boolean => {
    for (let word = 0; word < UUID_WORDS; word++) if (table[at + word] !== uuid[word]) return false;
    return true;
  };
  // All bits count, since UUIDs of one origin may differ in a few only.
  let hash = 0;
  for (let word = 0; word < UUID_WORDS; word++) {
    hash = Math.imul(hash ^ (uuid[word] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  let at = ((hash >>> 0) % (table.length / WORDS)) * WORDS;
  while (table[at + WORDS - 1] !== 0 && !isHere(at)) at = (at + WORDS) % table.length;
  return at;
}

function wordsOf(key: string): readonly number[] | undefined {
  if (!isLowerCaseUuid(key)) return undefined;
  const digits = key.replaceAll("-", "");
  return [0, 8, 16, 24].map((from) => Number.parseInt(digits.slice(from, from + 8), 16));
}
