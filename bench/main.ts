/** `npm run bench [-- FIGURE… --quick --write]`: measures the figures side by side and prints a table. See README.md. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { allowance } from "./allowance.ts";
import { assertions } from "./assertions.ts";
import { cost } from "./cost.ts";
import { cpu } from "./cpu.ts";
import { type Figure, machine, markdownTable, type Row, textTable } from "./figure.ts";
import { memory } from "./memory.ts";
import { neighbour } from "./neighbour.ts";
import { oracle } from "./oracle.ts";
import { requests } from "./requests.ts";
import { sharing } from "./sharing.ts";
import { snapshot } from "./snapshot.ts";
import { speed } from "./speed.ts";
import { start } from "./start.ts";

const FIGURES: readonly Figure[] = [
  oracle,
  requests,
  speed,
  allowance,
  sharing,
  neighbour,
  cpu,
  assertions,
  cost,
  snapshot,
  memory,
  start,
];

function refuse(sentence: string): never {
  process.stderr.write(
    `${sentence} Figures:\n${FIGURES.map(({ name, about }) => `  ${name.padEnd(10)} ${about}\n`).join("")}`,
  );
  process.exit(2);
}

const FLAGS = ["quick", "tiny", "write"];
const { values, positionals } = parseArgs({
  strict: false,
  allowPositionals: true,
  options: { quick: { type: "boolean" }, tiny: { type: "boolean" }, write: { type: "boolean" } },
});
const options = Object.keys(values).filter((name) => !FLAGS.includes(name));
if (options.length > 0) refuse(`There is no option --${options.join(", --")}; write --quick or --write.`);
const unknown = positionals.filter((name) => !FIGURES.some((figure) => figure.name === name));
if (unknown.length > 0) refuse(`There is no figure ${unknown.join(", ")}.`);
const size = values.tiny ? "tiny" : values.quick ? "quick" : "full";
const chosen = positionals.length > 0 ? FIGURES.filter(({ name }) => positionals.includes(name)) : FIGURES;

const rows: Row[] = [];
const notes: string[] = [];
process.stdout.write(`${machine()}\n`);
for (const figure of chosen) {
  process.stderr.write(`measuring ${figure.name}: ${figure.about} …\n`);
  const measurement = await figure.measure(size);
  rows.push(...measurement.rows);
  notes.push(...measurement.notes);
  if (values.write) await write();
}
const missed = rows.filter(({ met }) => !met).length;
process.stdout.write(`\n${textTable(rows)}\n\n${notes.map((note) => `${note}\n`).join("")}`);
process.stdout.write(
  `\n${missed === 0 ? "Every target is met." : `${missed} of ${rows.length} targets are missed.`}\n`,
);

/** After each figure, so that a run that is stopped leaves what it measured. */
async function write(): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const text = `# Results\n\nWritten by \`npm run bench -- --write\` on ${day} (${size} run): do not edit, measure again.\n\n${machine()}\n\n${markdownTable(rows)}\n\n${notes.map((note) => `- ${note}\n`).join("")}`;
  await writeFile(new URL("results.md", import.meta.url), text);
}
