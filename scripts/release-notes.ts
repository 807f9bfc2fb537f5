/**
 * `node scripts/release-notes.ts [IMAGE]`: prints the notes of the release that is being made: the newest entry of each
 * changelog, and the base image that the image was built from.
 */
import { readFile } from "node:fs/promises";
import { changelogs, newestEntry } from "./version-fields.ts";

const [source, node] = await Promise.all(
  changelogs.map(
    async (path) => newestEntry(await readFile(new URL(`../${path}`, import.meta.url), "utf8"), path).notes,
  ),
);
process.stdout.write(`## Airbyte source\n\n${source}\n## n8n node\n\n${node}`);
const base = process.argv[2];
if (base) process.stdout.write(`\nThe image is built from \`${base}\`.\n`);
