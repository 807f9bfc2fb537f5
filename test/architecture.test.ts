import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** Who may import whom: a file imports from its own rank or from ranks below it (CONTRIBUTING.md). */
const RANKS = [
  [/^connector\/(main|command-line)\.ts$/],
  [/^connector\/node\//, /^connector\/airbyte\//, /^n8n-node\//],
  [/^connector\/core\/index\.ts$/],
  [/^connector\/core\/(streams|reading)\//],
  [/^connector\/core\/api\//],
  [/^connector\/core\/errors\.ts$/],
  [/^connector\/core\/text\//],
  [/^connector\/core\/(generated\/|ports\.ts$)/],
];

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
          imported.endsWith(".ts") ? rankOf(imported) < rankOf(file) : file.startsWith("connector/core/"),
        )
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  it("opens the core by its door only, to everyone outside", () => {
    const outside = [
      ...connector.filter((file) => !file.startsWith("connector/core/")),
      ...sources("n8n-node"),
    ];
    const wrong = outside.flatMap((file) =>
      importsOf(file)
        .filter(
          (imported) => imported.startsWith("connector/core/") && !/core\/(index|errors)\.ts$/.test(imported),
        )
        .map((imported) => `${file} imports ${imported}`),
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

  it("keeps sandbox and connector strangers: the tests hold one against the other", () => {
    const wrong = [...sources("sandbox"), ...connector].filter((file) =>
      importsOf(file).some((imported) =>
        imported.startsWith(file.startsWith("sandbox/") ? "connector/" : "sandbox/"),
      ),
    );
    expect(wrong).toEqual([]);
  });
});
