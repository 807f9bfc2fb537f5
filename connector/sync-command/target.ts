import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { given, type Message, SurveyExportError, say } from "@survey-export/core";
import { existing } from "../node/input-file.ts";
import { thisUser } from "../node/this-user.ts";
import { requireOwnFile } from "./own-file.ts";

const ENDINGS = /\.(sqlite|sqlite3|db)$/i;

/**
 * Requires that a sync can write the file at `path`, and changes nothing. Nothing is quoted that does not exist: it may be the key.
 * @throws SurveyExportError `invalid_configuration` if its name has another ending, if its folder does not exist or cannot be
 * written, or if the file is not ours
 */
export function requireTarget(path: string): void {
  if (!ENDINGS.test(path)) {
    const isFolder = existsSync(path) && statSync(path).isDirectory();
    throw refused(
      isFolder
        ? say`${given(path)} is a folder, and "sync" writes a file. Name a file in it that ends in .sqlite, .sqlite3 or .db.`
        : say`The name of the file must end in .sqlite, .sqlite3 or .db, since "sync" writes a SQLite file. Name one such as surveys.sqlite.`,
    );
  }
  const folder = dirname(path);
  if (!existsSync(folder))
    throw refused(
      say`This folder does not exist, or ${thisUser()} may not see it: ${existing(folder)}. Create it.`,
    );
  requireOwnFile(path);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw refused(
      say`The folder must be readable and writable for ${thisUser()}: ${existing(folder)}. Change its owner or its rights, or run as its owner (docker run --user).`,
    );
  }
}

const refused = (problem: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", problem);
