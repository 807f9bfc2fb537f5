/** A hash of three numbers with 32 bits: seeds and ids of things that are made in any order. */
export function spread(seed: number, value: number, salt: number): number {
  let bits = (seed ^ Math.imul(salt + 0x51ed, 0x9e3779b1)) | 0;
  bits = Math.imul(bits ^ (bits >>> 15) ^ (value | 0), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 13) ^ Math.floor(value / 0x1_0000_0000), 0x297a2d39);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  return (bits ^ (bits >>> 14)) >>> 0;
}

/** The same as a fraction from 0 to below 1. */
export const share = (seed: number, value: number, salt: number): number =>
  spread(seed, value, salt) / 0x1_0000_0000;

/** A UUID for a number under a seed. */
export function uuidOf(seed: number, number: number): string {
  // Mixed first: a hash alone would give neighbouring seeds the same numbers in another order.
  const mixed = spread(seed, 0, 10);
  const parts = [11, 12, 13, 14].map((salt) => spread(mixed, number, salt).toString(16).padStart(8, "0"));
  return parts.join("").replace(/^(.{8})(....).(...).(...)/, "$1-$2-4$3-8$4-");
}

/** Numbers that look random, and are the same for a seed in each run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1. */
  share(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.share() * count);
  }

  pick<Choice>(choices: readonly Choice[]): Choice {
    return itemAt(choices, this.below(choices.length));
  }
}

/** The item at a place of a list that starts again after its end. Throws if the list is empty. */
export function itemAt<Item>(list: readonly Item[], place: number): Item {
  const item = list[place % list.length];
  if (item === undefined) throw new RangeError("The list is empty.");
  return item;
}
