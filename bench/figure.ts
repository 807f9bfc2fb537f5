/** How much is measured: all of it, what ends within five minutes, or just enough to see that it still runs. */
export type Size = "full" | "quick" | "tiny";

/** One line of the table. */
export interface Row {
  readonly figure: string;
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
  /** `simulated`: the clock was, the code was not. `real`: real sockets, processes and time. */
  readonly kind: "real" | "simulated";
}

export interface Measurement {
  readonly rows: readonly Row[];
  /** How the rows were measured, one line each, and whatever was made smaller than the figure asks for. */
  readonly notes: readonly string[];
}

/** A figure of the project, measured side by side with what it is compared with. */
export interface Figure {
  /** As the command line calls it. */
  readonly name: string;
  readonly about: string;
  measure(size: Size): Promise<Measurement>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}
