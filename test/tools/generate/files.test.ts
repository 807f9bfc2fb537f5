import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { STREAMS } from "../../../connector/core/index.ts";
import { generatedFiles } from "../../../tools/generate/files.ts";

const root = new URL("../../../", import.meta.url);
const files = await generatedFiles();

test.each([...files])("%s is what npm run generate writes today", async (path, text) => {
  expect(await readFile(new URL(path, root), "utf8"), "Run npm run generate.").toBe(text);
});

test("each stream has a schema, and each schema a stream", async () => {
  expect((await readdir(new URL("schemas/streams/", root))).toSorted()).toEqual(
    Object.keys(STREAMS)
      .map((name) => `${name}.json`)
      .toSorted(),
  );
});

test("the catalog to copy reads all streams but the snapshots", () => {
  const { streams } = JSON.parse(files.get("examples/catalog.json")!);
  expect(streams.length).toBeGreaterThan(3);
});

test("every page that says that a part of it is generated is among them", async () => {
  const pages = (await readdir(root, { recursive: true })).filter(
    (path) => path.endsWith(".md") && !/(^|\/)(node_modules|dist|\.[^/]+)\//.test(path),
  );
  expect(pages.length).toBeGreaterThan(20);
  for (const path of pages) {
    const isGenerated = (await readFile(new URL(path, root), "utf8")).includes("\n<!-- generated: ");
    if (isGenerated) expect(files.keys()).toContain(path);
  }
});
