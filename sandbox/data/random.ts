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
  return { below, pick: (choices) => choices[below(choices.length)]! };
}
