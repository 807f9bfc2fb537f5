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
