import { readFile, writeFile } from "node:fs/promises";

const README = new URL("README.md", import.meta.url);

/** The parts of the page that a program writes. Everything else is written by hand. */
export type PartName = "results" | "peers";

/**
 * Writes one part of the page: what stands between the line `<!-- NAME -->` and the next line `<!-- end -->`. Everything
 * else stays as it is.
 * @throws Error if the page has no such lines
 */
export async function writePart(name: PartName, text: string, page: string | URL = README): Promise<void> {
  const before = await readFile(page, "utf8");
  await writeFile(page, withPart(before, name, text));
}

function withPart(page: string, name: PartName, text: string): string {
  const part = new RegExp(`(?<=^<!-- ${name} -->\n).*?(?=^<!-- end -->$)`, "ms");
  if (!part.test(page)) throw new Error(`The page has no part between <!-- ${name} --> and <!-- end -->.`);
  return page.replace(part, () => `\n${text.trim()}\n\n`);
}
