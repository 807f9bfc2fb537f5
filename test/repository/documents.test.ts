import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ERROR_CODES, WARNING_CODES } from "@survey-export/core";
import { expect, test } from "vitest";
import { AIRBYTE_WARNING_CODES } from "../../connector/airbyte/message-writer.ts";

/** Folders that are not part of the repository, and that other tests change meanwhile. */
const OMITTED = ["node_modules", "dist", ".git", ".survey-export", "n8n-repository"];
const documents = globSync("**/*.md", { exclude: OMITTED.map((name) => `**/${name}`) });

const withoutCode = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(readFileSync(path, "utf8")).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => {
    const words = heading.replace(/\[(.*?)\]\(.*?\)/g, "$1").toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

const HERE = /^https:\/\/github\.com\/survey-export\/survey-export\/(?:blob|tree)\/main\//;

/** Where a link of a document leads, from the root; undefined if it leaves the repository. */
function targetOf(document: string, path: string): string | undefined {
  if (HERE.test(path)) return path.replace(HERE, "");
  if (/^\w+:/.test(path)) return undefined;
  return path === "" ? document : normalize(join(dirname(document), path));
}

test("every link and picture of every document that stays in the repository leads to something", () => {
  expect(documents.length).toBeGreaterThan(15);
  const broken = documents.flatMap((document) => {
    const text = withoutCode(readFileSync(document, "utf8")).replace(/`[^`\n]*`/g, "");
    return [...text.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, path = "", anchor]) => {
      const target = targetOf(document, path);
      if (target === undefined) return [];
      const isThere = existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
      return isThere ? [] : [`${document}: ${link}`];
    });
  });
  expect(broken).toEqual([]);
});

test("every file that a document names is there", () => {
  const missing = documents.flatMap((document) => {
    const text = withoutCode(readFileSync(document, "utf8"));
    const named = [
      ...text.matchAll(/`([\w@.-]+(?:\/[\w@.-]+)+\.(?:ts|js|mjs|py|md|json|ya?ml|sql|svg|jinja))`/g),
    ];
    const places = ["", dirname(document), "connector/core", "docs"];
    return named.flatMap(([, path = ""]) =>
      OMITTED.includes(path.split("/")[0] ?? "") || places.some((place) => existsSync(join(place, path)))
        ? []
        : [`${document}: ${path}`],
    );
  });
  expect(missing).toEqual([]);
});

test("every npm script that a document names is there", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const missing = documents.flatMap((document) => {
    const named = readFileSync(document, "utf8").matchAll(/\bnpm run ([\w:-]+)/g);
    return [...named].flatMap(([, name = ""]) => (name in scripts ? [] : [`${document}: ${name}`]));
  });
  expect(missing).toEqual([]);
});

const service = readFileSync("spec/service.md", "utf8");
const sync = readFileSync("spec/sync.md", "utf8");

test.each([
  ["S", service],
  ["I", sync],
])("the numbers %s… that comments refer to have a section each, in order", (letter, text) => {
  const sections = [...text.matchAll(new RegExp(`^## (${letter}\\d+) `, "gm"))].map(([, number]) => number!);
  expect(sections).toEqual(sections.map((_, place) => `${letter}${place + 1}`));
  const sources = globSync("{connector,n8n-node/nodes,sandbox}/**/*.ts", { exclude: ["**/node_modules"] });
  const named = sources.flatMap((path) => readFileSync(path, "utf8").match(/\b[SI]\d{1,2}\b/g) ?? []);
  const ours = named.filter((number) => number.startsWith(letter));
  expect(ours.length).toBeGreaterThan(3);
  expect(sections).toEqual(expect.arrayContaining(ours));
});

const guarantees = sync
  .split("\n# What this gives up")[0]!
  .split(/^## (?=I)/m)
  .slice(1);
test.each(guarantees)("every guarantee names tests that there are: %s", (guarantee) => {
  const tests = [...guarantee.matchAll(/^- `(test\/[^`]+)`: "(.+)"$/gm)];
  expect(tests).not.toEqual([]);
  for (const [, file, sentence] of tests) expect(readFileSync(file!, "utf8")).toContain(sentence);
});

const page = readFileSync("docs/troubleshooting.md", "utf8");
const [, errors = "", warnings = ""] = page.split(/^## (?:Errors|Warnings)$/m);
const codesIn = (section: string): string[] =>
  [...new Set([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code!))].toSorted();

test("every code of an error and of a warning has its row, and no other", () => {
  expect(codesIn(errors)).toEqual([...ERROR_CODES].toSorted());
  expect(codesIn(warnings)).toEqual([...WARNING_CODES, ...AIRBYTE_WARNING_CODES].toSorted());
});

test("the sentences that the page shows are sentences of the source", () => {
  const source = globSync("connector/**/*.ts", { exclude: ["**/node_modules"] })
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const cells = [...errors.matchAll(/^\| `\w+` \| (.+?) \|/gm)].map(([, cell]) => cell!);
  const sentences = cells.flatMap((cell) => [...cell.matchAll(/`(.+?)`/g)].map(([, sentence]) => sentence!));
  expect(sentences.length).toBeGreaterThan(20);
  const parts = sentences.flatMap((sentence) => sentence.split(/"…"|\d{3}/));
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
});

test("the table of time-outs has the values that the code has", () => {
  const table = readFileSync("docs/ARCHITECTURE.md", "utf8").split(/^## Time-outs$/m)[1]!;
  const rows = [...table.matchAll(/^\| `(.+?)` \| .+ \| `(.+?)` \|$/gm)];
  const isThere = (code: string, path: string) =>
    ["", "connector/core"]
      .map((place) => join(place, path))
      .some((file) => existsSync(file) && readFileSync(file, "utf8").includes(code));
  expect(rows.length).toBeGreaterThan(7);
  expect(rows.filter(([, code = "", path = ""]) => !isThere(code, path)).map(([row]) => row)).toEqual([]);
});
