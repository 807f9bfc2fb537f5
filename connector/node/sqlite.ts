import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";

/** Opens a database with Node's own SQLite. It is loaded only here, since Node 22 warns that it is experimental. */
export function openDatabase(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  return new DatabaseSync(path, options);
}

/** What SQLite's codes of errors mean, without what it adds in higher bits (sqlite.org/rescode.html). */
export const SQLITE = {
  PERMISSION: 3,
  BUSY: 5,
  READONLY: 8,
  IO: 10,
  CORRUPT: 11,
  FULL: 13,
  CANNOT_OPEN: 14,
  PROTOCOL: 15,
  NOT_A_DATABASE: 26,
} as const;

/** The same with the higher bits: each is a lock that the file system did not give, and not a disk that failed. */
const LOCK_ERRORS: ReadonlySet<number> = new Set([
  SQLITE.PERMISSION,
  SQLITE.PROTOCOL,
  SQLITE.IO | (8 << 8), // IOERR_UNLOCK
  SQLITE.IO | (9 << 8), // IOERR_RDLOCK
  SQLITE.IO | (14 << 8), // IOERR_CHECKRESERVEDLOCK
  SQLITE.IO | (15 << 8), // IOERR_LOCK
  SQLITE.IO | (18 << 8), // IOERR_SHMOPEN
  SQLITE.IO | (20 << 8), // IOERR_SHMLOCK
  SQLITE.IO | (21 << 8), // IOERR_SHMMAP
]);

/** SQLite's code of an error; undefined for any other error. */
export function sqliteCode(thrown: unknown): number | undefined {
  const code = wholeCode(thrown);
  return code === undefined ? undefined : code & 0xff;
}

/** Whether another connection holds a lock that was needed. */
export const isBusy = (thrown: unknown): boolean => sqliteCode(thrown) === SQLITE.BUSY;

/** Whether the file system has no locks. One without a lock manager says "busy", as if another program held them. */
export function isWithoutLocks(thrown: unknown): boolean {
  const code = wholeCode(thrown);
  return code !== undefined && LOCK_ERRORS.has(code);
}

const wholeCode = (thrown: unknown): number | undefined => (Object(thrown) as { errcode?: number }).errcode;
