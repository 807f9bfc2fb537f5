import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const service = readFileSync("spec/service.md", "utf8");
const sync = readFileSync("spec/sync.md", "utf8");

it.each([
  ["S", service],
  ["I", sync],
])("the numbers %s… that comments refer to have a section each, in order", (letter, text) => {
  const sections = [...text.matchAll(new RegExp(`^## (${letter}\\d+) `, "gm"))].map(([, number]) => number!);
  expect(sections).toEqual(sections.map((_, place) => `${letter}${place + 1}`));
  const sources = globSync("{connector,n8n-node/nodes,sandbox}/**/*.ts", { exclude: ["**/node_modules"] });
  const named = sources.flatMap((path) => readFileSync(path, "utf8").match(/\b[SI]\d{1,2}\b/g) ?? []);
  const ours = named.filter((number) => number.startsWith(letter));
  expect(ours.length).toBeGreaterThan(3);
  expect(sections).toEqual(expect.arrayContaining(ours));
});

it("every assumption about the service says what it rests on, and what happens if it is false", () => {
  const [, assumptions = ""] = service.split("\n# What we rely on");
  const sections = assumptions.split("\n# ")[0]!.split(/^## S/m).slice(1);
  for (const section of sections) expect(section).toMatch(/\*Evidence:\*.*\n\*If false:\*/);
});

const guarantees = sync
  .split("\n# What this gives up")[0]!
  .split(/^## (?=I)/m)
  .slice(1);
it.each(guarantees)("every guarantee names tests that there are: %s", (guarantee) => {
  const tests = [...guarantee.matchAll(/^- `(test\/[^`]+)`: "(.+)"$/gm)];
  expect(tests).not.toEqual([]);
  for (const [, file, sentence] of tests) expect(readFileSync(file!, "utf8")).toContain(sentence);
});
