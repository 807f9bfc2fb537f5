import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { versionFields } from "../../scripts/version.ts";
import { changelogs } from "../../tools/release/changelogs.ts";
import { folderForTest } from "../support/folder.ts";

const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The distinct versions that a place has. */
const versionsIn = (folder: string, { path, pattern }: (typeof versionFields)[number]): string[] => [
  ...new Set([...readFileSync(join(folder, path), "utf8").matchAll(pattern)].map(([, found]) => found!)),
];

test.each(versionFields)("$path has the version of package.json", (field) => {
  expect(versionsIn(root, field)).toEqual([version]);
});

test("the image, the metadata and the documentation name one repository", () => {
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  const { data } = parse(readFileSync(join(root, "connector/airbyte/metadata.yaml"), "utf8"));
  expect(dockerfile).toContain(`io.airbyte.name="${data.dockerRepository}"`);
  expect(dockerfile).toContain(`image.documentation="${data.documentationUrl}"`);
});

let copy: string;
beforeEach(() => {
  copy = folderForTest().path();
  const files = ["package.json", "scripts/version.ts", "tools/release", ...changelogs];
  for (const path of new Set([...files, ...versionFields.map((field) => field.path)])) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  const manifest = readFileSync(join(root, "package.json"), "utf8");
  writeFileSync(join(copy, "package.json"), manifest.replace(/"version": "[^"]+"/, '"version": "9.8.7"'));
});

const run = (...words: readonly string[]) =>
  spawnSync(process.execPath, words, { cwd: copy, encoding: "utf8" });
const released = "## 0.1.0 (2026-11-21)\n\nFirst.\n";
const changelog = (path: string, entry: string) =>
  writeFileSync(join(copy, path), `# Changelog\n\n${entry}\n\n${released}`);

test("npm version writes the new version everywhere and adds it to the commit", () => {
  for (const path of changelogs) changelog(path, "## Unreleased\n\nBetter.");
  expect(run("scripts/version.ts")).toMatchObject({ status: 0, stderr: "" });
  for (const field of versionFields) expect(versionsIn(copy, field)).toEqual(["9.8.7"]);
  const today = new Date().toISOString().slice(0, 10);
  for (const path of changelogs) {
    expect(readFileSync(join(copy, path), "utf8")).toBe(
      `# Changelog\n\n## Unreleased\n\n## 9.8.7 (${today})\n\nBetter.\n\n${released}`,
    );
  }
  const added = execFileSync("git", ["diff", "--cached", "--name-only"], { cwd: copy, encoding: "utf8" });
  const written = [...changelogs, ...versionFields.map(({ path }) => path)];
  expect(added.trim().split("\n").toSorted()).toEqual(written.toSorted());
});

test.each(["## Unreleased", "Nothing."])(
  "a version is refused with the entry %j in a changelog, and nothing changes",
  (entry) => {
    changelog("CHANGELOG.md", "## Unreleased\n\nBetter.");
    changelog("n8n-node/CHANGELOG.md", entry);
    const { status, stderr } = run("scripts/version.ts");
    expect(status).toBe(1);
    expect(stderr).toContain(
      'n8n-node/CHANGELOG.md has no entry for 9.8.7. Write what changed under "## Unreleased" and run npm version again.',
    );
    for (const field of versionFields) expect(versionsIn(copy, field)).toEqual([version]);
    expect(readFileSync(join(copy, "CHANGELOG.md"), "utf8")).not.toContain("9.8.7");
  },
);

test("the notes of a release hold both changelogs' entries and the base image; their links lead to its tag", () => {
  for (const path of changelogs) {
    changelog(
      path,
      "## Unreleased\n\n## 9.8.7 (2026-12-01)\n\n[a](docs/questions.md#1-nps), [b](https://npmjs.com/).",
    );
  }
  const tag = "https://github.com/survey-export/survey-export/blob/v9.8.7";
  const { stdout, stderr } = run("tools/release/release-notes.ts", "node:24-slim@sha256:0");
  expect(stdout, stderr).toBe(
    `## Airbyte source\n\n[a](${tag}/docs/questions.md#1-nps), [b](https://npmjs.com/).\n\n` +
      `## n8n node\n\n[a](${tag}/n8n-node/docs/questions.md#1-nps), [b](https://npmjs.com/).\n\n` +
      "The image is built from `node:24-slim@sha256:0`.\n",
  );
});
