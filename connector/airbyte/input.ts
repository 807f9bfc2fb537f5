import { parseJson, readText } from "../node/input-file.ts";
import { configuredCatalog, streamNames } from "./catalog.ts";
import { withEnvironment } from "./configuration.ts";

/**
 * The configuration of a file, with what the environment adds; without a file, of the environment alone. It is not checked.
 * @throws SurveyExportError `invalid_configuration` if the file cannot be read, or is not JSON
 */
export async function readConfiguration(path: string | undefined, env: NodeJS.ProcessEnv): Promise<unknown> {
  const given = path === undefined ? {} : parseJson("config", await readText("config", path));
  return withEnvironment(given, env);
}

/**
 * The catalog of a file; without one, of the named streams, or of every stream but the snapshots.
 * @throws SurveyExportError `invalid_configuration`
 */
export async function readCatalog(path: string | undefined, streams?: readonly string[]): Promise<unknown> {
  if (path === undefined || streams) return configuredCatalog(streams && streamNames(streams));
  return parseJson("catalog", await readText("catalog", path));
}

/** The text of a state file. @throws SurveyExportError `invalid_configuration` */
export const readState = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : readText("state", path);
