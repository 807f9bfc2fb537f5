import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/**
 * Who may import whom: a file imports from its own folder or from ranks below it, and never by path from another part
 * (docs/ARCHITECTURE.md). Folders on one line do not import each other.
 */
const PARTS: Readonly<Record<string, readonly (readonly RegExp[])[]>> = {
  connector: [
    [/^(main|command-line|arguments)\.ts$/],
    [/^sync-command\//, /^report\//],
    [/^views\//],
    [/^airbyte\//],
    [/^node\//],
    [/^core\/index\.ts$/],
    [/^core\/sync\//],
    [/^core\/streams\//],
    [/^core\/privacy\//],
    [/^core\/answers\//],
    [/^core\/client\//],
    [/^core\/lists\//],
    [/^core\/coverage\//],
    [/^core\/(errors|ports)\.ts$/],
    [/^core\/text\//],
  ],
  "n8n-node": [
    [/^credentials\//, /\/SurveyExport(Trigger)?\.node\.ts$/],
    [/\/actions\//, /\/trigger\//],
    [/\/shared\//],
    [/\/output\//],
  ],
};
const PUBLIC_API = ["@survey-export/core", "@survey-export/core/errors", "@survey-export/core/message"];

const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && entry.name.endsWith(".ts") && !/node_modules|\/dist/.test(entry.parentPath),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const importsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map(([, specifier = ""]) =>
    specifier.startsWith(".") ? relative(root, join(root, dirname(file), specifier)) : specifier,
  );

/** The first place that fits, from the top. */
function placeOf(file: string): { readonly part: string; readonly rank: number; readonly folder?: RegExp } {
  const part = file.split("/")[0]!;
  const inside = file.slice(part.length + 1);
  for (const [rank, folders] of (PARTS[part] ?? []).entries()) {
    const folder = folders.find((pattern) => pattern.test(inside));
    if (folder) return { part, rank, folder };
  }
  return { part, rank: -1 };
}

function mayImport(file: string, imported: string): boolean {
  const [from, to] = [placeOf(file), placeOf(imported)];
  return from.part === to.part && (from.rank < to.rank || from.folder === to.folder);
}

/** What remains of these files when each that imports none of the others is taken away: circles, and what imports them. */
function circlesOf(files: readonly string[]): readonly string[] {
  const remaining = files.filter((file) => importsOf(file).some((imported) => files.includes(imported)));
  return remaining.length === files.length ? remaining : circlesOf(remaining);
}

const all = Object.keys(PARTS).flatMap(sources);
const connector = sources("connector");

describe("the architecture", () => {
  it("gives every file of the connector and the n8n node a rank", () => {
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((file) => placeOf(file).rank < 0)).toEqual([]);
  });

  it("lets no file import from a rank above its own, nor the core from any package", () => {
    const wrong = all.flatMap((file) =>
      importsOf(file)
        .filter((imported) =>
          imported.endsWith(".ts") ? !mayImport(file, imported) : file.startsWith("connector/core/"),
        )
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps the sandbox apart from what is tested with it", () => {
    const imports = sources("sandbox").flatMap(importsOf);
    expect(imports.length).toBeGreaterThan(50);
    expect(
      imports.filter((imported) => /^(connector|n8n-node|test|@survey-export)\//.test(imported)),
    ).toEqual([]);
  });

  it.each(["connector", "sandbox", "tools"])("has no circle of imports in %s, not even of types", (part) => {
    expect(sources(part).length).toBeGreaterThan(5);
    expect(circlesOf(sources(part))).toEqual([]);
  });

  it("has tools under scripts, benchmarks and tests", () => {
    const imports = sources("tools").flatMap(importsOf);
    expect(imports).toContain("connector/core/index.ts");
    expect(imports.filter((imported) => /^(bench|scripts|test)\//.test(imported))).toEqual([]);
  });

  it("opens the core by its public API only, by its name", () => {
    const outside = [
      ...connector.filter((file) => !file.startsWith("connector/core/")),
      ...sources("n8n-node"),
    ];
    const imports = outside.flatMap((file) => importsOf(file).map((imported) => ({ file, imported })));
    const wrong = imports.filter(
      ({ imported }) =>
        imported.startsWith("connector/core/") ||
        (imported.startsWith("@survey-export/") && !PUBLIC_API.includes(imported)),
    );
    expect(wrong).toEqual([]);
  });

  it("lists every stream that a file defines", () => {
    const index = "connector/core/streams/index.ts";
    const defined = connector.filter((file) => /export const \w+ = defineStream\(/.test(textOf(file)));
    expect(defined.length).toBeGreaterThan(3);
    expect(defined.filter((file) => !importsOf(index).includes(file))).toEqual([]);
  });

  it("keeps the core free of any platform, which is also what n8n's scanner asks of the bundle", () => {
    const platform =
      /node:|\bprocess\b|\bglobal(This)?\b|\b(set|clear)(Timeout|Interval|Immediate)\b|\bconsole\b|Date\.now|new Date\(\)|Math\.random|\bfetch\s*\(|__dirname|\beval\b/;
    const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    const wrong = connector
      .filter((file) => file.startsWith("connector/core/") && !file.includes("/generated/"))
      .filter((file) => platform.test(withoutComments(textOf(file))));
    expect(wrong).toEqual([]);
  });
});
