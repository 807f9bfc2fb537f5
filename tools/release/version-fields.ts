import { readFile } from "node:fs/promises";

/** A place that repeats the version of package.json. The pattern's group is the version. */
export interface VersionField {
  readonly path: string;
  readonly pattern: RegExp;
}

const image = /source-survey-export:(\d+\.\d+\.\d+)/g;

/** Every place that repeats the version, except the changelogs, whose entries are written by hand. */
export const versionFields: readonly VersionField[] = [
  { path: "n8n-node/package.json", pattern: /^ {2}"version": "([^"]+)"/gm },
  { path: "package-lock.json", pattern: /"n8n-node": \{\s+"name": "[^"]+",\s+"version": "([^"]+)"/g },
  { path: "connector/airbyte/metadata.yaml", pattern: /dockerImageTag: (\S+)/g },
  { path: "dbt/dbt_project.yml", pattern: /^version: "([^"]+)"/gm },
  { path: "dbt/README.md", pattern: /revision: v(\S+)/g },
  { path: "Dockerfile", pattern: /(?:io\.airbyte|org\.opencontainers\.image)\.version="([^"]+)"/g },
  { path: "examples/docker-run/sync.sh", pattern: image },
  { path: "examples/compose/compose.yaml", pattern: image },
  { path: "examples/airflow/survey_export.py", pattern: image },
  { path: "examples/kubernetes/cronjob.yaml", pattern: image },
];

/** The changelogs of the Airbyte source and of the n8n node. Both are released together, under one version. */
export const changelogs = ["CHANGELOG.md", "n8n-node/CHANGELOG.md"] as const;

/** An entry of a changelog. The notes are the text under its heading, up to the next heading. */
export interface ChangelogEntry {
  /** As in package.json, or `Unreleased`. */
  readonly version: string;
  readonly date: string | undefined;
  readonly notes: string;
}

/**
 * The first entry that says something: `## Unreleased` stays empty until the first change after a release.
 *
 * @param path names the changelog in the error.
 * @throws if the changelog has no entry, or begins with a heading of another form.
 */
export function newestEntry(changelog: string, path: string): ChangelogEntry {
  const [, ...entries] = changelog.split(/^## /m);
  const [heading = "", ...notes] = (entries.find((entry) => entry.trim() !== "Unreleased") ?? "").split("\n");
  const parts = /^(Unreleased|(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\))$/.exec(heading);
  if (parts === null) throw new Error(`${path} does not begin with an entry like: ## 1.2.3 (2026-01-31)`);
  return { version: parts[2] ?? "Unreleased", date: parts[3], notes: `${notes.join("\n").trim()}\n` };
}

/** The versions that each place holds now. A place without a version has an empty list, which is an error. */
export async function versionsNow(root: URL): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { path, pattern } of versionFields) {
    const text = await readFile(new URL(path, root), "utf8");
    found.set(
      path,
      [...text.matchAll(pattern)].map((match) => match[1] ?? ""),
    );
  }
  return found;
}
