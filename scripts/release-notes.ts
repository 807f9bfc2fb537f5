/** Prints the changelog's newest entry without its heading: the notes of the release that is being made. */
import { readFile } from "node:fs/promises";
import { newestEntry } from "./version-fields.ts";

const changelog = await readFile(new URL("../CHANGELOG.md", import.meta.url), "utf8");
process.stdout.write(newestEntry(changelog).notes);
