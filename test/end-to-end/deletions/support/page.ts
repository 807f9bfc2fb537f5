import { readFileSync } from "node:fs";

/** The pages about deletions and erasure. */
export const pages = ["deletions", "personal-data"]
  .map((name) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), "utf8"))
  .join("\n");

/** The statement or command of these pages after the line `<!-- run: name -->` or `<!-- generated: name -->`. */
export function documented(name: string): string {
  const found = new RegExp(`<!-- \\w+: ${name} -->\\s+\`\`\`\\w+\\n([^]*?)\`\`\``).exec(pages)?.[1];
  if (found === undefined) throw new Error(`The pages have nothing by the name ${name}.`);
  return found;
}

/** The names of all statements and commands of these pages. */
export const documentedNames = (): string[] =>
  [...pages.matchAll(/<!-- \w+: (\w+) -->\s+```/g)].map(([, name]) => name!);
