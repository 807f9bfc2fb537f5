import { execFileSync, spawn } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonWith } from "../../../support/virtual-environment.ts";

export type Row = Readonly<Record<string, unknown>>;
/** A database as dbt's profile describes it, with the files that it attaches. */
export type Output = Readonly<Record<string, string | number | readonly object[]>>;

/** The outputs of a profile, as a user writes them, for the databases of a test. */
export const databases = (folder: string, port = 0): Record<"duckdb" | "postgres", Output> => ({
  duckdb: { type: "duckdb", path: join(folder, "survey.duckdb"), schema: "analytics", threads: 2 },
  postgres: {
    type: "postgres",
    host: "127.0.0.1",
    port,
    user: "survey",
    password: "none",
    dbname: "postgres",
    schema: "analytics",
    threads: 2,
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

/**
 * dbt with an adapter for each database, sqlfluff, and the drivers of DuckDB, SQLite and PostgreSQL. After 1.12.0, dbt-core needs
 * a newer parser, which PyPI does not have: its installation downloads it.
 */
const PACKAGES = [
  ...["dbt-core==1.12.0", "dbt-core-experimental-parser==2.0.0a4"],
  ...["dbt-adapters==1.24.5", "dbt-common==1.39.0"],
  ...["dbt-bigquery==1.12.1", "dbt-duckdb==1.11.1", "dbt-postgres==1.11.0", "dbt-snowflake==1.12.4"],
  ...["duckdb==1.4.3", "duckdb-extension-sqlite-scanner==1.4.3", "psycopg2-binary==2.9.13"],
  ...["sqlfluff==4.4.0", "sqlfluff-templater-dbt==4.4.0", "sqlglot==30.30.0"],
];
export const dbtPython = (): string => pythonWith("dbt", PACKAGES);

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

let folderOfForks: string | undefined;
/** Words for python3, before those of a program, to run it in a fork of a process that has dbt ready and ends with us. */
export function inFork(program = join(dbtPython(), "../dbt")): readonly string[] {
  if (folderOfForks === undefined) {
    folderOfForks = mkdtempSync(join(tmpdir(), "dbt-"));
    writeProfile(folderOfForks, databases(folderOfForks).postgres);
    const [words, env] = [[path("forks.py"), folderOfForks], environment(folderOfForks)];
    spawn(dbtPython(), words, { env, stdio: ["pipe", "inherit", "inherit"] }).unref();
  }
  return ["-IS", path("forks.py"), folderOfForks, program];
}

/** Runs dbt on a project in a folder that the tests own. */
export function dbt(project: string, output: Output, ...args: readonly string[]): string {
  writeProfile(project, output);
  return run("python3", [...inFork(), "--no-use-colors", ...args], project);
}

/** Runs sqlfluff on the models and analyses of the package, which it compiles with the tables that are in the database. */
export function lint(copy: string, output: Output): string {
  writeProfile(copy, output);
  const words = [...inFork(join(dbtPython(), "../sqlfluff")), "lint", "--nocolor", "models", "analyses"];
  return run("python3", words, copy);
}

function writeProfile(project: string, output: Output): void {
  const profiles = { survey_export: { target: "test", outputs: { test: output } } };
  writeFileSync(join(project, "profiles.yml"), JSON.stringify(profiles));
}

/** The seed of a user's project, unless a test has its own. */
const QUESTION_LABELS = `
survey_id,question_id,label,column_name
1001,1001,How easy was it?,ease
1001,1002,Why did you choose us?,reasons
1001,1003,A question without a column,
1001,1004,A question without a column," "
1001,1005,How satisfied are you?,satisfaction
1001,1009,Would you recommend us?,nps
1002,2009,Would you recommend us?,nps
1004,4009,A score that someone answered with null,nps
1001,1010,"Rate our ""service""",service
1001,1011,What matters most?,priorities
1001,1012,Did you install it?,installed
1004,4012,A question that nobody answered,installed
1001,1001,A choice beside an action,mixed
1001,1012,An action beside a choice,mixed
1004,4000000001,An identifier that does not fit into 32 bits,large
1004,4013,Another question that nobody answered,unasked
`;
const COLUMN_TYPES = {
  survey_id: "varchar(255)",
  label: "varchar(255)",
  column_name: "varchar(255)",
  question_id: "bigint",
};

/** A user's project in `folder`, which installs a copy of the package and names its questions; both as paths. */
export function createProject(folder: string, name: string, labels = QUESTION_LABELS, answerLabels?: string) {
  const [project, copy] = [join(folder, `project-${name}`), join(folder, `package-${name}`)];
  cpSync(path("../../../../dbt"), copy, { recursive: true });
  mkdirSync(join(project, "seeds"), { recursive: true });
  const write = (file: string, content: string) => writeFileSync(join(project, file), content);
  const settings = {
    name: "survey_analysis",
    version: "1.0.0",
    "config-version": 2,
    profile: "survey_export",
    seeds: { survey_analysis: { question_labels: { "+full_refresh": true, "+column_types": COLUMN_TYPES } } },
    vars: {
      survey_export_schema: "raw",
      survey_export_question_labels: "survey_analysis.question_labels",
      survey_export_attributes: [
        ...["plan", { name: "rôle & team", column: "attribute_role" }, "locale", "no such attribute"],
      ],
    },
  };
  write("dbt_project.yml", JSON.stringify(settings));
  write("packages.yml", JSON.stringify({ packages: [{ local: `../package-${name}` }] }));
  write("seeds/question_labels.csv", `${labels.trim()}\n`);
  if (answerLabels !== undefined) write("seeds/answer_labels.csv", `${answerLabels.trim()}\n`);
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
 * @throws Error with what dbt said if one does not compile
 */
export function compileAnalyses(project: string, output: Output, variables: object) {
  const select = ["--select", "package:dbt_survey_export,resource_type:analysis"];
  const said = dbt(project, output, "compile", ...select, "--vars", JSON.stringify(variables));
  if (/error/i.test(said)) throw new Error(said);
  return sqlFiles(join(project, "target/compiled/dbt_survey_export/analyses"));
}

/**
 * A user's project on each database, as `createProject` makes them. A statement finds the models by their names.
 * `change` takes statements that give no rows. `run` gives what dbt printed with these variables.
 */
export const projectsOn = (folder: string, port: number, labels?: string, answerLabels?: string) =>
  Object.entries(databases(folder, port)).map(([target, output]) => {
    const created = createProject(folder, target, labels, answerLabels);
    const read = (sql: string) => query(folder, output, sql);
    return {
      ...created,
      target,
      output,
      read,
      change: (...sql: readonly string[]) => read(`${sql.join("\n")}\nselect 1;`),
      rows: (sql: string) => read(sql).map((row) => Object.values(row)),
      run: (variables: object, ...words: readonly string[]) =>
        dbt(created.project, output, ...words, "--vars", JSON.stringify(variables)),
    };
  });

/** The rows of a statement, which finds the models by their names. */
export function query(folder: string, output: Output, sql: string): Row[] {
  const result = run(dbtPython(), [path("query.py"), JSON.stringify({ ...output, sql })], folder);
  try {
    return JSON.parse(result);
  } catch {
    throw new Error(`${sql}\n${result}`);
  }
}
