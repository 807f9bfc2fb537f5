interface Kept {
  readonly kept: Set<string>;
  /** Came without a later state so far. */
  readonly pending: Set<string>;
  /** Came in this sync. */
  readonly came: Set<string>;
  state: unknown;
}

/**
 * What a destination keeps of a source's streams, over as many syncs as a test wants. A record, here its key, counts
 * once a state of its stream has come after it. `syncInProcess` and `syncProgram` fill it.
 */
export class Replica {
  readonly #streams = new Map<string, Kept>();
  /** Records that came and were kept before. */
  repeats = 0;

  /** A sync begins: what came before without a later state is forgotten. */
  begin(): void {
    for (const { pending, came } of this.#streams.values()) {
      pending.clear();
      came.clear();
    }
  }

  /** The stream is read from its start. */
  forget(stream: string): void {
    this.#streams.delete(stream);
  }

  /** @returns whether the record comes for the first time in this sync */
  take(stream: string, key: string): boolean {
    const { kept, pending, came } = this.#of(stream);
    const isFirst = !came.has(key);
    came.add(key);
    pending.add(key);
    if (kept.has(key)) this.repeats++;
    return isFirst;
  }

  /** A state of the stream has arrived. */
  store(stream: string, state: unknown): void {
    const of = this.#of(stream);
    for (const key of of.pending) of.kept.add(key);
    of.pending.clear();
    of.state = JSON.parse(JSON.stringify(state));
  }

  state(stream: string): unknown {
    return this.#of(stream).state;
  }

  /** The last states, as Airbyte's platform gives them back. */
  get states() {
    return [...this.#streams].flatMap(([name, { state }]) =>
      state === undefined
        ? []
        : [{ type: "STREAM", stream: { stream_descriptor: { name }, stream_state: state } }],
    );
  }

  kept(stream: string): ReadonlySet<string> {
    return this.#of(stream).kept;
  }

  /** Whether a record has come, with or without a state after it. */
  has(stream: string, key: string): boolean {
    const { kept, pending } = this.#of(stream);
    return kept.has(key) || pending.has(key);
  }

  /** What is due and was not kept. */
  lost(stream: string, due: Iterable<string>): string[] {
    const { kept } = this.#of(stream);
    return [...due].filter((key) => !kept.has(key));
  }

  #of(stream: string): Kept {
    const known = this.#streams.get(stream);
    const kept = known ?? { kept: new Set(), pending: new Set(), came: new Set(), state: undefined };
    if (known === undefined) this.#streams.set(stream, kept);
    return kept;
  }
}
