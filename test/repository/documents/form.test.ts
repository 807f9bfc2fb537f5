import { PERSONAL_DATA_KINDS } from "@survey-export/core";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import specification from "../../../spec/connection.json" with { type: "json" };

interface Property {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly order: number;
  readonly group: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly pattern_descriptor?: string;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly airbyte_secret?: boolean;
  readonly airbyte_hidden?: boolean;
  readonly always_show?: boolean;
  readonly items?: { readonly type: string; readonly pattern?: string; readonly pattern_descriptor?: string };
}

interface Kind {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly order: number;
  readonly airbyte_secret?: boolean;
}

const fields: [string, Property][] = Object.entries(specification.properties);
const required: readonly string[] = specification.required;
const least = { base_url: "https://api.example.com/v2", api_key: "k", survey_ids: ["1"] };
const text = JSON.stringify(specification);

describe("the form, by the rules of Airbyte's specification tests and its form", () => {
  test("has its fields in the order in which it shows them, and demands two", () => {
    expect(fields.map(([, { order }]) => order)).toEqual(fields.map((_, index) => index));
    expect(required).toEqual(["base_url", "api_key"]);
  });

  test("lets the platform add fields, and uses no keyword that the form cannot show", () => {
    expect(specification.additionalProperties).toBe(true);
    for (const keyword of ["$ref", "anyOf", "allOf", "oneOf", "not", "if"]) {
      expect(text).not.toContain(`"${keyword}":`);
    }
  });

  test("puts every field into one of its groups, and every group has fields", () => {
    const groups = specification.groups.map(({ id }) => id);
    expect(new Set(fields.map(([, { group }]) => group))).toEqual(new Set(groups));
  });

  test("marks the key and the salt of hashes as secret, and nothing else", () => {
    const all = [
      ...fields,
      ...Object.entries<Property | Kind>(specification.properties.personal_data.properties),
    ];
    const secret = all.filter(([, field]) => field.airbyte_secret).map(([name]) => name);
    expect(secret).toEqual(["api_key", "hash_salt"]);
  });

  test("offers keep, hash and omit for each kind of personal data, and keeps by default", () => {
    const { hash_salt, ...kinds } = specification.properties.personal_data.properties;
    expect(Object.keys(kinds).filter((kind) => kind !== "url")).toEqual(PERSONAL_DATA_KINDS);
    for (const [at, kind] of Object.values<Kind>(kinds).entries()) {
      expect(kind).toMatchObject({
        type: "string",
        order: at,
        enum: ["keep", kind === kinds.url ? "host_only" : "hash", "omit"],
        default: "keep",
      });
      for (const word of kind.title.split(" ")) expect(word).toMatch(/^([A-Z][A-Za-z]*|of|the)$/);
      expect(kind.description).toMatch(/^[A-Z].*\.$/);
    }
    expect(hash_salt.order).toBe(Object.keys(kinds).length);
  });

  describe.each(fields)("%s", (name, field) => {
    test("has one type, a title in title case, and a description in whole sentences", () => {
      expect(typeof field.type).toBe("string");
      for (const word of field.title.split(" ")) expect(word).toMatch(/^([A-Z][A-Za-z]*|per)$/);
      expect(field.description).toMatch(/^[A-Z].*\.$/);
    });

    test("is always shown only if it is optional, and hidden only if it has a default", () => {
      if (field.always_show) expect(required).not.toContain(name);
      if (field.airbyte_hidden) expect(field.default).toBeDefined();
    });

    test("has a pattern with a descriptor and an example that fits, or none", () => {
      for (const each of [field, field.items]) {
        expect(each?.pattern_descriptor === undefined).toBe(each?.pattern === undefined);
      }
      const valid = new Ajv({ strict: false, validateFormats: false }).compile(field);
      for (const example of field.examples ?? [])
        expect(valid(example), JSON.stringify(valid.errors)).toBe(true);
      if (field.default !== undefined) expect(valid(field.default)).toBe(true);
    });

    test("has a pattern if it is a date, a range if it is a number, and an example if it is a list", () => {
      if (field.format === "date-time") expect(field.pattern).toBeDefined();
      if (field.type === "array") expect(field.examples).toBeDefined();
      if (field.type === "integer")
        expect([field.minimum, field.maximum, field.default]).not.toContain(undefined);
    });
  });

  test("its examples together are a configuration that the source takes", () => {
    const examples = Object.fromEntries(
      fields.flatMap(([name, { examples }]) => (examples === undefined ? [] : [[name, examples[0]]])),
    );
    expect(() => requireConfiguration({ ...examples, api_key: "k" })).not.toThrow();
  });

  test("whatever the form refuses by itself, the source refuses too", () => {
    const valid = new Ajv({ strict: false, validateFormats: false }).compile(specification);
    const wrong = [
      { base_url: "https://api.example.com\\x/v2" },
      { base_url: "HTTPS://api.example.com/v2" },
      { api_key: "a b" },
      { survey_ids: [""] },
      { respondent_uuids: ["urn:uuid:6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"] },
      { start_date: "2024-01-01" },
      { end_date: "2024-01-01t00:00:00z" },
      { attributes: [""] },
      { lookback_window: "PT1.5H" },
      { items_per_page: 0 },
      { personal_data: "omit" },
      { personal_data: { free_text: "remove" } },
    ];
    for (const change of wrong) {
      expect(valid({ ...least, ...change }), JSON.stringify(change)).toBe(false);
      expect(() => requireConfiguration({ ...least, ...change }), JSON.stringify(change)).toThrow();
    }
  });
});
