/**
 * Runs inside `npm version`, after it has changed package.json and before it commits: writes the new version to every
 * place that repeats it, gives the Unreleased entry of both changelogs its version and date, leaves an empty Unreleased
 * entry above it, and adds all of it to the commit. Changes nothing if a changelog has nothing under Unreleased.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changelogs, versionFields } from "../tools/release/version-fields.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { version } = JSON.parse(read("package.json"));
const today = new Date().toISOString().slice(0, 10);

const texts = new Map<string, string>();
for (const path of changelogs) {
  const entries = read(path).split(/^## /m);
  if (!entries.some((entry) => /^Unreleased\n\s*\S/.test(entry)))
    throw new Error(
      `${path} has no entry for ${version}. Write what changed under "## Unreleased" and run npm version again.`,
    );
  texts.set(path, read(path).replace("## Unreleased", `## Unreleased\n\n## ${version} (${today})`));
}
for (const { path, pattern } of versionFields) {
  texts.set(
    path,
    read(path).replace(pattern, (whole, old) => whole.replace(old, version)),
  );
}
for (const [path, text] of texts) writeFileSync(join(root, path), text);
execFileSync("git", ["add", ...texts.keys()], { cwd: root });
