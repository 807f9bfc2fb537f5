import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonWith } from "../../../support/virtual-environment.ts";

export type Row = Readonly<Record<string, unknown>>;
/** A database as dbt's profile describes it. */
export type Output = Readonly<Record<string, string | number>>;

/** The outputs of a profile, as a user writes them, for the databases of a test. */
export const databases = (folder: string, port = 0): Record<"duckdb" | "postgres", Output> => ({
  duckdb: { type: "duckdb", path: join(folder, "survey.duckdb"), schema: "analytics", threads: 2 },
  postgres: {
    ...{ type: "postgres", host: "127.0.0.1", port, user: "survey", password: "none" },
    ...{ dbname: "postgres", schema: "analytics", threads: 2 },
  },
});

export const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** What Python programs get from our environment: no settings of this machine's user, and a Node for the bin. */
const environment = (home: string) => ({
  PATH: [dirname(process.execPath), process.env.PATH].join(":"),
  HOME: home,
  AIRBYTE_OFFLINE_MODE: "1",
  DO_NOT_TRACK: "1",
  DBT_SEND_ANONYMOUS_USAGE_STATS: "false",
  PYTHONDONTWRITEBYTECODE: "1",
});

/** The Python that has dbt with an adapter for each database, sqlfluff and the drivers of DuckDB and PostgreSQL. */
export function dbtPython(): string {
  return pythonWith("dbt", readFileSync(path("requirements.txt"), "utf8").trim().split("\n"));
}

/** Runs a command and gives its output, also if it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, {
      cwd,
      env: environment(cwd),
      encoding: "utf8",
      maxBuffer: 1 << 30,
      stdio: "pipe",
    });
  } catch (failed) {
    const { stdout, stderr } = failed as { stdout: string; stderr: string };
    return `${stdout}\n${stderr}`;
  }
}

/** Runs dbt on a project in a folder that the tests own. */
export function dbt(project: string, output: Output, ...args: readonly string[]): string {
  writeProfile(project, output);
  return run(join(dbtPython(), "../dbt"), ["--no-use-colors", ...args], project);
}

/** Runs sqlfluff on the models and analyses of the package, which it compiles with the tables that are in the database. */
export function lint(copy: string, output: Output): string {
  writeProfile(copy, output);
  return run(join(dbtPython(), "../sqlfluff"), ["lint", "--nocolor", "models", "analyses"], copy);
}

function writeProfile(project: string, output: Output): void {
  const profiles = { survey_export: { target: "test", outputs: { test: output } } };
  writeFileSync(join(project, "profiles.yml"), JSON.stringify(profiles));
}

/** A user's project in `folder`, which installs a copy of the package; both as paths. */
export function createProject(folder: string, name: string): { project: string; package: string } {
  const [project, copy] = [join(folder, `project-${name}`), join(folder, `package-${name}`)];
  cpSync(path("project"), project, { recursive: true });
  cpSync(path("../../../../dbt"), copy, { recursive: true });
  writeFileSync(
    join(project, "packages.yml"),
    JSON.stringify({ packages: [{ local: `../package-${name}` }] }),
  );
  return { project, package: copy };
}

const sqlFiles = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    globSync(join(folder, "*.sql"))
      .toSorted()
      .map((file) => [basename(file, ".sql"), readFileSync(file, "utf8")]),
  );

/** The analyses of the package by name, as templates. */
export const ANALYSES = sqlFiles(path("../../../../dbt/analyses"));

/**
 * The analyses that dbt compiles in a user's project, by name, as statements of its database.
 *
 * @throws Error with what dbt said if one does not compile
 */
export function compileAnalyses(project: string, output: Output, variables: object) {
  const select = ["--select", "package:dbt_survey_export,resource_type:analysis"];
  const said = dbt(project, output, "compile", ...select, "--vars", JSON.stringify(variables));
  if (/error/i.test(said)) throw new Error(said);
  return sqlFiles(join(project, "target/compiled/dbt_survey_export/analyses"));
}

/** The rows of a statement, which finds the models by their names. */
export function query(folder: string, output: Output, sql: string): Row[] {
  const result = run(dbtPython(), [path("query.py"), JSON.stringify({ ...output, sql })], folder);
  try {
    return JSON.parse(result);
  } catch {
    throw new Error(`${sql}\n${result}`);
  }
}
