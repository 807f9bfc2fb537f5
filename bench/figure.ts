import { availableParallelism, cpus, release, totalmem, type } from "node:os";

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

/** A row about a ratio, which is to be at most or at least its target. */
export function ratioRow(
  kind: Row["kind"],
  figure: string,
  bound: "≤" | "≥",
  target: number,
  ratio: number,
  digits = 2,
): Row {
  const met = bound === "≤" ? ratio <= target : ratio >= target;
  return { figure, target: `${bound} ${target}`, measured: ratio.toFixed(digits), met, kind };
}

/** As a table has it: 20,000. */
export const grouped = (count: number): string => count.toLocaleString("en");

/** As a table has it: 4.5 %. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** The machine in one line, since figures mean nothing without it. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown CPU";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${model}, ${availableParallelism()} cores, ${memory} of memory, ${type()} ${release()}, Node.js ${process.versions.node}`;
}

const HEADS = ["figure", "target", "measured", "met", "how"];

const cellsOf = (row: Row): string[] => [
  row.figure,
  row.target,
  row.measured,
  row.met ? "yes" : "NO",
  row.kind,
];

/** The rows in columns, for a terminal. */
export function textTable(rows: readonly Row[]): string {
  const lines = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}

/** The same for a page. */
export const markdownTable = (rows: readonly Row[]): string => markdown(HEADS, rows.map(cellsOf));

/** A table in Markdown. */
export function markdown(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [heads, heads.map(() => "---"), ...rows].map(line).join("\n");
}
