/**
 * `npm run bench:peers [-- SCENARIO… --quick --write]`: our source, the manifest and a sequential reader on the same
 * sandbox. With names of scenarios it measures only these, and leaves the others on the page as they are.
 */
import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { peersChart } from "../../tools/generate/charts.ts";
import { grouped, machine, markdown } from "../figure.ts";
import { PACKAGES } from "./peer.ts";
import { measureAll, type Scenario, type Sizes } from "./scenarios.ts";

const flag = { type: "boolean" } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: flag, write: flag },
});
const PAGE = new URL("../peers.md", import.meta.url);
const sizes: Sizes = values.quick
  ? { responses: 1_000, responsesWithPeople: 60, added: 50, latencyMs: 30, rounds: 1 }
  : { responses: 20_000, responsesWithPeople: 900, added: 200, latencyMs: 30, rounds: 3 };

const load = (): string =>
  loadavg()
    .map((average) => average.toFixed(1))
    .join(", ");
const before = load();
const scenarios: Scenario[] = [];
for await (const scenario of measureAll(sizes, positionals, (line) => process.stderr.write(`${line}\n`))) {
  scenarios.push(scenario);
  process.stdout.write(`${section(scenario)}\n`);
  if (values.write) await write();
}

function section({ name, about, results }: Scenario): string {
  const heads = ["reader", "time", "requests", "429s", "CPU", "peak memory", "lost", "delivered twice"];
  const rows = [...results].map(([reader, result]) => [
    reader,
    `${result.wallSeconds.toFixed(1)} s`,
    grouped(result.requests),
    grouped(result.refused),
    `${result.cpuSeconds.toFixed(1)} s`,
    `${result.peakMegabytes.toFixed(0)} MB`,
    grouped(result.lost),
    grouped(result.doubled),
  ]);
  return `## ${name[0]!.toUpperCase()}${name.slice(1)}\n\n${about}.\n\n${markdown(heads, rows)}\n`;
}

/** After each scenario, so that a run that is stopped leaves what it measured. */
async function write(): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const text = `# Peers, side by side

Written by \`npm run bench:peers -- --write\` on ${day}${values.quick ? " (quick run)" : ""}: do not edit, measure again.

${machine()}. ${PACKAGES.join(", ")}. Load of the machine (1, 5 and 15 minutes) before: ${before}; after: ${load()}.

Each figure is the median of ${sizes.rounds} ${sizes.rounds === 1 ? "round" : "rounds"}, in which the readers took turns. Times are wall times and include the start of the program. "429s" are those of the whole workspace. "Lost" is what the service holds and the reader did not deliver. What was delivered twice is removed by its primary key in the destination. The sequential reader keeps no state, so it reads everything each time.

![Wall time of each reader in each scenario](peers.svg)

${(await sections()).join("\n")}`;
  await writeFile(PAGE, text);
  await writeFile(new URL("../peers.svg", import.meta.url), await peersChart(text));
}

/** What was measured now. If only some scenarios were asked for, the page's others stay in their places. */
async function sections(): Promise<string[]> {
  const measured = scenarios.map(section);
  if (positionals.length === 0) return measured;
  const heading = (text: string): string => text.slice(0, text.indexOf("\n"));
  const before = (await readFile(PAGE, "utf8")).split(/^(?=## )/m).slice(1);
  return before.map(
    (old) => measured.find((now) => heading(now) === heading(old)) ?? old.trimEnd().concat("\n"),
  );
}
