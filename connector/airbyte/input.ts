import { createRedactor } from "@survey-export/core";
import { type InputFile, parseJson, readInput } from "../node/input-file.ts";
import { namedStreams, parseConfiguredCatalog, type SelectedStream } from "./catalog.ts";
import { type Configuration, requireConfiguration, withEnvironment } from "./configuration.ts";
import type { MessageWriter } from "./message-writer.ts";

/** A configuration's file, not yet parsed; undefined without one. @throws SurveyExportError if it cannot be read */
export const readConfiguration = async (path: string | undefined): Promise<InputFile | undefined> =>
  path === undefined ? undefined : readInput("config", path);

/**
 * The configuration in a file, with what the environment adds; without a file, of the environment alone. From now on, no
 * message of the writer shows its key, whatever else is wrong with it.
 * @throws SurveyExportError `invalid_configuration`
 */
export function parseConfiguration(
  file: InputFile | undefined,
  env: NodeJS.ProcessEnv,
  writer: MessageWriter,
): Configuration {
  const configuration = withEnvironment(file === undefined ? {} : parseJson(file), env);
  const { api_key: key } = Object(configuration);
  writer.protect({ redact: createRedactor(typeof key === "string" ? key : "") });
  return requireConfiguration(configuration);
}

/**
 * The streams to read: those of a configured catalog; without its file, those with these names, or the usual ones.
 * @throws SurveyExportError `invalid_configuration`
 */
export async function readSelected(
  path: string | undefined,
  names?: readonly string[],
): Promise<readonly SelectedStream[]> {
  if (path !== undefined) return parseConfiguredCatalog(parseJson(await readInput("catalog", path)));
  return namedStreams(names).map((name) => ({ name, syncMode: "incremental", isOurs: true }));
}

/** The text of a state file. @throws SurveyExportError `invalid_configuration` */
export const readState = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : (await readInput("state", path)).text;
