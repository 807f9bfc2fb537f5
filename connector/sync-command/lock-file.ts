import { closeSync, constants } from "node:fs";
import { openDatabase, SQLITE, sqliteCode } from "../node/sqlite.ts";
import { openFile } from "./open-file.ts";

const { O_CREAT, O_RDONLY } = constants;

/**
 * Locks the file at `path`. It works between containers of one machine, and over network file systems that have locks.
 *
 * The lock is SQLite's lock of an empty database, since Node itself offers no locks of files. A file that exists as long
 * as its owner runs would stay after a SIGKILL. The process must not open the file a second time: closing it would
 * release the lock.
 * @returns what releases the lock; undefined if another process holds it
 */
export function lockFile(path: string): (() => void) | undefined {
  closeSync(openFile(path, O_RDONLY | O_CREAT, 0)); // anything but an empty file is somebody's
  const database = openDatabase(path);
  try {
    // In memory, so that there is no second file.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (thrown) {
    database.close();
    if (sqliteCode(thrown) === SQLITE.BUSY) return undefined;
    throw thrown;
  }
}
