import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { dbt, type Output, path } from "./dbt-runner.ts";

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
export function compileAnalyses(
  project: string,
  output: Output,
  variables: object,
): ReadonlyMap<string, string> {
  const select = ["--select", "package:dbt_survey_export,resource_type:analysis"];
  const said = dbt(project, output, "compile", ...select, "--vars", JSON.stringify(variables));
  if (/error/i.test(said)) throw new Error(said);
  return sqlFiles(join(project, "target/compiled/dbt_survey_export/analyses"));
}
