import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Message, SurveyExportError, say } from "@survey-export/core";
import type { MessageWriter } from "../airbyte/message-writer.ts";
import { existing, type FileOption } from "../node/input-file.ts";
import type { Stop } from "../node/stop.ts";

/** What a sync is to do, checked. */
export interface SyncSettings {
  /** An absolute path, as all of these. */
  readonly folder: string;
  readonly config: string;
  readonly catalog: string;
  /** How many runs with records keep their messages; undefined: all. */
  readonly keepRuns: number | undefined;
}

/** @throws SurveyExportError `invalid_configuration` */
export function syncSettings(folderGiven: string, env: NodeJS.ProcessEnv): SyncSettings {
  const folder = resolve(folderGiven);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw refused(
      say`There is no such folder (${existing(folder)}).`,
      say`Create it, with config.json and catalog.json in it.`,
    );
  }
  return {
    folder,
    config: existingFile(
      say`configuration`,
      env.SURVEY_EXPORT_CONFIG || join(folder, "config.json"),
      say`Write config.json, or let SURVEY_EXPORT_CONFIG name another file.`,
    ),
    catalog: existingFile(
      say`configured catalog`,
      env.SURVEY_EXPORT_CATALOG || join(folder, "catalog.json"),
      say`Make catalog.json with "source-survey-export catalog --config FILE", or let SURVEY_EXPORT_CATALOG name another file.`,
    ),
    keepRuns: runsToKeep(env.SURVEY_EXPORT_KEEP_RUNS || undefined),
  };
}

function existingFile(what: Message, path: string, advice: Message): string {
  if (existsSync(path)) return resolve(path);
  throw refused(say`The ${what} does not exist, or this user may not see it (${existing(path)}).`, advice);
}

function runsToKeep(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw refused(
    say`SURVEY_EXPORT_KEEP_RUNS is not a whole number of at least 1.`,
    say`Give one, or leave it out to keep all runs.`,
  );
}

export const refused = (facts: Message, advice: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", facts, { advice });

/** What a sync needs of the command line. */
export interface SyncHost {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: Stop;
  /** Writes a line to standard error. */
  readonly print: (line: string) => void;
  /** The command `read`. @returns false when a stream failed */
  readonly read: (
    files: Readonly<Partial<Record<FileOption, string>>>,
    writer: MessageWriter,
    signal: AbortSignal,
  ) => Promise<boolean>;
}
