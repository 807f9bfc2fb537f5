import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { STREAMS } from "../../connector/core/index.ts";
import specification from "../../spec/connection.json" with { type: "json" };

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), "utf8");
const { spec, ...manifest } = parse(await read("manifest.yaml"), { version: "1.1" });

test("every stream is in the manifest, or its page says that it is not", async () => {
  const inManifest = [...manifest.streams, ...manifest.dynamic_streams].map(
    ({ name }: { name: string }) => name,
  );
  const page = await read("README.md");
  const missing = Object.keys(STREAMS).filter((name) => !inManifest.includes(name));
  expect(missing.filter((name) => !page.includes(`\`${name}\` is not in the manifest`))).toEqual([]);
});

test("an expression that needs a field names one that the form demands", () => {
  const text = JSON.stringify(manifest);
  const needed = Object.keys(specification.properties).filter((name) => text.includes(`config['${name}']`));
  expect(needed).toEqual(specification.required);
});

test.each(Object.entries(specification.properties))("the form uses or refuses %s", (name, own) => {
  const { description, ...field } = spec.connection_specification.properties[name];
  const { description: ownDescription, ...ownField } = own;
  if (new RegExp(`config(\\[|\\.get\\()'${name}'`).test(JSON.stringify(manifest))) {
    expect(field).toEqual(ownField);
    return;
  }
  // Ignored is what nobody wants: a value that would do nothing is not valid.
  expect(field.airbyte_hidden).toBe(true);
  expect(description).not.toBe(ownDescription);
  const valid = new Ajv({ strict: false, validateFormats: false }).compile(field);
  const [nothing, something] = own.type === "array" ? [[], ["any"]] : [{}, { any: "omit" }];
  expect([valid(nothing), valid(something)]).toEqual([true, false]);
});
