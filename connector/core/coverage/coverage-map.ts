import { type Coverage, NOTHING } from "./coverage.ts";

/** Lists in one chunk: a change copies one chunk, and the list of chunks. */
const CHUNK_SIZE = 64;

type Entry = readonly [id: string, coverage: Coverage];

/** The coverage of many lists at one time, by id. Never changes afterwards. */
export type CoverageSnapshot = () => Record<string, Coverage>;

/**
 * The coverage of each list by its id, with cheap snapshots: one is taken with every page, and copying ten thousand
 * surveys for each of ten thousand pages would take longer than reading them.
 */
export class CoverageMap {
  readonly #places = new Map<string, number>();
  #chunks: readonly (readonly Entry[])[] = [];

  constructor(entries: Iterable<Entry>) {
    for (const [id, coverage] of entries) this.set(id, coverage);
  }

  get(id: string): Coverage {
    const place = this.#places.get(id);
    if (place === undefined) return NOTHING;
    return this.#chunks[Math.floor(place / CHUNK_SIZE)]?.[place % CHUNK_SIZE]?.[1] ?? NOTHING;
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }

  set(id: string, coverage: Coverage): void {
    const place = this.#places.get(id) ?? this.#places.size;
    this.#places.set(id, place);
    const [index, chunks] = [Math.floor(place / CHUNK_SIZE), [...this.#chunks]];
    const chunk = [...(chunks[index] ?? [])];
    chunk[place % CHUNK_SIZE] = [id, coverage];
    chunks[index] = chunk;
    this.#chunks = chunks;
  }

  /** Lists that have a coverage. */
  snapshot(): CoverageSnapshot {
    const chunks = this.#chunks;
    return () => Object.fromEntries(chunks.flat().filter(([, coverage]) => coverage.length > 0));
  }
}
