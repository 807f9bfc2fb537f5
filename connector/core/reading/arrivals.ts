/** What came back, in order, for one reader that takes one at a time. */
export interface Arrivals<T> {
  readonly isEmpty: boolean;
  push(arrival: T): void;
  /** The oldest not taken yet, once there is one. */
  next(): Promise<T>;
}

export function createArrivals<T>(): Arrivals<T> {
  const waiting: T[] = [];
  let wake: (() => void) | undefined;
  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    push(arrival) {
      waiting.push(arrival);
      wake?.();
    },
    async next() {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
      return waiting.shift()!;
    },
  };
}
