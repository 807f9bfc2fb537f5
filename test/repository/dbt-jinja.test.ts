import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/**
 * What dbt 2's engine (minijinja) has of Jinja and of Python's methods, as its sources of May 2026 say. Jinja for Python
 * passes every method of Python on; this engine has a list. No test runs dbt 2: PyPI has a program that downloads it.
 */
const ALLOWED = {
  tag: "do elif else endfor endif endmacro endset endtest for if macro set test",
  filter:
    "abs capitalize default first float int items join last length list lower map max min reject replace reverse round" +
    " select selectattr sort string sum title trim unique upper",
  test: "boolean defined divisibleby even false in integer mapping none number odd sequence string true undefined",
  method:
    "append extend insert pop " + // lists
    "incorporate " + // relations
    "get items keys pop setdefault update values " + // dictionaries, rows and columns
    "capitalize count endswith find format index isalnum isalpha isdigit islower isupper join lower lstrip removeprefix" +
    " removesuffix replace rsplit rstrip split splitlines startswith strip title upper zfill", // strings
};
/** Whose members are macros and functions of dbt, and not methods of Python. */
const NAMESPACES = /^(adapter|api|dbt|dbt_survey_export|exceptions|re)$/;

const root = new URL("../../dbt/", import.meta.url);
const templates = globSync("{analyses,macros,models,tests,integration_tests}/**/*.sql", { cwd: root }).map(
  (path) => ({
    path,
    text: readFileSync(new URL(path, root), "utf8"),
  }),
);

/** What a template uses that the engine lacks. */
function lacking(text: string): string[] {
  const code = [...text.replaceAll(/\{#.*?#\}/gs, "").matchAll(/\{%-?\s*(\w+)(.*?)-?%\}|\{\{(.*?)\}\}/gs)];
  const uses = code.flatMap(([, tag = "", statement, expression]) => {
    const plain = (statement ?? expression ?? "").replaceAll(/'[^']*'|"[^"]*"/g, "''");
    const all = (kind: keyof typeof ALLOWED, pattern: RegExp) =>
      [...plain.matchAll(pattern)].map(([, name]) => [kind, name!] as const);
    return [
      ...(tag === "" ? [] : [["tag", tag] as const]),
      ...all("filter", /\|\s*(\w+)/g),
      ...all("test", /\bis\s+(?:not\s+)?(\w+)/g),
      ...[...plain.matchAll(/(\w*)\s*\.(\w+)\(/g)]
        .filter(([, owner]) => !NAMESPACES.test(owner!))
        .map(([, , name]) => ["method", name!] as const),
    ];
  });
  return uses.filter(([kind, name]) => !ALLOWED[kind].split(" ").includes(name)).map((use) => use.join(" "));
}

test.each(templates)("dbt 2 has what $path uses", ({ text }) => {
  expect(lacking(text)).toEqual([]);
});

test.each(templates)("$path writes no value into a literal but a checksum", ({ text }) => {
  // survey_export_plain_string refuses what a database could take for more than a string.
  expect(text).not.toMatch(
    /escape_single_quotes|string_literal|'\{\{ (?!local_md5\()|'" ~ (?!local_md5\(|value ~ "'")/,
  );
});
