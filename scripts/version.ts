/**
 * Runs inside `npm version`, after it has changed package.json and before it commits: writes the new version to every
 * place that repeats it, gives the Unreleased entry of both changelogs its version and date, leaves an empty Unreleased
 * entry above it for the next version, and adds all of it to the commit. Changes nothing if a changelog has nothing under
 * Unreleased.
 */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { changelogs, newestEntry, versionFields } from "../tools/release/version-fields.ts";

const root = new URL("../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");
const write = (path: string, text: string) => writeFile(new URL(path, root), text);

const { version } = JSON.parse(await read("package.json"));
const today = new Date().toISOString().slice(0, 10);
const entries = await Promise.all(
  changelogs.map(async (path) => {
    const text = await read(path);
    if (newestEntry(text, path).version === "Unreleased")
      return { path, text: text.replace("## Unreleased", `## Unreleased\n\n## ${version} (${today})`) };
    throw new Error(
      `${path} has no entry for ${version}. Write what changed under "## Unreleased" and run npm version again.`,
    );
  }),
);
for (const { path, text } of entries) await write(path, text);
for (const { path, pattern } of versionFields) {
  const text = await read(path);
  await write(
    path,
    text.replace(pattern, (whole, old) => whole.replace(old, version)),
  );
}
const written = [...changelogs, ...versionFields.map(({ path }) => path)];
execFileSync("git", ["add", ...written], { cwd: root });
