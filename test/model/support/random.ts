import { Random, spread } from "../../../sandbox/data/random.ts";

/** Numbers from 0 to below 1, the same for a seed on every machine. */
export function randomFrom(seed: number): () => number {
  const random = new Random(spread(seed, 0, 0));
  return () => random.share();
}
