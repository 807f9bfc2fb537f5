import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { manifestText } from "../../scripts/manifest.ts";
import specification from "../../spec/connection.json" with { type: "json" };

const checkedIn = () => readFile(new URL("../../connector/airbyte/manifest.yaml", import.meta.url), "utf8");

test("the manifest is that of today's template, form and schemas; otherwise run npm run generate", async () => {
  expect(await checkedIn()).toBe(await manifestText());
});

test("the manifest asks for the same configuration as our own source, without what it cannot obey", async () => {
  const { spec } = parse(await checkedIn(), { version: "1.1" });
  const { $schema: _, ...form } = specification;
  const { personal_data, ...properties } = form.properties;
  const groups = form.groups.filter(({ id }) => id !== personal_data.group);
  expect(spec.connection_specification).toEqual({ ...form, groups, properties });
});
