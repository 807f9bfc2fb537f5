import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const page = readFileSync(path("../../docs/operators.md"), "utf8");

/** The first cell of each row of the table below a heading, without backquotes. */
function firstCells(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `(.+?)` \|/gm)].map(([, cell]) => cell!);
}

test("the lines that an operator is told to look for are lines of the source", () => {
  const folder = path("../../connector/");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const source = names.map((name) => readFileSync(`${folder}${name}`, "utf8")).join("\n");
  const lines = firstCells("Lines to look for");
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.filter((line) => !source.includes(line))).toEqual([]);
});

test("the lines that end a run are those of the script", () => {
  const script = readFileSync(path("../../examples/sync.sh"), "utf8");
  const lines = firstCells("What a run tells you").filter((line) => line.startsWith("sync.sh: "));
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    const [words = ""] = line.slice("sync.sh: ".length).split(/ after \d| \(exit code \d| in …/);
    expect(script).toContain(words);
  }
});
