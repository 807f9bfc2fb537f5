import { readFileSync } from "node:fs";
import { PERSONAL_DATA_KINDS } from "@survey-export/core";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { catalogStreams } from "../../connector/airbyte/catalog.ts";
import { requireConfiguration } from "../../connector/airbyte/configuration.ts";
import form from "../../spec/connection.json" with { type: "json" };

/** What Airbyte's registry, its form and its platform ask of a connector's files. */

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

interface Field {
  readonly title: string;
  readonly description: string;
  readonly order: number;
  readonly group?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly airbyte_secret?: boolean;
}
const fields = Object.entries<Field>(form.properties);
const personal = Object.entries<Field>(form.properties.personal_data.properties);

describe("the form", () => {
  test("has its fields in the order in which it shows them, each in a group, and demands the key", () => {
    expect(fields.map(([, { order }]) => order)).toEqual(fields.map((_, place) => place));
    expect(new Set(fields.map(([, { group }]) => group))).toEqual(new Set(form.groups.map(({ id }) => id)));
    expect(form.required).toEqual(["api_key"]);
  });

  test("lets the platform add fields, and uses no keyword that it cannot show", () => {
    expect(form.additionalProperties).toBe(true);
    expect(JSON.stringify(form)).not.toMatch(/"(\$ref|anyOf|allOf|oneOf|not|if)":/);
  });

  test("marks the key and the salt of hashes as secret, and nothing else", () => {
    const secret = [...fields, ...personal].filter(([, { airbyte_secret }]) => airbyte_secret);
    expect(secret.map(([name]) => name)).toEqual(["api_key", "hash_salt"]);
  });

  test("offers to keep, hash or omit all personal data, which it keeps by default, and then each kind", () => {
    const [all, ...kinds] = personal.filter(([name]) => name !== "hash_salt");
    expect(all).toEqual(["all_kinds", expect.objectContaining({ order: 0, default: "keep" })]);
    expect(all![1]).toMatchObject({ type: "string", enum: ["keep", "hash", "omit"] });
    expect(kinds.map(([name]) => name).filter((name) => name !== "url")).toEqual(PERSONAL_DATA_KINDS);
    for (const [name, kind] of kinds) {
      const choices = ["keep", name === "url" ? "host_only" : "hash", "omit"];
      expect(kind).toMatchObject({ type: "string", enum: choices });
      // Airbyte stores a default as if somebody had chosen it: it would win over what all_kinds says.
      expect(kind).not.toHaveProperty("default");
    }
  });

  test.each([...fields, ...personal])("says what %s is, with a default and examples that fit", (_, field) => {
    expect(field.title).toMatch(/^[A-Z]/);
    expect(field.description).toMatch(/^[A-Z].*\.$/);
    const fits = new Ajv({ strict: false, validateFormats: false }).compile(field);
    const values = [...(field.examples ?? []), ...(field.default === undefined ? [] : [field.default])];
    expect(values.filter((value) => !fits(value))).toEqual([]);
  });

  test("its examples together are a configuration that the source takes", () => {
    const examples = fields
      .filter(([, field]) => field.examples)
      .map(([name, field]) => [name, field.examples![0]]);
    expect(() => requireConfiguration({ ...Object.fromEntries(examples), api_key: "k" })).not.toThrow();
  });
});

describe("the registry's files", () => {
  const { data } = parse(read("connector/airbyte/metadata.yaml"));

  test("the metadata keeps its id, and names the configured host, the default one, and streams that there are", () => {
    expect(data).toMatchObject({
      definitionId: "4d0ce304-a9f6-44f8-a83f-6b19eb9dca36", // never another: connections are bound to it
      dockerRepository: expect.stringMatching(/\/source-survey-export$/),
      documentationUrl: expect.stringMatching(/^https:\/\/.+\/docs\/airbyte\.md$/),
      allowedHosts: { hosts: ["$" + "{base_url}", new URL(form.properties.base_url.default).host] },
    });
    const suggested = ["survey_responses", "survey_answers", "surveys", "survey_questions"];
    expect(data.suggestedStreams.streams).toEqual(suggested);
    expect(catalogStreams().map(({ name }) => name)).toEqual(expect.arrayContaining(suggested));
  });

  test("the manifest's metadata has an id of its own, its CDK, and the same streams and hosts", () => {
    const own = parse(read("manifest/metadata.yaml")).data;
    expect(own.definitionId).toBe("5ec4b519-94f8-4a8a-843c-90f9adc92065"); // never another: connections are bound to it
    const [, cdk] = /"airbyte-cdk==(.+)"/.exec(read("manifest/test/sync.ts"))!;
    // Without a digest or with one: metadata.yaml says that it is open.
    const [, version] =
      /^docker\.io\/airbyte\/source-declarative-manifest:([^@]+)(@sha256:[0-9a-f]{64})?$/.exec(
        own.connectorBuildOptions.baseImage,
      )!;
    expect(version).toBe(cdk);
    // The same one brings Airbyte's standard tests.
    expect(read("test/end-to-end/pyairbyte/support/standard-tests.ts")).toContain(`"airbyte-cdk==${cdk}"`);
    expect(own.tags).toEqual(expect.arrayContaining(["language:manifest-only", "cdk:low-code"]));
    expect([own.suggestedStreams, own.allowedHosts]).toEqual([data.suggestedStreams, data.allowedHosts]);
    const { streams, dynamic_streams } = parse(read("manifest/manifest.yaml"), { version: "1.1" });
    const names = [...streams, ...dynamic_streams].map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(own.suggestedStreams.streams));
  });

  test("the icon is a square drawing that loads nothing, next to the metadata of source and manifest", () => {
    const icon = read("connector/airbyte/icon.svg");
    expect(read("manifest/icon.svg")).toBe(icon);
    expect([data.icon, parse(read("manifest/metadata.yaml")).data.icon]).toEqual(["icon.svg", "icon.svg"]);
    expect(icon).toMatch(/viewBox="0 0 (\d+) \1"/);
    const drawing = icon.replace('xmlns="http://www.w3.org/2000/svg"', "");
    expect(drawing).not.toMatch(/https?:|<image|<script|<style|href=/);
  });

  test("the documentation has Airbyte's headings in their order", () => {
    const headings = [...read("docs/airbyte.md").matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.join(", ")).toBe(
      "Prerequisites, Setup guide, Supported sync modes, Supported Streams, Performance considerations, Data type map, Limitations & Troubleshooting, IP allow list, Changelog",
    );
  });
});

test("the image starts by the same words from its entry point and from AIRBYTE_ENTRYPOINT", () => {
  const dockerfile = read("Dockerfile");
  const [, entryPoint = "[]"] = /^ENTRYPOINT (.+)$/m.exec(dockerfile) ?? [];
  const [, variable] = /^ENV AIRBYTE_ENTRYPOINT="(\/.+)"$/m.exec(dockerfile) ?? [];
  expect(variable).toBe(JSON.parse(entryPoint).join(" "));
});
