/**
 * Runs inside `npm version`, after it has changed package.json and before it commits: writes the new version to every
 * place that repeats it, gives the Unreleased entry of both changelogs its version and date, leaves an empty Unreleased
 * entry above it, and adds all of it to the commit. Changes nothing if a changelog has nothing under Unreleased.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changelogs } from "../tools/release/changelogs.ts";

const image = /source-survey-export:(\d+\.\d+\.\d+)/g;

/**
 * Every place that repeats the version of package.json, except the changelogs, whose entries are written by hand. The
 * pattern's group is the version.
 */
export const versionFields: readonly { readonly path: string; readonly pattern: RegExp }[] = [
  { path: "n8n-node/package.json", pattern: /^ {2}"version": "([^"]+)"/gm },
  { path: "package-lock.json", pattern: /"n8n-node": \{\s+"name": "[^"]+",\s+"version": "([^"]+)"/g },
  { path: "connector/airbyte/metadata.yaml", pattern: /dockerImageTag: (\S+)/g },
  { path: "manifest/metadata.yaml", pattern: /dockerImageTag: (\S+)/g },
  { path: "docs/airbyte.md", pattern: /^Version (\S+)\. /gm },
  { path: "manifest/README.md", pattern: /^Version (\S+)\. /gm },
  { path: "dbt/dbt_project.yml", pattern: /^version: "([^"]+)"/gm },
  { path: "dbt/README.md", pattern: /revision: v(\S+)/g },
  { path: "Dockerfile", pattern: /(?:io\.airbyte|org\.opencontainers\.image)\.version="([^"]+)"/g },
  { path: "examples/docker-run/sync.sh", pattern: image },
  { path: "examples/compose/compose.yaml", pattern: image },
  { path: "examples/airflow/survey_export.py", pattern: image },
  { path: "examples/kubernetes/cronjob.yaml", pattern: image },
  { path: "examples/kubernetes/volume.yaml", pattern: image },
];

if (import.meta.main) {
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
}
