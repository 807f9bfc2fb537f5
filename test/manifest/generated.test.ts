import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { STREAMS } from "../../connector/core/index.ts";
import { manifestText } from "../../scripts/manifest.ts";
import specification from "../../spec/connection.json" with { type: "json" };

const checkedIn = () => readFile(new URL("../../connector/airbyte/manifest.yaml", import.meta.url), "utf8");

test("the manifest is that of today's template, form and schemas; otherwise run npm run generate", async () => {
  expect(await checkedIn()).toBe(await manifestText());
});

test("every stream is in the manifest, or its page says that it is not", async () => {
  const { dynamic_streams: streams } = parse(await checkedIn(), { version: "1.1" });
  const inManifest = streams.map(({ name }: { name: string }) => name);
  const page = await readFile(new URL("../../docs/airbyte-manifest.md", import.meta.url), "utf8");
  const missing = Object.keys(STREAMS).filter((name) => !inManifest.includes(name));
  expect(missing.filter((name) => !page.includes(`\`${name}\` is not in the manifest`))).toEqual([]);
});

test("the manifest asks for the same configuration as our own source, without what it cannot obey", async () => {
  const { spec } = parse(await checkedIn(), { version: "1.1" });
  const { $schema: _, ...form } = specification;
  const { personal_data, ...properties } = form.properties;
  const groups = form.groups.filter(({ id }) => id !== personal_data.group);
  expect(spec.connection_specification).toEqual({ ...form, groups, properties });
});
