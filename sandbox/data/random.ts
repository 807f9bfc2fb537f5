/** A hash of three numbers with 32 bits. The sandbox has no other source of randomness, so every run repeats. */
export function spread(seed: number, value: number, salt: number): number {
  let bits = (seed ^ Math.imul(salt + 0x51ed, 0x9e3779b1)) | 0;
  bits = Math.imul(bits ^ (bits >>> 15) ^ (value | 0), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 13) ^ Math.floor(value / 0x1_0000_0000), 0x297a2d39);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  return (bits ^ (bits >>> 14)) >>> 0;
}

/** The same as a fraction from 0 to 1, without 1. */
export const share = (seed: number, value: number, salt: number): number =>
  spread(seed, value, salt) / 0x1_0000_0000;

/** A number for a string, so that a name can serve as a seed. */
export function seedOf(text: string): number {
  let bits = 0x1234567;
  for (let at = 0; at < text.length; at += 1) bits = spread(bits, text.charCodeAt(at), at);
  return bits;
}

/** A sequence of random numbers from one seed. */
export interface RandomSource {
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number;
  pick<Choice>(choices: readonly Choice[]): Choice;
}

/** A new sequence. The same seed gives the same sequence. */
export function randomFrom(seed: number): RandomSource {
  let drawn = 0;
  const below = (count: number): number => {
    drawn += 1;
    return Math.floor(share(seed, drawn, 77) * count);
  };
  return { below, pick: (choices) => itemAt(choices, below(choices.length)) };
}

/** The item at a place of a list that starts again after its end. Throws if the list is empty. */
export function itemAt<Item>(list: readonly Item[], place: number): Item {
  const item = list[place % list.length];
  if (item === undefined) throw new RangeError("The list is empty.");
  return item;
}

const HEX = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, "0"));
const HALF = 0x100_0000;
const ROUNDS = 3;

/**
 * A UUID for a number, from which the number can be computed again: the last twelve digits encode the number,
 * and the others prove that it belongs to this seed. So millions of ids need no index.
 */
export function uuidOf(seed: number, number: number): string {
  let left = Math.floor(number / HALF);
  let right = number % HALF;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = left ^ (spread(seed, right, round) & (HALF - 1));
    left = right;
    right = next;
  }
  const first = spread(seed, number, 11);
  const second = spread(seed, number, 12);
  const variant = (first ^ second) & 0x3fff;
  return (
    `${HEX[first >>> 16]}${HEX[first & 0xffff]}-${HEX[second >>> 16]}-${HEX[0x4000 | (second & 0xfff)]}-` +
    `${HEX[0x8000 | variant]}-${HEX[left >>> 8]}${HEX[((left & 0xff) << 8) | (right >>> 16)]}${HEX[right & 0xffff]}`
  );
}

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The number that has this UUID under this seed, or undefined. */
export function numberOf(seed: number, uuid: string): number | undefined {
  if (!UUID_PATTERN.test(uuid)) return undefined;
  let left = Number.parseInt(uuid.slice(24, 30), 16);
  let right = Number.parseInt(uuid.slice(30), 16);
  for (let round = ROUNDS - 1; round >= 0; round -= 1) {
    const before = right ^ (spread(seed, left, round) & (HALF - 1));
    right = left;
    left = before;
  }
  const number = left * HALF + right;
  return uuidOf(seed, number) === uuid ? number : undefined;
}
