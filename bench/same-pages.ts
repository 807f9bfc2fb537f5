import type { Size } from "./figure.ts";
import { type RemoteSandbox, startRemote } from "./program.ts";
import { survey } from "./survey.ts";

export interface SamePages {
  readonly ids: readonly string[];
  readonly pages: number;
  readonly rounds: number;
  /** A sandbox in another process that has all pages ready. `program`: its bundle. */
  start(program: string, gzip?: boolean): Promise<RemoteSandbox>;
}

const SIZES: Readonly<Record<Size, { surveys: number; pages: number; rounds: number }>> = {
  full: { surveys: 20, pages: 50, rounds: 5 },
  quick: { surveys: 20, pages: 25, rounds: 2 },
  tiny: { surveys: 5, pages: 2, rounds: 1 },
};

/** The pages that CPU seconds are compared on. Many surveys, so that five slots are busy without a cut. */
export function samePages(size: Size): SamePages {
  const { surveys, pages, rounds } = SIZES[size];
  const ids = Array.from({ length: surveys }, (_, number) => String(number + 1));
  return {
    ids,
    pages: surveys * pages,
    rounds,
    start: (program, gzip = true) =>
      startRemote(program, {
        surveys: ids.map((id) => survey(id, pages * 100)),
        ...{ limits: false, cachePages: true, gzip },
      }),
  };
}
