import { createRedactor } from "@survey-export/core";
import { parseJson, readText } from "../node/input-file.ts";
import { configuredCatalog, streamNames } from "./catalog.ts";
import { withEnvironment } from "./configuration.ts";
import type { MessageWriter } from "./message-writer.ts";

/** The text of a configuration's file; undefined without one. @throws SurveyExportError if it cannot be read */
export const readConfiguration = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : readText("config", path);

/**
 * The configuration in a text, with what the environment adds; without a text, of the environment alone. It is not checked.
 * @throws SurveyExportError `invalid_configuration` if it is not JSON
 */
export const parseConfiguration = (text: string | undefined, env: NodeJS.ProcessEnv): unknown =>
  withEnvironment(text === undefined ? {} : parseJson("config", text), env);

/** From now on, no message of the writer shows the key of a configuration, which need not have been checked. */
export function hideKey(writer: MessageWriter, configuration: unknown): void {
  const { api_key: key } = Object(configuration);
  writer.protect({ redact: createRedactor(typeof key === "string" ? key : "") });
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
