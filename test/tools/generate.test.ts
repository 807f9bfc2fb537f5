import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { STREAMS } from "../../connector/core/index.ts";
import { generatedFiles } from "../../tools/generate/files.ts";

const files = await generatedFiles();

test.each([...files])("%s is what npm run generate writes today", (path, text) => {
  expect(readFileSync(path, "utf8"), "Run npm run generate.").toBe(text);
});

test("each stream has a schema, and each schema a stream", () => {
  const schemas = globSync("schemas/streams/*.json");
  expect(schemas.toSorted()).toEqual(
    Object.keys(STREAMS)
      .map((name) => `schemas/streams/${name}.json`)
      .toSorted(),
  );
});

test("every page that says that a part of it is generated is among them", () => {
  const pages = globSync("{docs,spec,dbt,bench,manifest,n8n-node}/*.md");
  expect(pages.length).toBeGreaterThan(9);
  const isGenerated = (path: string) => readFileSync(path, "utf8").includes("\n<!-- generated: ");
  expect([...files.keys()]).toEqual(expect.arrayContaining(pages.filter(isGenerated)));
});
