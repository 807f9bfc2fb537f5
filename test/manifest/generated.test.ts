import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { manifestText } from "../../scripts/manifest.ts";
import specification from "../../spec/connection.json" with { type: "json" };

const checkedIn = () => readFile(new URL("../../connector/airbyte/manifest.yaml", import.meta.url), "utf8");

test("the manifest is that of today's template, form and schemas; otherwise run npm run generate", async () => {
  expect(await checkedIn()).toBe(await manifestText());
});

test("the manifest asks for the same configuration as our own source, but for what it does otherwise", async () => {
  const { spec } = parse(await checkedIn(), { version: "1.1" });
  const { $schema: _, ...form } = specification;
  const { personal_data: own, ...properties } = form.properties;
  const { personal_data, ...fields } = spec.connection_specification.properties;
  const groups = form.groups.filter(({ id }) => id !== own.group);
  const others = ["start_date", "max_concurrent_requests", "requests_per_minute"] as const;
  for (const name of others) expect(fields[name].description).not.toBe(properties[name].description);
  const described = others.map((name) => [
    name,
    { ...properties[name], description: fields[name].description },
  ]);
  expect({ ...spec.connection_specification, properties: fields }).toEqual({
    ...form,
    groups,
    properties: { ...properties, ...Object.fromEntries(described) },
  });
  expect(personal_data).toMatchObject({ airbyte_hidden: true, additionalProperties: false, properties: {} });
});
