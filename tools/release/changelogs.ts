/** The changelogs of the Airbyte source and of the n8n node. Both are released together, under one version. */
export const changelogs = ["CHANGELOG.md", "n8n-node/CHANGELOG.md"] as const;
