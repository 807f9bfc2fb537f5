import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;

/** The SQL of each view, by its name: the file of that name has it. The build puts the texts in the place of this module. */
export const VIEWS: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .map((file) => [file.replace(".sql", ""), readFileSync(join(folder, file), "utf8").trim()]),
);
