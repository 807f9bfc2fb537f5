import { readFileSync } from "node:fs";

export const page = readFileSync(new URL("../../docs/deletions.md", import.meta.url), "utf8");

/** The statement or command of `docs/deletions.md` after the line `<!-- run: name -->` or `<!-- generated: name -->`. */
export function documented(name: string): string {
  const found = new RegExp(`<!-- \\w+: ${name} -->\\s+\`\`\`\\w+\\n([^]*?)\`\`\``).exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/deletions.md has nothing by the name ${name}.`);
  return found;
}

/** The names of all statements and commands of the page. */
export const documentedNames = (): string[] =>
  [...page.matchAll(/<!-- \w+: (\w+) -->\s+```/g)].map(([, name]) => name!);
