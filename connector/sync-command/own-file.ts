import { closeSync, readSync } from "node:fs";
import { given, SurveyExportError, say } from "@survey-export/core";
import { openFile } from "./open-file.ts";
import { NOT_A_DATABASE, refused } from "./refusal.ts";

/** The mark of our files, in the place that SQLite has for it (`PRAGMA application_id`): "SvEx" in ASCII. */
export const APPLICATION_ID = 0x53764578;

/** The files that SQLite keeps next to a database while it is open, and after a kill. */
const COMPANIONS = ["-wal", "-shm", "-journal"] as const;

/**
 * Requires that a sync may write to the file at `path`, and looks without writing, or creating, anything.
 *
 * It may if the file has our mark, is empty, or does not exist (I16). A database of another program is not opened with SQLite: that
 * would read its `-wal`, and create and delete files next to it. Its first bytes tell enough (sqlite.org/fileformat2.html), since
 * we set our mark before any `-wal` exists.
 * @throws SurveyExportError `invalid_configuration` if it is another program's, no database, or a link; if that is so of a file
 * that SQLite keeps next to it; or if this user may not write one of them
 */
export function requireOwnFile(path: string): void {
  const state = stateOf(path);
  if (state === "no database") throw refused(path, NOT_A_DATABASE);
  if (state === "another program's") throw notOurs(path);
  const companions = COMPANIONS.filter((end) => readStart(`${path}${end}`, 0) !== undefined);
  // Its tables may be there.
  if (state === "database without tables" && companions.length > 0) throw notOurs(path);
}

type State = "ours" | "empty" | "no database" | "database without tables" | "another program's";

/** What the first bytes of a file say. One that does not exist is empty. */
function stateOf(path: string): State {
  const start = readStart(path, SCHEMA_END);
  if (start === undefined || start.length === 0) return "empty";
  if (start.length < SCHEMA_END || start.toString("latin1", 0, MAGIC.length) !== MAGIC) return "no database";
  const applicationId = start.readUInt32BE(APPLICATION_ID_AT);
  if (applicationId === APPLICATION_ID) return "ours";
  const hasTables = start.readUInt16BE(SCHEMA_SIZE_AT) > 0 || start[SCHEMA_PAGE_TYPE_AT] !== LEAF_OF_TABLE;
  return applicationId === 0 && !hasTables ? "database without tables" : "another program's";
}

/** A database that we did not make. */
export const notOurs = (path: string): SurveyExportError =>
  new SurveyExportError(
    "config",
    "invalid_configuration",
    say`${given(path)} is a database that "sync" did not make. Nothing was written into it.`,
    { advice: say`Give the name of a file that does not exist yet.` },
  );

const MAGIC = "SQLite format 3\0";
const APPLICATION_ID_AT = 68;
/** The first page of the schema follows the header of 100 bytes: its type, and after two more bytes how many entries it has. */
const SCHEMA_PAGE_TYPE_AT = 100;
const SCHEMA_SIZE_AT = 103;
const SCHEMA_END = 108;
const LEAF_OF_TABLE = 13;

/** The first bytes of a file, at most so many; undefined if it does not exist. */
function readStart(path: string, bytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openFile(path, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
  try {
    const start = Buffer.alloc(bytes);
    return start.subarray(0, bytes > 0 ? readSync(file, start, 0, bytes, 0) : 0);
  } finally {
    closeSync(file);
  }
}
