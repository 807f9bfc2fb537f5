import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/**
 * Who may import whom: a file imports from its own folder or from ranks below it (CONTRIBUTING.md). Each folder of the
 * core has a rank of its own.
 */
const RANKS = [
  [/^connector\/(main|command-line)\.ts$/],
  [/^connector\/airbyte\//, /^n8n-node\//],
  [/^connector\/node\//],
  [/^connector\/core\/index\.ts$/],
  [/^connector\/core\/sync\//],
  [/^connector\/core\/streams\//],
  [/^connector\/core\/privacy\//],
  [/^connector\/core\/answers\//],
  [/^connector\/core\/lists\//],
  [/^connector\/core\/client\//],
  [/^connector\/core\/coverage\//],
  [/^connector\/core\/(errors|ports)\.ts$/],
  [/^connector\/core\/text\//],
  [/^connector\/core\/generated\//],
];
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
const rankOf = (file: string): number =>
  RANKS.findIndex((patterns) => patterns.some((pattern) => pattern.test(file)));

const connector = sources("connector");

describe("the architecture", () => {
  it("gives every file of the connector a rank", () => {
    expect(connector.length).toBeGreaterThan(40);
    expect(connector.filter((file) => rankOf(file) < 0)).toEqual([]);
  });

  it("lets no file import from a rank above its own, nor the core from any package", () => {
    const wrong = [...connector, ...sources("n8n-node")].flatMap((file) =>
      importsOf(file)
        .filter((imported) =>
          imported.endsWith(".ts")
            ? rankOf(imported) < rankOf(file)
            : file.startsWith("connector/core/") && !/^schemas\/streams\/\w+\.json$/.test(imported),
        )
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no cycle of imports between files of the core", () => {
    const core = connector.filter((file) => file.startsWith("connector/core/"));
    const finished = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
      if (path.includes(file) || finished.has(file)) return;
      for (const imported of importsOf(file)) if (core.includes(imported)) visit(imported, [...path, file]);
      finished.add(file);
    };
    for (const file of core) visit(file, []);
    expect(cycles).toEqual([]);
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

  it("lets only the public API know the list of streams", () => {
    const wrong = connector.filter(
      (file) =>
        file !== "connector/core/index.ts" && importsOf(file).includes("connector/core/streams/index.ts"),
    );
    expect(wrong).toEqual([]);
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

  it("keeps the sandbox and the connector apart: the tests hold one against the other", () => {
    const wrong = [...sources("sandbox"), ...connector].filter((file) =>
      importsOf(file).some((imported) =>
        imported.startsWith(file.startsWith("sandbox/") ? "connector/" : "sandbox/"),
      ),
    );
    expect(wrong).toEqual([]);
  });
});
