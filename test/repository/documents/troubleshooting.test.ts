import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ERROR_CODES, WARNING_CODES } from "@survey-export/core";
import { expect, test } from "vitest";
import { AIRBYTE_WARNING_CODES } from "../../../connector/airbyte/message-writer.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const [, errors = "", warnings = ""] = readFileSync(path("../../../docs/troubleshooting.md"), "utf8").split(
  /^## (?:Errors|Warnings)$/m,
);
const codesIn = (section: string): string[] =>
  [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code!);

test("every code of an error and of a warning has its row, and no other", () => {
  expect([...new Set(codesIn(errors))].sort()).toEqual([...ERROR_CODES].sort());
  expect(codesIn(warnings).sort()).toEqual([...WARNING_CODES, ...AIRBYTE_WARNING_CODES].sort());
});

test("the sentences that the page shows are sentences of the source", () => {
  const folder = path("../../../connector/");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const source = names
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(`${folder}${name}`, "utf8"))
    .join("\n");
  const cells = [...errors.matchAll(/^\| `\w+` \| (.+?) \|/gm)].map(([, cell]) => cell!);
  const sentences = cells.flatMap((cell) => [...cell.matchAll(/`(.+?)`/g)].map(([, sentence]) => sentence!));
  expect(sentences.length).toBeGreaterThan(20);
  const parts = sentences.flatMap((sentence) => sentence.split(/"…"|\d{3}/));
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
});

test("the other pages send their readers to this one, and hold no table of their own", () => {
  for (const page of ["README.md", "docs/airbyte.md", "docs/operators.md"]) {
    const text = readFileSync(path(`../../../${page}`), "utf8");
    expect(text, page).toMatch(/\((docs\/)?troubleshooting\.md/);
    expect(text, page).not.toMatch(/^\| `The service does not accept/m);
  }
});
