import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { requireConfiguration } from "../../connector/airbyte/configuration.ts";
import form from "../../spec/connection.json" with { type: "json" };

const page = readFileSync("docs/settings.md", "utf8");
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [/^`(\w+)`/.exec(section)?.[1], section.split(/^## /m)[0]!]),
);
const fields = Object.entries(form.properties);

describe("docs/settings.md", () => {
  test("has a section for each field of the form, in its order", () => {
    expect([...sections.keys()]).toEqual(fields.map(([name]) => name));
  });

  test.each(fields)("names %s as the form does, and its example is a configuration", (name, { title }) => {
    const section = sections.get(name)!;
    expect(section).toContain(`**${title}.**`);
    const [, example] = /```json\n([\s\S]+?)```/.exec(section) ?? [];
    if (name === "api_key") return expect(example).toBeUndefined();
    expect(example).toContain(`"${name}": `);
    expect(() => requireConfiguration(JSON.parse(`{ "api_key": "k", ${example} }`))).not.toThrow();
  });

  test("begins with a configuration that the source takes", () => {
    const [, example = ""] = /<!-- example -->\s+```json\n([\s\S]+?)```/.exec(page)!;
    expect(() => requireConfiguration({ api_key: "k", ...JSON.parse(example) })).not.toThrow();
  });

  test("has the address of the page for keys that the form has", () => {
    const [address] = /https:[^)\s]+/.exec(form.properties.api_key.description)!;
    expect(page).toContain(`](${address})`);
  });
});
