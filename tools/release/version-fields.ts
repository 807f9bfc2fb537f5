const image = /source-survey-export:(\d+\.\d+\.\d+)/g;

/**
 * Every place that repeats the version of package.json, except the changelogs, whose entries are written by hand. The
 * pattern's group is the version.
 */
export const versionFields: readonly { readonly path: string; readonly pattern: RegExp }[] = [
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
