import type { Row } from "./figure.ts";

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

export function markdownTable(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(HEADS), line(HEADS.map(() => "---")), ...rows.map((row) => line(cellsOf(row)))].join("\n");
}
