/** Results in the order in which they arrive, for one reader that takes one at a time. */
export class CompletionQueue<T> {
  readonly #results: T[] = [];
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#results.length === 0;
  }

  push(result: T): void {
    this.#results.push(result);
    this.#wake?.();
  }

  /** The oldest result not taken yet, once there is one. */
  async next(): Promise<T> {
    if (this.#results.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    return this.#results.shift()!;
  }
}
