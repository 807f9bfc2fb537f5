import { given, type Message, SurveyExportError, say } from "@survey-export/core";
import { isWithoutLocks, SQLITE, sqliteCode } from "../node/sqlite.ts";
import { thisUser } from "../node/this-user.ts";
import { BUSY_MS } from "./lock-wait.ts";

/**
 * What was thrown while the file at `path` was written, as an error that says what to do. `stream`: whose rows it was to take, if
 * it was one's. What does not come from SQLite is returned as it is.
 */
export function refusalOf(thrown: unknown, path: string, stream?: string): unknown {
  const code = sqliteCode(thrown);
  if (code === undefined) return thrown;
  if (isWithoutLocks(thrown)) return withoutLocks(path);
  const fault = FAULTS[code];
  if (fault) return refused(path, fault);
  const reason = given((thrown as Error).message);
  if (stream === undefined) return refused(path, say`${reason}. Correct this, and run again.`);
  const facts = say`The table ${given(stream)} of ${given(path)} does not take the rows of its stream (${reason}).`;
  const advice = say`Undo what was changed in it, or drop it: then the next sync reads it from its start.`;
  return new SurveyExportError("config", "invalid_configuration", facts, { advice });
}

/** `why`: the reason, and what to do. */
export const refused = (path: string, why: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", say`${given(path)} cannot be written: ${why}`);

/** The file system at `path` has no locks. */
export const withoutLocks = (path: string): SurveyExportError =>
  refused(
    path,
    say`its file system has no locks, and a database needs them. Put it on a disk of this machine, or mount the file system with locks.`,
  );

const NO_ROOM = say`the disk is full, or has failed. Make room there, and run again: nothing is lost.`;

export const NOT_A_DATABASE = say`it is not a SQLite database, or is damaged. Move it away, and run again.`;

const FAULTS: Readonly<Record<number, Message>> = {
  [SQLITE.BUSY]: say`another program has locked it for ${BUSY_MS / 1000} s. End that program's transaction, and run again.`,
  [SQLITE.READONLY]: say`${thisUser()} may only read it, or its folder. Make both writable, and run again.`,
  [SQLITE.IO]: NO_ROOM,
  [SQLITE.CORRUPT]: NOT_A_DATABASE,
  [SQLITE.FULL]: NO_ROOM,
  [SQLITE.CANNOT_OPEN]: say`${thisUser()} may not open it, or create a file next to it. Make its folder writable, and run again.`,
  [SQLITE.NOT_A_DATABASE]: NOT_A_DATABASE,
};
