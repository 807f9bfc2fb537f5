import { readFile } from "node:fs/promises";

/** A place that repeats the version of package.json. The pattern's group is the version. */
export interface VersionField {
  readonly path: string;
  readonly pattern: RegExp;
}

const image = /source-survey-export:(\d+\.\d+\.\d+)/g;

/** Every place that repeats the version, besides the changelog, whose entry is written by hand. */
export const versionFields: readonly VersionField[] = [
  { path: "n8n-node/package.json", pattern: /^ {2}"version": "([^"]+)"/gm },
  { path: "package-lock.json", pattern: /"n8n-node": \{\s+"name": "[^"]+",\s+"version": "([^"]+)"/g },
  { path: "connector/airbyte/metadata.yaml", pattern: /dockerImageTag: (\S+)/g },
  { path: "Dockerfile", pattern: /(?:io\.airbyte|org\.opencontainers\.image)\.version="([^"]+)"/g },
  { path: "examples/docker-run/sync.sh", pattern: image },
  { path: "examples/compose/compose.yaml", pattern: image },
  { path: "examples/airflow/survey_export.py", pattern: image },
  { path: "examples/kubernetes/cronjob.yaml", pattern: image },
];

/** An entry of the changelog. The notes are what stands under its heading, up to the next one. */
export interface ChangelogEntry {
  /** As package.json says it, or `Unreleased`. */
  readonly version: string;
  readonly date: string | undefined;
  readonly notes: string;
}

/** @throws where the changelog has no entry, or a heading that is none of ours. */
export function newestEntry(changelog: string): ChangelogEntry {
  const [, first = ""] = changelog.split(/^## /m);
  const [heading = "", ...notes] = first.split("\n");
  const parts = /^(Unreleased|(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\))$/.exec(heading);
  if (parts === null)
    throw new Error("CHANGELOG.md does not begin with an entry like: ## 1.2.3 (2026-01-31)");
  return { version: parts[2] ?? "Unreleased", date: parts[3], notes: `${notes.join("\n").trim()}\n` };
}

/** Each place with the versions it holds now. A place that holds none is a fault and comes with an empty list. */
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
