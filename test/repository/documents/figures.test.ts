import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Figure {
  readonly name: string;
  /** The numbers of its cell, as they are written. */
  readonly measured: readonly string[];
  /** `yes`, or `NO: ` and the reason. */
  readonly met: string;
}

const FIGURES = [
  ...readFileSync("bench/results.md", "utf8").matchAll(/^\| (.+) \| (.+) \| (.+) \| (.+) \|$/gm),
]
  .slice(1)
  .map(
    ([, name = "", , measured = "", met = ""]): Figure => ({
      ...{ name, met, measured: measured.match(/[\d.]+/g) ?? [] },
    }),
  );

const figure = (start: string): Figure => FIGURES.find(({ name }) => name.startsWith(start))!;

/** The line of a document that quotes the figures. */
const quoted = (document: string, start: string): string =>
  readFileSync(document, "utf8")
    .split("\n")
    .find((line) => line.startsWith(start))!;

/** A document names numbers of figures, and says that a target is missed exactly if one is. */
function quotes(line: string, numbers: readonly string[], ...figures: readonly Figure[]): void {
  for (const number of numbers) expect(line).toContain(number);
  expect(/\*\*(is|are) missed\*\*/.test(line)).toBe(figures.some(({ met }) => met !== "yes"));
}

test("twelve rows, and each target that is missed has a sentence that says why", () => {
  expect(FIGURES).toHaveLength(12);
  for (const { met } of FIGURES) expect(met).toMatch(/^(yes|NO: (?!nobody has said why).+)$/);
});

test("the README quotes the figures of the last run, and marks what is missed", () => {
  const [time, trips, requests] = ["time", "round trips", "requests"].map(figure);
  quotes(
    quoted("README.md", "- **Time**"),
    [`${time!.measured[0]} times`, `${trips!.measured[0]} times`],
    ...[time!, trips!],
  );
  quotes(quoted("README.md", "- **Requests**"), [`${requests!.measured[0]} times`], requests!);
});

test("Airbyte's page quotes the memory of the last run, and marks what is missed", () => {
  const memory = figure("peak memory");
  const numbers = memory.measured.map((megabytes) => `${megabytes} MB`);
  quotes(quoted("docs/airbyte.md", "- Memory"), numbers, memory);
});
