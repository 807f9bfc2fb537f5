import { closeSync, constants } from "node:fs";
import { openFile } from "./open-file.ts";

const { O_CREAT, O_RDONLY } = constants;
const BUSY = 5; // SQLITE_BUSY

/**
 * Locks the file at `path`. It works between containers of one machine, and over network file systems that have locks.
 *
 * The lock is SQLite's lock of an empty database, since Node itself offers no locks of files. A file that exists as long
 * as its owner runs would stay after a SIGKILL. The process must not open the file a second time: closing it would
 * release the lock.
 */
export function lockFile(path: string): (() => void) | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // Node 22 warns that its SQLite is experimental
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  closeSync(openFile(path, O_RDONLY | O_CREAT, 0)); // anything but an empty file is somebody's
  const database = new DatabaseSync(path);
  try {
    // In memory, so that there is no second file.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (thrown) {
    database.close();
    if ((thrown as { errcode?: number }).errcode === BUSY) return undefined;
    throw thrown;
  }
}
