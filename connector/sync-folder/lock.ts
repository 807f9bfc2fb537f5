import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { given, say } from "@survey-export/core";
import { refused } from "./settings.ts";

/** A lock that this process holds. The operating system releases it too, however the process ends. */
export interface Lock {
  release(): void;
}

const BUSY = 5; // SQLITE_BUSY

/**
 * Locks the file at `path`, which it creates for the owner alone. It works between containers of one machine, and over
 * network file systems that have locks.
 *
 * The lock is SQLite's lock of an empty database, since Node itself offers no locks of files. A file that exists as long
 * as its owner runs would stay after a SIGKILL. The process must not open the file a second time: closing it would
 * release the lock.
 *
 * @returns undefined if another process holds the lock
 * @throws SurveyExportError `invalid_configuration` if something else is at `path`, such as a link to a file
 * @throws an error of the file system, or of SQLite if the file system has no locks
 */
export async function lockFile(path: string): Promise<Lock | undefined> {
  const { DatabaseSync } = await quietly(() => import("node:sqlite"));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !(found.isFile() && found.size === 0)) {
    throw refused(say`${given(path)} is not the lock of a sync, which is an empty file.`, say`Move it away.`);
  }
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
  closeSync(openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600));
  const database = new DatabaseSync(path);
  try {
    // In memory, so that there is no second file.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (thrown) {
    database.close();
    if ((thrown as { errcode?: number }).errcode === BUSY) return undefined;
    throw thrown;
  }
}

/** Without the warning of Node 22 that its SQLite is experimental. */
async function quietly<Value>(load: () => Promise<Value>): Promise<Value> {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes("SQLite")) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    return await load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
