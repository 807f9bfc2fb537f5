import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const results = readFileSync("bench/results.md", "utf8");

/** The figures whose names match: measured numbers, and whether each target was met. */
function measured(name: RegExp): readonly { readonly numbers: readonly number[]; readonly isMet: boolean }[] {
  const rows = [...results.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \| (yes|NO) \|/gm)];
  const found = rows.filter(([, row = ""]) => name.test(row));
  expect(found, String(name)).not.toEqual([]);
  return found.map(([, , cell = "", met]) => ({
    numbers: [...cell.matchAll(/[\d.]+/g)].map(Number),
    isMet: met === "yes",
  }));
}

/** The sentence that quotes the figures, and whether it says that a target is missed. */
function quoted(document: string, start: string): { readonly text: string; readonly saysMissed: boolean } {
  const line =
    readFileSync(document, "utf8")
      .split("\n")
      .find((each) => each.startsWith(start)) ?? "";
  return { text: line, saysMissed: /\*\*(is|are) missed\*\*/.test(line) };
}

test("the README quotes the figures of the last run, and marks what is missed", () => {
  const time = quoted("README.md", "- **Time**");
  const [large] = measured(/oracle, 20,000 responses, 30 ms/);
  const small = measured(/oracle, 1,000 responses/);
  expect(time.text).toContain(`: ${large?.numbers[0]} times`);
  const ratios = small.map(({ numbers: [ratio = 0] }) => ratio);
  expect(time.text).toContain(`${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)} times`);
  expect(time.saysMissed).toBe(![large, ...small].every((figure) => figure?.isMet));

  const requests = quoted("README.md", "- **Requests**");
  const worst = measured(/fewest possible, 100,000 responses/).map(({ numbers: [ratio = 0] }) => ratio);
  expect(requests.text).toContain(`: ${Math.max(...worst).toFixed(2)} times`);
  expect(requests.saysMissed).toBe(measured(/fewest possible, 100,000/).some(({ isMet }) => !isMet));
});

test("Airbyte's page quotes the memory of the last run, and marks what is missed", () => {
  const memory = quoted("docs/airbyte.md", "- Memory grows little");
  const [figure] = measured(/^peak memory, 1,000,000 responses/);
  const [ratio, megabytes] = figure?.numbers ?? [];
  expect(memory.text).toContain(`${ratio} times that for 10,000, and ${megabytes} MB`);
  expect(memory.saysMissed).toBe(!figure?.isMet);
});
