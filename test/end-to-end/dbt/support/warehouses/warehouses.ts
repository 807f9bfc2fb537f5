import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonWith } from "../../../../support/virtual-environment.ts";
import { createProject, path, run } from "../dbt-runner.ts";
import { HOSTILE_NAMES, HOSTILE_SURVEY } from "../made-tables.ts";
import { loadTables } from "./records.ts";

export interface Outcome {
  /** What a node cannot do, by its name. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
  /** Models with the same rows as on DuckDB by itself. */
  readonly equal: readonly string[];
}

const VARIABLES = {
  survey_export_schema: "raw",
  survey_export_using_response_keys: true,
  survey_export_loaded_at_is_shared: false,
  survey_export_attributes: [],
  survey_export_csat_question_types: ["csat", ...HOSTILE_NAMES],
};
const account = { user: "none", password: "none", schema: "analytics", threads: 1 };
const server = { ...account, host: "127.0.0.1", port: 1, dbname: "d" };
const outputs = {
  postgres: { type: "postgres", ...server },
  redshift: { type: "redshift", ...server },
  snowflake: { type: "snowflake", ...account, account: "none", database: "d", warehouse: "w" },
  bigquery: { type: "bigquery", method: "oauth", project: "p", dataset: "analytics", threads: 1 },
  databricks: {
    type: "databricks",
    host: "none",
    http_path: "/sql/1.0/none",
    token: "none",
    catalog: "c",
    ...account,
  },
  spark: { type: "spark", method: "session", host: "none", schema: "analytics", threads: 1 },
};
export type Warehouse = keyof typeof outputs;

/** The Python of a requirements file. Without dependencies: see the file. */
export function pythonOf(name: "warehouses" | "spark"): string {
  const file = path(`warehouses/requirements${name === "spark" ? "-spark" : ""}.txt`);
  const packages = readFileSync(file, "utf8").split("\n");
  return pythonWith(name, ["--no-deps", ...packages.filter((line) => /^\w/.test(line))]);
}

/** Loads the sandbox's records into DuckDB, and builds the models there with dbt-duckdb. */
export async function prepare(folder: string): Promise<string> {
  const python = pythonOf("warehouses");
  const duckdb = await loadTables(python, folder);
  const project = projectFor("duckdb", folder, {
    type: "duckdb",
    path: duckdb,
    schema: "analytics",
    threads: 1,
  });
  const built = run(join(python, "../dbt"), ["build", "--vars", JSON.stringify(VARIABLES)], project);
  if (!/ERROR=0 /.test(built)) throw new Error(built);
  return duckdb;
}

/** Runs one of our programs for a database. */
export function outcomeOf(
  program: "compile" | "run_fakesnow" | "run_spark",
  warehouse: Warehouse,
  folder: string,
  duckdb: string,
  change: (files: string) => void = () => {},
): Outcome {
  const project = projectFor(`${program}-${warehouse}`, folder, outputs[warehouse], change);
  // Redshift has no function that decodes URLs.
  const vars = { ...VARIABLES, survey_export_using_url_parameters: warehouse !== "redshift" };
  const copy = join(project, "survey.duckdb");
  copyFileSync(duckdb, copy);
  const given = { type: warehouse, project, duckdb: copy, vars };
  const python = pythonOf(warehouse === "spark" ? "spark" : "warehouses");
  const printed = run(python, [path(`warehouses/${program}.py`), JSON.stringify(given)], project);
  const start = printed.lastIndexOf('{"faults"');
  if (start === -1) throw new Error(printed);
  return JSON.parse(printed.slice(start).split("\n")[0]!);
}

function projectFor(
  name: string,
  folder: string,
  output: object,
  change: (files: string) => void = () => {},
): string {
  const made = createProject(folder, name);
  const labels = readFileSync(path("questions/question_labels.csv"), "utf8");
  writeFileSync(join(made.project, "seeds/question_labels.csv"), `${labels}"${HOSTILE_SURVEY}",1,,hostile\n`);
  const profiles = { survey_export: { target: "test", outputs: { test: output } } };
  writeFileSync(join(made.project, "profiles.yml"), JSON.stringify(profiles));
  change(made.package);
  run(join(pythonOf("warehouses"), "../dbt"), ["deps", "--quiet"], made.project);
  return made.project;
}
