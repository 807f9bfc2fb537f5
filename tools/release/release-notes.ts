/**
 * `node tools/release/release-notes.ts [IMAGE]`: prints the notes of the release that is being made: each changelog's
 * entry for its version, and the base image that the image was built from. Relative links become links to the release's
 * tag, because a release page has no folder that they could start from.
 */
import { readFileSync } from "node:fs";
import { changelogs } from "./changelogs.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const { version, homepage } = JSON.parse(read("package.json"));

const [source, node] = changelogs.map((path) => {
  const entries = read(path).split(/^## /m);
  const entry = entries.find((each) => each.startsWith(`${version} (`));
  if (entry === undefined) throw new Error(`${path} has no entry like: ## ${version} (2026-01-31)`);
  const notes = entry.slice(entry.indexOf("\n")).trim();
  const base = `${homepage}/blob/v${version}/${path}`;
  return notes.replace(/\]\(([^()\s]+)\)/g, (_, link) => `](${new URL(link, base).href})`);
});
process.stdout.write(`## Airbyte source\n\n${source}\n\n## n8n node\n\n${node}\n`);
const image = process.argv[2];
if (image) process.stdout.write(`\nThe image is built from \`${image}\`.\n`);
