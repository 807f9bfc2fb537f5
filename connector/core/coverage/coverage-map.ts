import { type Coverage, NOTHING } from "./coverage.ts";

/** Lists in one chunk: a change copies one chunk, and a snapshot the list of chunks. */
const CHUNK_SIZE = 64;

type Entry = readonly [id: string, coverage: Coverage];

/** The coverage of many lists at one time. Never changes afterwards. */
export interface CoverageSnapshot {
  /** Lists that have a coverage, by id. */
  toJSON(): Record<string, Coverage>;
  readonly isEmpty: boolean;
}

/**
 * The coverage of each list by its id, with cheap snapshots: one is taken with every page, and copying ten thousand
 * surveys for each of ten thousand pages would take longer than reading them.
 */
export class CoverageMap {
  readonly #places = new Map<string, number>();
  #chunks: Entry[][] = [];
  /** Chunks that no snapshot shares. */
  #own = new Set<Entry[]>();
  #isShared = false;
  #filled = 0;

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
    let place = this.#places.get(id);
    if (place === undefined) {
      place = this.#places.size;
      this.#places.set(id, place);
    } else if (this.get(id).length > 0) this.#filled--;
    if (coverage.length > 0) this.#filled++;
    this.#ownChunk(Math.floor(place / CHUNK_SIZE))[place % CHUNK_SIZE] = [id, coverage];
  }

  ids(): Iterable<string> {
    return this.#places.keys();
  }

  snapshot(): CoverageSnapshot {
    this.#isShared = true;
    this.#own.clear();
    const chunks = this.#chunks;
    return {
      isEmpty: this.#filled === 0,
      toJSON: () => Object.fromEntries(chunks.flat().filter(([, coverage]) => coverage.length > 0)),
    };
  }

  #ownChunk(index: number): Entry[] {
    if (this.#isShared) {
      this.#chunks = [...this.#chunks];
      this.#isShared = false;
    }
    let chunk = this.#chunks[index] ?? [];
    if (!this.#own.has(chunk)) {
      chunk = [...chunk];
      this.#own.add(chunk);
      this.#chunks[index] = chunk;
    }
    return chunk;
  }
}
