/**
 * `node scripts/release-notes.ts [IMAGE]`: prints the notes of the release that is being made: the newest entry of the
 * changelog without its heading, and the base image that the image was built from.
 */
import { readFile } from "node:fs/promises";
import { newestEntry } from "./version-fields.ts";

const changelog = await readFile(new URL("../CHANGELOG.md", import.meta.url), "utf8");
process.stdout.write(newestEntry(changelog).notes);
const base = process.argv[2];
if (base) process.stdout.write(`\nBuilt from \`${base}\`.\n`);
