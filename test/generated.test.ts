import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { STREAMS } from "../connector/core/index.ts";
import { dbtAnswerTypes } from "../scripts/dbt-answer-types.ts";
import { withTables } from "../scripts/documentation-tables.ts";
import { GENERATED_PAGES, withEntityDiagrams } from "../scripts/entity-diagram.ts";
import { exampleCatalog } from "../scripts/example-catalog.ts";
import { generatedTypes } from "../scripts/generated-types.ts";

const checkedIn = (path: string) => readFile(new URL(`../${path}`, import.meta.url), "utf8");

test("the generated schemas and types are those of today's columns and schemas; otherwise run npm run generate", async () => {
  for (const [path, text] of await generatedTypes()) expect(await checkedIn(path), path).toBe(text);
});

test("each stream has a schema, and each schema a stream", async () => {
  const files = await readdir(new URL("../schemas/streams/", import.meta.url));
  expect(files.toSorted()).toEqual(
    Object.keys(STREAMS)
      .map((name) => `${name}.json`)
      .toSorted(),
  );
});

test("the documentation's tables and diagrams are those of today's schemas; otherwise run npm run generate", async () => {
  for (const path of GENERATED_PAGES) {
    const page = await checkedIn(path);
    expect(page, path).toBe(await withEntityDiagrams(await withTables(page)));
  }
});

test("dbt accepts the types of answers that the source knows; otherwise run npm run generate", async () => {
  for (const [path, text] of await dbtAnswerTypes()) expect(await checkedIn(path), path).toBe(text);
});

test("the catalog to copy reads all streams with a cursor; otherwise run npm run generate", async () => {
  const today = exampleCatalog();
  expect(today.streams.length).toBeGreaterThan(3);
  expect(await checkedIn("examples/catalog.json")).toBe(`${JSON.stringify(today, undefined, 2)}\n`);
});
