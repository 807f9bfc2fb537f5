/** How fast a lowered limit grows back: after `x` steps by `linear * x + quadratic * x²`. */
export interface Growth {
  readonly linear: number;
  readonly quadratic: number;
}

/**
 * The part of one of the service's limits that this process uses. A refusal lowers it at once. It grows back slowly
 * at first, so that processes that share the limit seldom collide, and ever faster while nothing is refused, so that
 * a process whose neighbours have ended gets the whole limit.
 */
export class SharedLimit {
  readonly limit: number;
  readonly #growth: Growth;
  #value: number;
  #loweredTo: number;
  #steps = 0;

  constructor(limit: number, growth: Growth) {
    this.limit = limit;
    this.#growth = growth;
    this.#value = limit;
    this.#loweredTo = limit;
  }

  /** Between 1 and `limit`. Not always a whole number. */
  get value(): number {
    return this.#value;
  }

  get lowered(): boolean {
    return this.#value < this.limit;
  }

  /** Never raises the value and never lowers it below 1. */
  lowerTo(value: number): void {
    this.#value = Math.min(this.#value, Math.max(1, value));
    this.#loweredTo = this.#value;
    this.#steps = 0;
  }

  grow(steps: number): void {
    if (!this.lowered) return;
    this.#steps += steps;
    const { linear, quadratic } = this.#growth;
    const grown = linear * this.#steps + quadratic * this.#steps ** 2;
    this.#value = Math.min(this.limit, this.#loweredTo + grown);
  }
}
