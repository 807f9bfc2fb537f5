import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changelogs, versionFields, versionsNow } from "../../tools/release/version-fields.ts";

const project = new URL("../../", import.meta.url);
let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "version-script-"));
  const needed = [
    "package.json",
    ...changelogs,
    "connector/core",
    "docs",
    "schemas",
    "spec",
    "scripts",
    "tools",
  ];
  for (const path of new Set([...needed, ...versionFields.map((field) => field.path)])) {
    await cp(new URL(path, project), join(copy, path), { recursive: true });
  }
  await symlink(new URL("node_modules", project), join(copy, "node_modules"));
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  const manifest = await readFile(join(copy, "package.json"), "utf8");
  await writeFile(join(copy, "package.json"), manifest.replace(/"version": "[^"]+"/, '"version": "9.8.7"'));
});

afterEach(() => rm(copy, { recursive: true, force: true }));

const run = () => spawnSync(process.execPath, ["scripts/version.ts"], { cwd: copy, encoding: "utf8" });
const read = (path: string) => readFile(join(copy, path), "utf8");
const before = "## 0.1.0 (2026-11-21)\n\nFirst.\n";
const keep = (path: string, entry: string) => writeFile(join(copy, path), `# Changelog\n\n${entry}${before}`);

test("npm version writes the new version everywhere and adds it to the commit", async () => {
  for (const path of changelogs) await keep(path, "## Unreleased\n\nBetter.\n\n");
  expect(run()).toMatchObject({ status: 0, stderr: "" });
  const found = [...(await versionsNow(pathToFileURL(`${copy}/`))).values()].flat();
  expect(new Set(found)).toEqual(new Set(["9.8.7"]));
  const today = new Date().toISOString().slice(0, 10);
  for (const path of changelogs)
    expect(await read(path)).toBe(
      `# Changelog\n\n## Unreleased\n\n## 9.8.7 (${today})\n\nBetter.\n\n${before}`,
    );
  const added = execFileSync("git", ["diff", "--cached", "--name-only"], { cwd: copy, encoding: "utf8" });
  expect(added.trim().split("\n").sort()).toEqual(
    [...changelogs, ...versionFields.map(({ path }) => path)].sort(),
  );
});

test.each(changelogs)(
  "a version with nothing under Unreleased in %s is refused, and nothing changes",
  async (path) => {
    for (const each of changelogs)
      await keep(each, each === path ? "## Unreleased\n\n" : "## Unreleased\n\nBetter.\n\n");
    const { status, stderr } = run();
    expect(status).toBe(1);
    expect(stderr).toContain(
      `${path} has no entry for 9.8.7. Write what changed under "## Unreleased" and run npm version again.`,
    );
    expect((await versionsNow(pathToFileURL(`${copy}/`))).get("Dockerfile")).not.toContain("9.8.7");
    for (const each of changelogs) expect(await read(each)).not.toContain("9.8.7");
  },
);

test("the notes of a release hold both changelogs' newest entries and the base of the image", async () => {
  for (const path of changelogs)
    await keep(path, `## Unreleased\n\n## 9.8.7 (2026-12-01)\n\nBetter ${path}.\n\n`);
  const args = ["tools/release/release-notes.ts", "node:24-slim@sha256:0"];
  expect(execFileSync(process.execPath, args, { cwd: copy, encoding: "utf8" })).toBe(
    "## Airbyte source\n\nBetter CHANGELOG.md.\n\n## n8n node\n\nBetter n8n-node/CHANGELOG.md.\n\n" +
      "The image is built from `node:24-slim@sha256:0`.\n",
  );
});

test("relative links in the notes of a release lead to its tag", async () => {
  const links = "[a](docs/questions.md#1-nps), [b](https://npmjs.com/package/undici)";
  for (const path of changelogs) await keep(path, `## 9.8.7 (2026-12-01)\n\n${links}.\n\n`);
  const notes = execFileSync(process.execPath, ["tools/release/release-notes.ts"], {
    cwd: copy,
    encoding: "utf8",
  });
  const tag = "https://github.com/survey-export/survey-export/blob/v9.8.7";
  expect([...notes.matchAll(/\]\((.*?)\)/g)].map(([, link]) => link)).toEqual([
    `${tag}/docs/questions.md#1-nps`,
    "https://npmjs.com/package/undici",
    `${tag}/n8n-node/docs/questions.md#1-nps`,
    "https://npmjs.com/package/undici",
  ]);
});
