/**
 * A set of respondent ids that stays small: a UUID takes 16 bytes in a typed array instead of a string of
 * its own, so that a million respondents cost some 40 MB. Ids of another form are kept as they are.
 */
export interface RespondentSet {
  has(id: string): boolean;
  add(id: string): void;
  readonly size: number;
}

/**
 * One text for one person: a UUID in lower case, whatever the spelling, since the configuration and the service may
 * differ in it; ids of another form as they are.
 */
export function respondentKey(id: string): string {
  const lower = id.toLowerCase();
  return UUID.test(lower) ? lower : id;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function createRespondentSet(): RespondentSet {
  const others = new Set<string>();
  let capacity = 1 << 10;
  let words = new Uint32Array(capacity * 4);
  let taken = new Uint8Array(capacity);
  let count = 0;
  const key = new Uint32Array(4);

  const parse = (id: string): boolean => {
    if (!UUID.test(id)) return false;
    key[0] = Number.parseInt(id.slice(0, 8), 16);
    key[1] = Number.parseInt(id.slice(9, 13) + id.slice(14, 18), 16);
    key[2] = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16);
    key[3] = Number.parseInt(id.slice(28), 16);
    return true;
  };

  /** The slot that holds `key`, or the free one where it belongs. */
  const slotOf = (): number => {
    let hash = 0;
    for (const word of key) hash = Math.imul(hash ^ word, 0x9e3779b1) ^ (hash >>> 15);
    let slot = (hash >>> 0) & (capacity - 1);
    while (taken[slot]) {
      const at = slot * 4;
      if (
        words[at] === key[0] &&
        words[at + 1] === key[1] &&
        words[at + 2] === key[2] &&
        words[at + 3] === key[3]
      )
        break;
      slot = (slot + 1) & (capacity - 1);
    }
    return slot;
  };

  const grow = (): void => {
    const [oldWords, oldTaken] = [words, taken];
    capacity *= 2;
    words = new Uint32Array(capacity * 4);
    taken = new Uint8Array(capacity);
    for (let old = 0; old < oldTaken.length; old++) {
      if (!oldTaken[old]) continue;
      key.set(oldWords.subarray(old * 4, old * 4 + 4));
      const slot = slotOf();
      taken[slot] = 1;
      words.set(key, slot * 4);
    }
  };

  return {
    has: (id) => (parse(id) ? taken[slotOf()] === 1 : others.has(id)),
    add(id) {
      if (!parse(id)) {
        others.add(id);
        return;
      }
      let slot = slotOf();
      if (taken[slot]) return;
      if (count >= capacity * 0.7) {
        grow();
        parse(id);
        slot = slotOf();
      }
      taken[slot] = 1;
      words.set(key, slot * 4);
      count++;
    },
    get size() {
      return count + others.size;
    },
  };
}
