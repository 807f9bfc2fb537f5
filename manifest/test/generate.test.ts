import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { STREAMS } from "../../connector/core/index.ts";
import specification from "../../spec/connection.json" with { type: "json" };

interface Property {
  readonly type: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

const checkedIn = () => readFile(new URL("../manifest.yaml", import.meta.url), "utf8");

test("no line of the manifest is too long to be read", async () => {
  expect((await checkedIn()).split("\n").filter(({ length }) => length >= 160)).toEqual([]);
});

test("every stream is in the manifest, or its page says that it is not", async () => {
  const { dynamic_streams: streams } = parse(await checkedIn(), { version: "1.1" });
  const inManifest = streams.map(({ name }: { name: string }) => name);
  const page = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const missing = Object.keys(STREAMS).filter((name) => !inManifest.includes(name));
  expect(missing.filter((name) => !page.includes(`\`${name}\` is not in the manifest`))).toEqual([]);
});

describe("the manifest's form", async () => {
  const { spec, ...manifest } = parse(await checkedIn(), { version: "1.1" });
  const { properties, groups, ...form } = spec.connection_specification;
  const expressions = JSON.stringify(manifest);

  test("is that of our own source, with its groups as far as they are shown", () => {
    const { $schema: _, properties: own, groups: all, ...rest } = specification;
    expect(form).toEqual(rest);
    expect(Object.keys(properties)).toEqual(Object.keys(own));
    const shown = new Set(Object.values<{ group?: string }>(properties).map(({ group }) => group));
    expect(groups).toEqual(all.filter(({ id }) => shown.has(id)));
  });

  test.each(Object.entries(specification.properties))("uses or refuses %s", (name, own) => {
    const { description, ...field } = properties[name];
    const { description: ownDescription, ...ownField } = own;
    expect(description).toMatch(/^[A-Z].*\.$/);
    if (new RegExp(`config(\\[|\\.get\\()'${name}'`).test(expressions)) {
      expect(field).toEqual(ownField);
      return;
    }
    // Ignored is what nobody wants: a value that would do nothing is not valid.
    expect(field.airbyte_hidden).toBe(true);
    expect(description).not.toBe(ownDescription);
    const valid = new Ajv({ strict: false, validateFormats: false }).compile(field);
    const [nothing, something] = valuesOf(own);
    expect(valid(nothing)).toBe(true);
    expect(valid(something)).toBe(false);
  });

  test("has the defaults of our own form in its expressions", () => {
    const defaults = [...expressions.matchAll(/config\.get\('(\w+)'\) or '?(\w+)/g)];
    const own: Record<string, Property> = specification.properties;
    const standing = defaults.filter(([, name = ""]) => own[name]?.default !== undefined);
    expect(standing.length).toBeGreaterThan(3);
    for (const [, name = "", text] of standing) expect(text, name).toBe(String(own[name]!.default));
  });
});

/** A value of a field that changes nothing, and one that does. */
function valuesOf(field: Property): [unknown, unknown] {
  const nothing: Record<string, unknown> = { object: {}, array: [], string: "" };
  const something = [field.minimum, field.maximum, ...(field.examples ?? []), { any: "omit" }];
  return [
    field.default ?? nothing[field.type],
    something.find((value) => value !== undefined && value !== field.default),
  ];
}
