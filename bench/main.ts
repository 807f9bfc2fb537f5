/** `npm run bench [-- FIGURE… --quick --write]`: measures the figures and prints a table. See README.md. */
import { parseArgs } from "node:util";
import { exponents } from "./exponents.ts";
import { type Figure, machine, type Row, tableOf } from "./figure.ts";
import { oracle } from "./oracle.ts";
import { page } from "./page.ts";
import { cpu, memory, start, tables } from "./resources.ts";
import { needed, plans, requests, speed } from "./simulated.ts";
import { allowance, neighbour, sharing } from "./workspace.ts";
import { writePart } from "./written-part.ts";

const FIGURES: readonly Figure[] = [
  ...[
    needed,
    plans,
    requests,
    oracle,
    speed,
    allowance,
    sharing,
    neighbour,
    cpu,
    exponents,
    memory,
    tables,
    page,
    start,
  ],
];

const flag = { type: "boolean" } as const;
const options = { quick: flag, tiny: flag, write: flag };
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const unknown = positionals.filter((name) => !FIGURES.some((figure) => figure.name === name));
if (unknown.length > 0) {
  const figures = FIGURES.map(({ name, about }) => `  ${name.padEnd(10)} ${about}\n`);
  process.stderr.write(`There is no figure ${unknown.join(", ")}. Figures:\n${figures.join("")}`);
  process.exit(2);
}
const size = values.tiny ? "tiny" : values.quick ? "quick" : "full";

const rows: Row[] = [];
process.stdout.write(`${machine()}\n\n`);
for (const figure of FIGURES) {
  if (positionals.length > 0 && !positionals.includes(figure.name)) continue;
  process.stderr.write(`measuring ${figure.name}: ${figure.about} …\n`);
  rows.push(...(await figure.measure(size)));
  // After each figure, so that a run that is stopped leaves what it measured.
  if (values.write) await writePart("results", results());
}
process.stdout.write(`${tableOf(rows)}\n`);

function results(): string {
  const day = new Date().toISOString().slice(0, 10);
  return `Written by \`npm run bench -- --write\` on ${day}, ${size} run. [What each row means](#what-each-row-means).\n\n${machine()}\n\n${tableOf(rows)}`;
}
