import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** How much is measured: all of it, what ends within five minutes, or just enough to see that it still runs. */
export type Size = "full" | "quick" | "tiny";

/**
 * The rows of the table: what each number is to reach, and why one that does not reach it is left so. Both are kept
 * by hand, and only here: `why` changes after a full run.
 */
const TARGETS: Readonly<Record<string, { readonly targets: readonly string[]; readonly why?: string }>> = {
  both: { targets: ["≤ 1"] },
  small: { targets: ["≤ 1", "≤ 4.3"] },
  refusals: { targets: ["≤ 2"] },
  plans: { targets: ["≤ 8", "≤ 1.5", "≤ 1.5"] },
  requests: { targets: ["≤ 1.03"] },
  roundTrips: { targets: ["≤ 2.5", "≤ 1.15"] },
  time: {
    targets: ["≤ 1.15"],
    why: "five slots are busy from the third round trip on, and each cut costs half a page; the rest is CPU",
  },
  speed: { targets: ["≥ 4.7"] },
  alone: { targets: ["≥ 99 %", "≤ 0 refused"] },
  two: {
    targets: ["≤ 1.5", "≤ 2", "≤ 2 %"],
    why: "a single run; in one of four the first process keeps all slots; the median of eleven is 1.4 and 1.4",
  },
  four: { targets: ["≤ 1.6", "≤ 2.5", "≤ 2 %"] },
  neighbour: { targets: ["≤ 5 %"] },
  cpu: { targets: ["≥ 0.75"], why: "the bare program checks nothing; runs differ by a tenth" },
  surveys: { targets: ["≤ 1.1", "≤ 1.1"], why: "runs differ by a tenth" },
  holes: { targets: ["≤ 1.1", "≤ 1.1"], why: "runs differ by a tenth" },
  memory: {
    targets: ["≤ 150 MB", "≤ 250 MB", "≤ 60 MB"],
    why: "a sync remembers everybody whom it asked until it ends (I10)",
  },
  tables: {
    targets: ["≤ 1.3", "≤ 1.3", "≤ 200 MB"],
    why: "below the rate limit, rows with random keys take more than twice as long as messages; above it, nobody waits for it",
  },
  page: { targets: ["≤ 6", "≤ 1"] },
  spec: { targets: ["≤ 1.3"], why: "Node needs the rest for modules and standard output" },
  oneRequest: { targets: ["≤ 1.15", "≤ 1.25"] },
};

/** One line of the table: the figure, its target, what was measured, and whether the target is met. */
export type Row = readonly [figure: string, target: string, measured: string, met: string];

/** A figure of the project, measured side by side with what it is compared with. */
export interface Figure {
  /** As the command line calls it. */
  readonly name: string;
  readonly about: string;
  measure(size: Size): Promise<readonly Row[]>;
}

/** A row with as many numbers as `TARGETS` has for it, in the same units: a share in percent, memory in megabytes. */
export function row(name: string, figure: string, numbers: readonly number[]): Row {
  const { targets, why = "nobody has said why" } = TARGETS[name]!;
  let met = true;
  const measured = targets.map((target, place) => {
    const [, bound, limit, unit = ""] = /^([≤≥]) ([\d.]+)( .+)?$/.exec(target)!;
    const number = numbers[place]!;
    met &&= bound === "≤" ? number <= Number(limit) : number >= Number(limit);
    return `${number.toFixed(DIGITS[unit])}${unit}`;
  });
  return [figure, targets.join(", "), measured.join(", "), met ? "yes" : `NO: ${why}`];
}

const DIGITS: Readonly<Record<string, number>> = { "": 2, " %": 1, " MB": 0, " refused": 0 };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}

/** As a table has it: 20,000. */
export const grouped = (count: number): string => count.toLocaleString("en");

/** The machine in one line, since figures mean nothing without it. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown CPU";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${model}, ${availableParallelism()} cores, ${memory} of memory, ${type()} ${release()}, Node.js ${process.versions.node}`;
}

export const tableOf = (rows: readonly Row[]): string =>
  markdown(["figure", "target", "measured", "met"], rows);

/** A table in Markdown. */
export function markdown(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
