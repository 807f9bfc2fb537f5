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
export const SQLITE = { BUSY: 5, READONLY: 8, IO: 10, CORRUPT: 11, FULL: 13, NOT_A_DATABASE: 26 } as const;

/** SQLite's code of an error; undefined for any other error. */
export function sqliteCode(thrown: unknown): number | undefined {
  const { errcode } = Object(thrown) as { errcode?: number };
  return errcode === undefined ? undefined : errcode & 0xff;
}
