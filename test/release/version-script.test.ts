import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { versionFields, versionsNow } from "../../scripts/version-fields.ts";

const project = new URL("../../", import.meta.url);
let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "version-script-"));
  const needed = ["package.json", "CHANGELOG.md", "docs", "schemas", "spec", "scripts"];
  for (const path of new Set([...needed, ...versionFields.map((field) => field.path)])) {
    await cp(new URL(path, project), join(copy, path), { recursive: true });
  }
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  const manifest = await readFile(join(copy, "package.json"), "utf8");
  await writeFile(join(copy, "package.json"), manifest.replace(/"version": "[^"]+"/, '"version": "9.8.7"'));
});

afterEach(() => rm(copy, { recursive: true, force: true }));

const run = () => spawnSync(process.execPath, ["scripts/version.ts"], { cwd: copy, encoding: "utf8" });
const changelog = () => readFile(join(copy, "CHANGELOG.md"), "utf8");

test("npm version writes the new version everywhere and adds it to the commit", async () => {
  await writeFile(
    join(copy, "CHANGELOG.md"),
    `# Changelog\n\n## Unreleased\n\nBetter.\n\n## 0.1.0 (2026-11-21)\n\nFirst.\n`,
  );
  expect(run()).toMatchObject({ status: 0, stderr: "" });
  const found = [...(await versionsNow(pathToFileURL(`${copy}/`))).values()].flat();
  expect(new Set(found)).toEqual(new Set(["9.8.7"]));
  const today = new Date().toISOString().slice(0, 10);
  expect(await changelog()).toContain(`## 9.8.7 (${today})\n\nBetter.\n\n## 0.1.0 (2026-11-21)`);
  expect(await readFile(join(copy, "docs/airbyte.md"), "utf8")).toContain(
    `| 9.8.7 | ${today} | Better. |\n| 0.1.0 |`,
  );
  const added = execFileSync("git", ["diff", "--cached", "--name-only"], { cwd: copy, encoding: "utf8" });
  expect(added.trim().split("\n")).toEqual(
    ["CHANGELOG.md", "docs/airbyte.md", ...versionFields.map(({ path }) => path)].sort(),
  );
});

test("a version that the changelog says nothing of is refused, and nothing is changed", async () => {
  await writeFile(join(copy, "CHANGELOG.md"), "# Changelog\n\n## 0.1.0 (2026-11-21)\n\nFirst.\n");
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain(
    'CHANGELOG.md says nothing of 9.8.7. Add an entry "## Unreleased" and run npm version again.',
  );
  expect((await versionsNow(pathToFileURL(`${copy}/`))).get("Dockerfile")).not.toContain("9.8.7");
});
