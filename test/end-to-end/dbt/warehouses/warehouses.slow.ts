import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import build from "../../../support/build.ts";
import { path, run } from "../support/dbt-runner.ts";
import { outcomeOf, prepare, pythonOf, type Warehouse } from "../support/warehouses/warehouses.ts";

/**
 * The dbt package in the words of databases that are not here: compiled with their own adapters, checked, and run on
 * stand-ins. `dbt/README.md` says how far each of these proves it.
 */
vi.setConfig({ testTimeout: 1_800_000 });

const MODELS = 14;

let folder: string;
let duckdb: string;

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), "warehouses-"));
  duckdb = await prepare(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("each model compiles, whatever names there are, has only what the database has, and gives the same rows on DuckDB", () => {
  // Models that no transpiled statement of DuckDB runs are compiled and checked only.
  const cases: readonly (readonly [Warehouse, string[]])[] = [
    ["postgres", ["response_attributes", "url_parameters"]],
    ["redshift", ["response_attributes", "url_parameters"]],
    ["snowflake", ["response_attributes", "url_parameters"]],
    ["bigquery", ["response_attributes", "url_parameters"]],
    ["databricks", ["response_attributes", "url_parameters"]],
  ];

  test.each(cases)("%s, without running %j", (warehouse, notRun) => {
    const { faults, equal } = outcomeOf("compile", warehouse, folder, duckdb);
    expect(faults).toEqual({});
    expect(equal).toHaveLength(MODELS - notRun.length);
    for (const name of notRun) expect(equal).not.toContain(`survey_export__${name}`);
  });
});

test("dbt builds, and tests, all models on a stand-in for Snowflake", () => {
  const { faults, equal } = outcomeOf("run_fakesnow", "snowflake", folder, duckdb);
  expect(faults).toEqual({});
  expect(equal).toHaveLength(MODELS);
});

test("every template parses with minijinja, the engine that dbt 2 is built on", () => {
  const root = path("../../../../dbt");
  const program = `
import minijinja, pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*/**/*.sql"):
    # dbt's own block, which has the form of a macro
    text = path.read_text().replace("{% test ", "{% macro ").replace("{% endtest %}", "{% endmacro %}")
    minijinja.Environment(templates={"template": "{% if false %}" + text + "{% endif %}"}).render_template("template")
    print(path)`;
  const parsed = run(pythonOf("warehouses"), ["-c", program, root], root);
  expect(parsed.trim().split("\n").toSorted()).toEqual(
    globSync(join(root, "{macros,models,seeds,tests}/**/*.sql")).toSorted(),
  );
});

test("a model in other words is found", () => {
  const plant = (files: string) => {
    const model = join(files, "models/survey_export__surveys.sql");
    writeFileSync(
      model,
      readFileSync(model, "utf8").replace("survey_id,\n", "timezone('UTC', survey_id) as survey_id,\n"),
    );
  };
  expect(outcomeOf("compile", "bigquery", folder, duckdb, plant).faults).toMatchObject({
    survey_export__surveys: ["function timezone"],
  });
});

test.each([
  ["bigquery", "select unnest(words) as word from t", "rows made in a select list: UNNEST(words) AS word"],
  ["snowflake", "select unnest(words) as word from t", "function unnest"],
  ["snowflake", "select timezone('UTC', a) as a from t", "function timezone"],
  ["bigquery", "select cast(a as double precision) as a from t", "type double precision"],
  ["bigquery", "select a::int64 as a from t", "operator ::"],
  [
    "bigquery",
    "select datetime_add(cast(a as datetime), interval 1 minute) > a as b from t",
    "a datetime, which no timestamp compares with: DATETIME_ADD(CAST(a AS DATETIME), INTERVAL '1' MINUTE)",
  ],
  ["redshift", "select cast(a as text) as a from t", "type text"],
  [
    "redshift",
    "select max(a) over (order by b) as a from t",
    "window without rows between: MAX(a) OVER (ORDER BY b)",
  ],
  ["redshift", "select a as tag from t", "reserved word tag"],
  ["databricks", "select posexplode(words) from t", "rows made in a select list: POSEXPLODE(words)"],
  ["databricks", "select string_to_array(a, '&') as a from t", "function string_to_array"],
])("%s cannot run: %s", (dialect, sql, fault) => {
  const program = "import dialects, json, sys; print(json.dumps(dialects.faults(*sys.argv[1:])[0]))";
  const printed = run(pythonOf("warehouses"), ["-c", program, sql, dialect], path("warehouses"));
  expect(JSON.parse(printed.trim().split("\n").at(-1)!)).toContain(fault);
});
