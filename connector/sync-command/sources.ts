import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fixed, given, type Message, SurveyExportError, say } from "@survey-export/core";
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
 * @param uid of this user; undefined on Windows, which has none
 * @throws SurveyExportError `invalid_configuration` if a named file does not exist, if `config.json` is another user's, or if there
 * is no key
 */
export function sourcesOf(
  { files, streams }: NamedSources,
  target: string,
  env: NodeJS.ProcessEnv,
  uid = process.geteuid?.(),
): Sources {
  const folder = dirname(target);
  const config =
    named(files.config, say`file of --config`) ??
    named(env.SURVEY_EXPORT_CONFIG, say`file of SURVEY_EXPORT_CONFIG`) ??
    nextTo(join(folder, "config.json"), uid);
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

/**
 * The path, if a file is there. It names the address to which the key of the environment goes, so it must be this user's, or
 * root's. Of a link, so must what it leads to.
 */
function nextTo(path: string, uid: number | undefined): string | undefined {
  if (!existsSync(path)) return undefined;
  const owners = [lstatSync(path).uid, statSync(path).uid];
  const other = owners.find((owner) => owner !== uid && owner !== ROOT);
  if (uid === undefined || other === undefined) return path;
  throw refused(
    say`${given(path)} belongs to another user (uid ${fixed(String(other))}), who could send your key to an address of theirs. If you trust it, name it with --config. Else move it away.`,
  );
}

const ROOT = 0;

const refused = (problem: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", problem);
