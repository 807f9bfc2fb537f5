import { globSync, readFileSync } from "node:fs";
import { ERROR_CODES, WARNING_CODES } from "@survey-export/core";
import { expect, test } from "vitest";
import { AIRBYTE_WARNING_CODES } from "../../connector/airbyte/message-writer.ts";

const page = readFileSync("docs/troubleshooting.md", "utf8");
const [, errors = "", warnings = ""] = page.split(/^## (?:Errors|Warnings)$/m);
const codesIn = (section: string): string[] =>
  [...new Set([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code!))].toSorted();

test("every code of an error and of a warning has its row, and no other", () => {
  expect(codesIn(errors)).toEqual([...ERROR_CODES].toSorted());
  expect(codesIn(warnings)).toEqual([...WARNING_CODES, ...AIRBYTE_WARNING_CODES].toSorted());
});

test("the sentences that the page shows are sentences of the source", () => {
  const source = globSync("connector/**/*.ts", { exclude: ["**/node_modules"] })
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const cells = [...errors.matchAll(/^\| `\w+` \| (.+?) \|/gm)].map(([, cell]) => cell!);
  const sentences = cells.flatMap((cell) => [...cell.matchAll(/`(.+?)`/g)].map(([, sentence]) => sentence!));
  expect(sentences.length).toBeGreaterThan(20);
  const parts = sentences.flatMap((sentence) => sentence.split(/"…"|\d{3}/));
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
});
