import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** Folders that are not part of the repository, and that other tests change meanwhile. */
const LEFT_OUT = ["node_modules", "dist", ".git", ".survey-export", "n8n-repository"];
const documents = globSync("**/*.md", { exclude: LEFT_OUT.map((name) => `**/${name}`) });

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
      LEFT_OUT.includes(path.split("/")[0] ?? "") || places.some((place) => existsSync(join(place, path)))
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
