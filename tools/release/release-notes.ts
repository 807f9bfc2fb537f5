/**
 * `node tools/release/release-notes.ts [IMAGE]`: prints the notes of the release that is being made: the newest entry of each
 * changelog, and the base image that the image was built from. Relative links become links to the release's tag, because
 * a release page has no folder that they could start from.
 */
import { readFile } from "node:fs/promises";
import { changelogs, newestEntry } from "./version-fields.ts";

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const { version, homepage } = JSON.parse(await read("package.json"));

const [source, node] = await Promise.all(
  changelogs.map(async (path) => {
    const base = `${homepage}/blob/v${version}/${path}`;
    return newestEntry(await read(path), path).notes.replace(
      /\]\(([^()\s]+)\)/g,
      (_, link) => `](${new URL(link, base).href})`,
    );
  }),
);
process.stdout.write(`## Airbyte source\n\n${source}\n## n8n node\n\n${node}`);
const base = process.argv[2];
if (base) process.stdout.write(`\nThe image is built from \`${base}\`.\n`);
