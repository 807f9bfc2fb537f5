/**
 * Runs inside `npm version`, after it has changed package.json and before it commits: writes the new version
 * wherever it stands, closes the changelog's Unreleased entry, and adds all of it to the commit.
 */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { withTables } from "./documentation-tables.ts";
import { newestEntry, versionFields } from "./version-fields.ts";

const root = new URL("../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");
const write = (path: string, text: string) => writeFile(new URL(path, root), text);

const { version } = JSON.parse(await read("package.json"));
const changelog = await read("CHANGELOG.md");
if (newestEntry(changelog).version !== "Unreleased") {
  throw new Error(
    `CHANGELOG.md says nothing of ${version}. Add an entry "## Unreleased" and run npm version again.`,
  );
}
const today = new Date().toISOString().slice(0, 10);
await write("CHANGELOG.md", changelog.replace("## Unreleased", `## ${version} (${today})`));
for (const { path, pattern } of versionFields) {
  const text = await read(path);
  await write(
    path,
    text.replace(pattern, (whole, old) => whole.replace(old, version)),
  );
}
await write("docs/airbyte.md", await withTables(await read("docs/airbyte.md")));
execFileSync("git", ["add", "CHANGELOG.md", "docs/airbyte.md", ...versionFields.map(({ path }) => path)], {
  cwd: root,
});
