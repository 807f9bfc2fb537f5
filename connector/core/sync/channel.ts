import type { SyncEvent } from "./sync-event.ts";

interface Entry {
  readonly event: SyncEvent;
  /** The caller has it. */
  taken(): void;
}

/** Connects everything that reads with the one generator that yields: events in the order in which they were put. */
export class Channel {
  readonly #entries: Entry[] = [];
  #wake: () => void = () => {};
  #isClosed = false;
  #thrown: { readonly value: unknown } | undefined;
  /** The sync ends early: nothing is covered any more. */
  isOver = false;

  /** @returns a promise of the moment when the caller takes the event; whoever reads on waits for it */
  put(event: SyncEvent): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) return;
      this.#entries.push({ event, taken: resolve });
      this.#wake();
    });
  }

  /** Nothing more comes. What was put before is still given. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Ends the channel at once, with an error for the caller. */
  fail(value: unknown): void {
    this.isOver = true;
    this.#thrown ??= { value };
    this.close();
  }

  /** The next event; undefined after the last one. */
  async next(): Promise<Entry | undefined> {
    while (this.#entries.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#thrown) throw this.#thrown.value;
    return this.#entries.shift();
  }
}
