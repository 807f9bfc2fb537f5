import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writePart } from "../../bench/written-part.ts";

/** A file with this text, which is gone after the test. */
async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "survey-export-bench-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "README.md");
  await writeFile(path, text);
  return path;
}

const PAGE = `# How fast?

<!-- results -->

old results

<!-- end -->

By hand.

<!-- peers -->

old peers

<!-- end -->

By hand, too.
`;

it.each(["results", "peers"] as const)(
  "the %s are written between their markers, and everything else stays",
  async (name) => {
    const path = await fileWith(PAGE);
    const written = PAGE.replace(`old ${name}`, () => "$& of\n\ntoday");
    await writePart(name, "$& of\n\ntoday\n", path);
    expect(await readFile(path, "utf8")).toBe(written);
    await writePart(name, "$& of\n\ntoday\n", path);
    expect(await readFile(path, "utf8")).toBe(written);
  },
);

it("a page without the markers stays as it is, and the error says so", async () => {
  const path = await fileWith("# How fast?\n\n<!-- results -->\n\nold results\n");
  const wrote = writePart("results", "new results", path);
  await expect(wrote).rejects.toThrow("The page has no part between <!-- results --> and <!-- end -->.");
  expect(await readFile(path, "utf8")).toContain("old results");
});

it.each(["results", "peers"] as const)("bench/README.md has a place for the %s", async (name) => {
  const readme = await readFile("bench/README.md", "utf8");
  const path = await fileWith(readme);
  await writePart(name, "something new", path);
  const written = await readFile(path, "utf8");
  const [before = "", after = ""] = written.split("\nsomething new\n");
  expect(readme.startsWith(before)).toBe(true);
  expect(readme.endsWith(after)).toBe(true);
});
