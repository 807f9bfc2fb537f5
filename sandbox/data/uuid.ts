import { spread } from "./chance.ts";

const hex = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, "0"));
const half = 0x100_0000;
const rounds = 3;

/**
 * A UUID for a number, for which the number can be found again: the last twelve digits are the number in
 * disguise, the others prove that it belongs to this seed. So millions of ids need no index.
 */
export function uuidOf(seed: number, number: number): string {
  let left = Math.floor(number / half);
  let right = number % half;
  for (let round = 0; round < rounds; round += 1) {
    const next = left ^ (spread(seed, right, round) & (half - 1));
    left = right;
    right = next;
  }
  const first = spread(seed, number, 11);
  const second = spread(seed, number, 12);
  const variant = (first ^ second) & 0x3fff;
  return (
    `${hex[first >>> 16]}${hex[first & 0xffff]}-${hex[second >>> 16]}-${hex[0x4000 | (second & 0xfff)]}-` +
    `${hex[0x8000 | variant]}-${hex[left >>> 8]}${hex[((left & 0xff) << 8) | (right >>> 16)]}${hex[right & 0xffff]}`
  );
}

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The number whose UUID under this seed this is, or undefined when there is none. */
export function numberOf(seed: number, uuid: string): number | undefined {
  if (!shape.test(uuid)) return undefined;
  let left = Number.parseInt(uuid.slice(24, 30), 16);
  let right = Number.parseInt(uuid.slice(30), 16);
  for (let round = rounds - 1; round >= 0; round -= 1) {
    const before = right ^ (spread(seed, left, round) & (half - 1));
    right = left;
    left = before;
  }
  const number = left * half + right;
  return uuidOf(seed, number) === uuid ? number : undefined;
}
