import { spread } from "./random.ts";

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
