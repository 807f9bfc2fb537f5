import { globSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { testFolder } from "../../support/folder.ts";
import { createProject, inFork, path, run } from "./support/dbt-runner.ts";
import { columnsIn } from "./support/tables.ts";

/** The dbt package in the words of Snowflake and BigQuery: compiled by their adapters and parsed. No statement runs. */
vi.setConfig({ testTimeout: 1_800_000 });

const account = { user: "none", password: "none", account: "none", database: "d", warehouse: "w" };
const WAREHOUSES = {
  snowflake: {
    output: { type: "snowflake", ...account, schema: "analytics" },
    types: {
      text: "text",
      timestamp: "timestamp_tz",
      boolean: "boolean",
      json: "variant",
      integer: "number",
      number: "float",
    },
  },
  bigquery: {
    output: { type: "bigquery", method: "oauth", project: "p", dataset: "analytics" },
    types: {
      text: "string",
      timestamp: "timestamp",
      boolean: "bool",
      json: "json",
      integer: "int64",
      number: "float64",
    },
  },
} as const;

const folder = testFolder().path();

function faultsIn(type: keyof typeof WAREHOUSES): Record<string, string | null> {
  const { output, types } = WAREHOUSES[type];
  const { project } = createProject(folder, type);
  const profiles = { survey_export: { target: "test", outputs: { test: { ...output, threads: 1 } } } };
  writeFileSync(join(project, "profiles.yml"), JSON.stringify(profiles));
  const vars = {
    survey_export_schema: ["raw", "raw_two"],
    survey_export_using_response_keys: true,
    survey_export_survey_deletes_responses: true,
    survey_export_wide_surveys: ["1001"],
    survey_export_time_zone: "Europe/Berlin",
  };
  const given = JSON.stringify({ type, project, vars, columns: columnsIn(types) });
  const printed = run("python3", [...inFork(path("compile.py")), given], folder);
  try {
    return JSON.parse(printed.trim().split("\n").at(-1)!);
  } catch {
    throw new Error(printed);
  }
}

test.each(["snowflake", "bigquery"] as const)("each statement is one that %s can parse", (type) => {
  const faults = faultsIn(type);
  expect(Object.entries(faults).filter(([, fault]) => fault !== null)).toEqual([]);
  const files = globSync(path("../../../../dbt/{analyses,models}/*.sql"));
  expect(Object.keys(faults)).toEqual(expect.arrayContaining(files.map((file) => basename(file, ".sql"))));
});
