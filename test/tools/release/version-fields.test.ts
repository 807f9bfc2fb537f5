import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  changelogs,
  newestEntry,
  versionFields,
  versionsNow,
} from "../../../tools/release/version-fields.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");
const { version } = JSON.parse(await read("package.json"));

test.each(versionFields.map(({ path }) => path))("%s has the version of package.json", async (path) => {
  const found = (await versionsNow(root)).get(path);
  expect(found, "no version found there").not.toEqual([]);
  expect(new Set(found)).toEqual(new Set([version]));
});

test.each(changelogs)("the newest entry of %s is this version, or Unreleased", async (path) => {
  const changelog = await read(path);
  const newest = newestEntry(changelog, path);
  if (newest.version === "Unreleased") expect(changelog).toMatch(new RegExp(`^## ${version} \\(`, "m"));
  else expect(newest.version).toBe(version);
  expect(newest.notes).not.toBe("\n");
});

test("the image, the metadata and the documentation name one repository", async () => {
  const { data } = parse(await read("connector/airbyte/metadata.yaml"));
  expect(await read("Dockerfile")).toContain(`io.airbyte.name="${data.dockerRepository}"`);
  expect(await read("docs/airbyte.md")).toContain(`\`${data.dockerRepository}\``);
  expect(await read("Dockerfile")).toContain(`image.documentation="${data.documentationUrl}"`);
});

describe("the newest entry", () => {
  const text = (heading: string) =>
    `# Changelog\n\n${heading}\n\nIt is new.\n\n- Very new.\n\n## 0.0.1 (2020-01-01)\n\nOld.\n`;

  test("is the first, with the text under it", () => {
    expect(newestEntry(text("## 1.2.3 (2026-01-31)"), "CHANGELOG.md")).toEqual({
      version: "1.2.3",
      date: "2026-01-31",
      notes: "It is new.\n\n- Very new.\n",
    });
  });

  test("may be one that is not released yet", () => {
    expect(newestEntry(text("## Unreleased"), "CHANGELOG.md")).toMatchObject({
      version: "Unreleased",
      date: undefined,
    });
  });

  test("is not an empty Unreleased", () => {
    expect(newestEntry(text("## Unreleased\n\n## 1.2.3 (2026-01-31)"), "CHANGELOG.md")).toMatchObject({
      version: "1.2.3",
      notes: "It is new.\n\n- Very new.\n",
    });
  });

  test.each(["## 1.2.3", "## [1.2.3] (2026-01-31)", "## next"])(
    "is refused with the heading %j",
    (heading) => {
      expect(() => newestEntry(text(heading), "CHANGELOG.md")).toThrow(
        "CHANGELOG.md does not begin with an entry like: ## 1.2.3 (2026-01-31)",
      );
    },
  );
});
