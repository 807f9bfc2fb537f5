import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { catalogStreams } from "../../../connector/airbyte/catalog.ts";
import specification from "../../../spec/connection.json" with { type: "json" };

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("the metadata, by the rules of Airbyte's registry", () => {
  test("names everything the registry requires", async () => {
    const { metadataSpecVersion, data } = parse(await read("connector/airbyte/metadata.yaml"));
    expect(metadataSpecVersion).toBe("1.0");
    expect(data).toMatchObject({
      name: "Survey Export",
      definitionId: "4d0ce304-a9f6-44f8-a83f-6b19eb9dca36", // never another: connections are bound to it
      connectorType: "source",
      connectorSubtype: "api",
      dockerRepository: expect.stringMatching(/\/source-survey-export$/),
      dockerImageTag: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      license: "MIT",
      documentationUrl: expect.stringMatching(/^https:\/\/.+\/docs\/airbyte\.md$/),
      githubIssueLabel: "source-survey-export",
      releaseStage: expect.stringMatching(/^(alpha|beta|generally_available)$/),
    });
  });

  test("allows the configured host and suggests streams that there are", async () => {
    const { data } = parse(await read("connector/airbyte/metadata.yaml"));
    const placeholders = data.allowedHosts.hosts.map((host: string) => /^\$\{(\w+)\}$/.exec(host)?.[1]);
    expect(placeholders).toEqual(["base_url"]);
    for (const name of placeholders) expect(specification.properties).toHaveProperty(name);
    const names = catalogStreams().map(({ name }) => name);
    for (const stream of data.suggestedStreams.streams) expect(names).toContain(stream);
  });
});

test("the icon is a square drawing that loads nothing", async () => {
  const icon = await read("connector/airbyte/icon.svg");
  const [, width, height] = /<svg [^>]*width="(\d+)" height="(\d+)"/.exec(icon) ?? [];
  expect(width).toBe(height);
  expect(icon).toContain(`viewBox="0 0 ${width} ${height}"`);
  expect(icon.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
    /https?:|<image|<script|<style|href=/,
  );
});

describe("the documentation", () => {
  test("has Airbyte's headings in their order", async () => {
    const headings = [...(await read("docs/airbyte.md")).matchAll(/^## (.+)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings).toEqual([
      "Prerequisites",
      "Setup guide",
      "Supported sync modes",
      "Supported Streams",
      "Performance considerations",
      "Data type map",
      "Limitations & Troubleshooting",
      "IP allow list",
      "Changelog",
    ]);
  });

  test("names every stream with its key and cursor", async () => {
    const page = await read("docs/streams.md");
    for (const { name, source_defined_primary_key, default_cursor_field } of catalogStreams()) {
      const key = source_defined_primary_key.map(([field]) => `\`${field}\``).join(", ");
      expect(page).toContain(`| [\`${name}\`](#${name}) | ${key} | \`${default_cursor_field}\` |`);
      expect(page).toContain(`## ${name}\n`);
    }
  });
});

test("the image's entry point and AIRBYTE_ENTRYPOINT are the same words, the first of them a path", async () => {
  const dockerfile = await read("Dockerfile");
  const [, entryPoint = "[]"] = /^ENTRYPOINT (.+)$/m.exec(dockerfile) ?? [];
  const [, variable] = /^ENV AIRBYTE_ENTRYPOINT="(.+)"$/m.exec(dockerfile) ?? [];
  expect(variable).toBe(JSON.parse(entryPoint).join(" "));
  expect(variable).toMatch(/^\//);
});

test("nothing enters the image's context but what the image is built from", async () => {
  const rules = (await read(".dockerignore"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(rules[0]).toBe("*");
  const copied = [...(await read("Dockerfile")).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, names = ""]) => names.split(" "),
  );
  expect(
    rules
      .slice(1)
      .map((rule) => rule.slice(1))
      .toSorted(),
  ).toEqual(copied.toSorted());
});
