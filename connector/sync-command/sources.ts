import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Message, SurveyExportError, say } from "@survey-export/core";
import { existing } from "../node/input-file.ts";
import { thisUser } from "../node/this-user.ts";
import type { Sources } from "./read-into.ts";

/** What the command line says about the settings. */
export interface NamedSources {
  readonly files: { readonly config?: string | undefined };
  readonly streams: readonly string[] | undefined;
}

/**
 * The settings of a sync into the file at `target`. A file that is named must exist. `config.json` next to the target need not.
 * @throws SurveyExportError `invalid_configuration` if a named file does not exist, or if there is no key
 */
export function sourcesOf({ files, streams }: NamedSources, target: string, env: NodeJS.ProcessEnv): Sources {
  const folder = dirname(target);
  const nextTo = join(folder, "config.json");
  const config =
    named(files.config, say`file of --config`) ??
    named(env.SURVEY_EXPORT_CONFIG, say`file of SURVEY_EXPORT_CONFIG`) ??
    (existsSync(nextTo) ? nextTo : undefined);
  if (config === undefined && !env.SURVEY_EXPORT_API_KEY)
    throw refused(
      say`There is no key. Set SURVEY_EXPORT_API_KEY, write config.json into ${existing(folder)}, or name another file with --config.`,
    );
  return { config, streams };
}

function named(path: string | undefined, what: Message): string | undefined {
  if (!path) return undefined;
  if (existsSync(path)) return resolve(path);
  throw refused(say`The ${what} does not exist, or ${thisUser()} may not see it: ${existing(path)}.`);
}

const refused = (problem: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", problem);
