import type { DatabaseSync } from "node:sqlite";
import { LockWait } from "../../../../connector/sync-command/lock-wait.ts";

interface Options {
  readonly signal?: AbortSignal;
  /** Called with the milliseconds that have passed, in place of each pause. */
  readonly onPause?: (passedMs: number) => void;
}

/** A wait whose pauses take no time. `told`: how often it said that it takes long. */
export function lockWaitForTest({ signal = new AbortController().signal, onPause = () => {} }: Options = {}) {
  let nowMs = 0;
  const told = { times: 0 };
  const clock = {
    monotonicMs: () => nowMs,
    async sleep(ms: number) {
      nowMs += ms;
      onPause(nowMs);
      signal.throwIfAborted();
    },
  };
  const wait = new LockWait({ clock, signal, onLong: () => void told.times++ });
  return { wait, told };
}

/** What SQLite throws, with this code. */
export const sqliteError = (errcode: number, message = "database is locked"): Error =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode });

/** Holds the lock of a writer, until it is released. */
export function holdLock(database: DatabaseSync): () => void {
  database.exec("begin immediate");
  return () => database.exec("rollback");
}
