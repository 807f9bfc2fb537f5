import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { given, listed, type Message, outside, SurveyExportError, say } from "@survey-export/core";
import { existing } from "../node/input-file.ts";
import { openDatabase, SQLITE, sqliteCode } from "../node/sqlite.ts";
import { thisUser } from "../node/this-user.ts";
import { type Figures, readFigures } from "./figures.ts";
import { page } from "./page.ts";
import { openScope, type Scope } from "./scope.ts";

/**
 * The page about a database of `sync`, at one moment. It runs no script, asks for nothing, and without `hasTexts` shows
 * nothing that one respondent may have written.
 * @throws SurveyExportError `invalid_configuration` if it is no such database, or has nothing of the scope
 */
export function report(path: string, scope: Scope): string {
  requireFile(path);
  let database: DatabaseSync | undefined;
  try {
    // Not read-only: after a sync that was killed SQLite has to tidy up, and would leave two files behind.
    database = openDatabase(path, { timeout: 10_000 });
    database.exec(FAST_READING);
    database.exec("begin");
    requireTables(database, path);
    openScope(database, scope);
    const figures = readFigures(database, scope);
    requireSurveys(figures, scope, path);
    return page(figures, basename(path), scope);
  } catch (thrown) {
    throw whyUnreadable(path, thrown);
  } finally {
    database?.close();
  }
}

/** Each answer is looked up among the others of its response, and the usual cache is small for that. */
const FAST_READING = "pragma cache_size = -64000";

/** @throws SurveyExportError unless it is a regular file */
function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    throw refused(
      say`There is no file to report on (${existing(path)}). Name the file that sync has written.`,
    );
  if (found.isDirectory())
    throw refused(
      say`${given(path)} is a folder. Name the file in it that sync has written, such as surveys.sqlite.`,
    );
  if (!found.isFile())
    throw refused(say`${given(path)} is not a regular file. Name the file that sync has written.`);
}

/** @throws SurveyExportError unless a sync has written the file, and has read responses into it */
function requireTables(database: DatabaseSync, path: string): void {
  const table = database.prepare("select name from main.sqlite_schema where type = 'table' and name = ?");
  if (!table.get("_survey_export_syncs"))
    throw refused(
      say`${given(path)} is a database, but no sync has written it. Name the file that sync has written.`,
    );
  if (!table.get("survey_responses"))
    throw refused(
      say`${given(path)} has no responses: the stream survey_responses was not synced into it. Run sync without --streams, or name this stream, too.`,
    );
}

/** @throws SurveyExportError if a survey that the user named is not there */
function requireSurveys({ arrived }: Figures, { surveyIds }: Scope, path: string): void {
  const known = new Set(arrived.map(({ survey_id: id }) => id));
  const missing = surveyIds.filter((id) => !known.has(id));
  if (missing.length > 0)
    throw refused(
      say`${given(path)} has no survey ${listed(missing.map(given))}. Give the id that the page without --survey, or the view responses_by_survey, shows.`,
    );
}

const refused = (sentence: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", sentence);

const WHY: Readonly<Record<number, Message>> = {
  [SQLITE.NOT_A_DATABASE]: say`it is not a SQLite database. Name the file that sync has written.`,
  [SQLITE.CORRUPT]: say`it is damaged. Move it away, and sync again.`,
  [SQLITE.BUSY]: say`another program has locked it. Run this again when that program has ended.`,
  [SQLITE.FULL]: say`the disk is full. Make room, and run this again.`,
  [SQLITE.IO]: say`the disk is full, or has failed. Make room, and run this again.`,
};

/** An error of SQLite as a sentence; any other as it is. */
export function whyUnreadable(path: string, thrown: unknown): unknown {
  const code = sqliteCode(thrown);
  if (code === undefined) return thrown;
  const isOfRights = code === SQLITE.CANNOT_OPEN || code === SQLITE.READONLY;
  const reason = (thrown as Error).message;
  const why = isOfRights
    ? missingRight(path)
    : (WHY[code] ?? say`${outside(reason)}. Sync again, and report it if this continues.`);
  return refused(say`${given(path)} cannot be read: ${why}`);
}

/** While a sync runs, and after one that was killed, SQLite has to write next to the file. */
const missingRight = (path: string): Message =>
  existsSync(`${path}-wal`)
    ? say`a sync is writing to it, or was killed, and ${thisUser()} may not write next to it. Let its owner sync again, or copy it with its -wal into a folder of your own.`
    : say`${thisUser()} may not read it, or not enter its folder. Change its rights, or run as its owner.`;
