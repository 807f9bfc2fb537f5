/**
 * A page with `text` as its part of this name: what stands between the line `<!-- NAME -->` and the next line `<!-- end -->`.
 * Everything else stays as it is.
 * @throws Error if the page has no such lines
 */
export function withPart(page: string, name: string, text: string): string {
  const part = new RegExp(`(?<=^<!-- ${name} -->\n).*?(?=^<!-- end -->$)`, "ms");
  if (!part.test(page)) throw new Error(`The page has no part between <!-- ${name} --> and <!-- end -->.`);
  return page.replace(part, () => `\n${text.trim()}\n\n`);
}
