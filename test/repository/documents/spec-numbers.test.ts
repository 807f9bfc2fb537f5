import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const sources = ["connector", "n8n-node/nodes", "sandbox"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8")),
);
const service = readFileSync("spec/service.md", "utf8");
const sync = readFileSync("spec/sync.md", "utf8");
const numbersIn = (text: string, letter: string): string[] => [
  ...new Set([...text.matchAll(new RegExp(`\\b${letter}\\d{1,2}\\b`, "g"))].map(([number]) => number)),
];

describe("the numbers that comments refer to", () => {
  it.each([
    ["S", service],
    ["I", sync],
  ])("%s… have a section each, in order", (letter, text) => {
    const sections = [...text.matchAll(new RegExp(`^## (${letter}\\d+) `, "gm"))].map(([, number]) => number);
    expect(sections).toEqual(sections.map((_, index) => `${letter}${index + 1}`));
    for (const source of sources) expect(sections).toEqual(expect.arrayContaining(numbersIn(source, letter)));
  });

  it("every assumption says what it rests on, and what happens if it is false", () => {
    for (const section of service
      .split("\n# What we rely on")[1]!
      .split("\n# ")[0]!
      .split(/^## S/m)
      .slice(1)) {
      expect(section).toMatch(/\*Evidence:\*.*\n\*If false:\*/);
    }
  });

  const named = [...sync.matchAll(/^- `(test\/[^`]+)`: "(.+)"$/gm)].map(
    ([, file, sentence]) => [sentence!, file!] as const,
  );
  it.each(named)('every guarantee names a test that there is: "%s"', (sentence, file) => {
    expect(readFileSync(file, "utf8")).toContain(sentence);
  });

  const guarantees = sync
    .split("\n# What this gives up")[0]!
    .split(/^## (?=I)/m)
    .slice(1);

  it.each(guarantees)("a guarantee names a test, and has at most 120 words: %s", (section) => {
    expect(section).toContain("\n- `test/");
    const [, ...lines] = section.split("\n").filter((line) => !line.startsWith("- `test/"));
    expect(lines.join(" ").trim().split(/\s+/).length).toBeLessThanOrEqual(120);
  });
});
