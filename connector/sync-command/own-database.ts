import { closeSync, constants } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../node/sqlite.ts";
import type { LockWait } from "./lock-wait.ts";
import { openFile } from "./open-file.ts";
import { APPLICATION_ID, notOurs, requireOwnFile } from "./own-file.ts";

/** How this connection uses the file. Deleted and replaced texts are overwritten, and do not stay in free pages. */
const CONNECTION = `
pragma busy_timeout = 0;
pragma secure_delete = on;
pragma wal_autocheckpoint = 10000;
pragma synchronous = normal;
pragma cache_size = -48000;
`;

/** The tables of every file. Somebody may drop them, too. */
const OWN_TABLES = `
create table if not exists _survey_export_state (stream text primary key, state text not null);
create table if not exists _survey_export_syncs (
  began_at text,
  ended_at text,
  outcome text,
  start_date text,
  end_date text,
  lookback_seconds integer,
  survey_ids text,
  excluded_survey_ids text
);
`;

/** So long the end of a sync waits for those who read the file. */
const HAND_ON_MS = 1000;

/**
 * Opens the database of a sync, or creates it for its owner alone. It waits while another program holds a lock.
 *
 * While it is open, the file is in WAL mode: others read it meanwhile, and neither wait nor keep the sync waiting. In SQLite's own
 * mode each commit would lock all of them out, and a long read would stop the sync.
 * @throws SurveyExportError `invalid_configuration` if the file is not ours; an error of SQLite; the signal's reason if the
 * wait was ended
 */
export async function openOwnDatabase(path: string, wait: LockWait): Promise<DatabaseSync> {
  requireOwnFile(path);
  closeSync(openFile(path, constants.O_CREAT));
  const database = openDatabase(path);
  try {
    await wait.whenFree(() => database.exec(CONNECTION));
    await wait.whenFree(() => makeOwn(database, path));
    await wait.whenFree(() => database.exec("pragma journal_mode = wal"));
    await wait.whenFree(() => database.exec(OWN_TABLES));
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/**
 * Leaves one file, without a `-wal`, that others can copy, and open with the right to read alone. If somebody goes on reading,
 * the file stays in WAL mode until a later sync ends.
 * @throws an error of SQLite
 */
export async function handOn(database: DatabaseSync, wait: LockWait): Promise<void> {
  await wait.succeeds(() => database.exec("pragma journal_mode = delete"), HAND_ON_MS);
}

/**
 * Makes an empty database at `path` ours, in one step. It is not in WAL mode then: the first bytes of the file, and not its `-wal`,
 * have the mark from then on, and a kill leaves no file that counts as another program's.
 * @throws SurveyExportError `invalid_configuration` if it is not empty and not ours; an error of SQLite, and nothing has changed
 */
export function makeOwn(database: DatabaseSync, path: string): void {
  if (database.prepare("pragma application_id").get()?.application_id === APPLICATION_ID) return;
  database.exec("pragma journal_mode = delete; begin exclusive");
  try {
    if (database.prepare("select 1 from sqlite_schema").get()) throw notOurs(path);
    database.exec(`pragma application_id = ${APPLICATION_ID}; ${OWN_TABLES} commit`);
  } finally {
    if (database.isTransaction) database.exec("rollback");
  }
}
