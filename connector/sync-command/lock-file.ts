import { closeSync, constants, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { isBusy, isWithoutLocks, openDatabase } from "../node/sqlite.ts";
import { openFile } from "./open-file.ts";
import { withoutLocks } from "./refusal.ts";

const { O_CREAT, O_EXCL } = constants;

/**
 * Locks the file at `path`, which is created if it does not exist. It works between containers of one machine, and over network
 * file systems that have locks.
 *
 * The lock is SQLite's lock of an empty database, since Node itself offers no locks of files. A file that exists as long
 * as its owner runs would stay after a SIGKILL. The process must not open the file a second time: closing it would
 * release the lock.
 * @param open opens a database, as `openDatabase` does
 * @returns what releases the lock; undefined if another process holds it
 * @throws SurveyExportError `invalid_configuration` if the file is somebody's, or the file system has no locks
 */
export function lockFile(path: string, open: Open = openDatabase): (() => void) | undefined {
  closeSync(openFile(path, O_CREAT, 0)); // anything but an empty file is somebody's
  try {
    return lock(path, open);
  } catch (thrown) {
    if (isWithoutLocks(thrown)) throw withoutLocks(path);
    if (!isBusy(thrown)) throw thrown;
    if (!isNewFileLocked(path, open)) return undefined;
    throw withoutLocks(path);
  }
}

type Open = (path: string) => Pick<DatabaseSync, "exec" | "close">;

/** @returns what releases the lock. @throws SQLite's error */
function lock(path: string, open: Open): () => void {
  const database = open(path);
  try {
    // In memory, so that there is no second file.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/**
 * Whether SQLite takes even a file for locked that nobody else knows: then the file system has no locks. It says so with the same
 * code as for a lock that somebody holds.
 */
function isNewFileLocked(path: string, open: Open): boolean {
  const unknown = `${path}-${process.pid}`;
  closeSync(openFile(unknown, O_CREAT | O_EXCL, 0));
  try {
    lock(unknown, open)();
    return false;
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    return true;
  } finally {
    rmSync(unknown, { force: true });
  }
}
