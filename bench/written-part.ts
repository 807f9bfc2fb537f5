import { readFile, writeFile } from "node:fs/promises";
import { withPart } from "../tools/generate/part-of-page.ts";

const README = new URL("README.md", import.meta.url);

/** The parts of the page that a program writes. Everything else is written by hand. */
export type PartName = "results" | "peers";

/** Writes one part of the page (`withPart`). @throws Error if the page has no such part */
export async function writePart(name: PartName, text: string, page: string | URL = README): Promise<void> {
  const before = await readFile(page, "utf8");
  await writeFile(page, withPart(before, name, text));
}
