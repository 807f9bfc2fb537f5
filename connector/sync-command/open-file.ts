import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { fixed, given, type Message, SurveyExportError, say } from "@survey-export/core";
import { thisUser } from "../node/this-user.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;

/**
 * Opens a file of a sync for reading and writing: a regular one, never a link, without a second name (hard link), and
 * without waiting for the other end of a FIFO. A new file is for the owner alone.
 *
 * Closing the descriptor releases every lock that the process has on the file. So no file is opened here while SQLite has it
 * open.
 * @param flags `O_CREAT`, `O_EXCL` or 0
 * @returns its descriptor
 * @throws SurveyExportError `invalid_configuration` for anything else, if it is larger than `mostBytes`, or if it exists and
 * this user may not write it
 * @throws an error of the file system
 */
export function openFile(path: string, flags: number, mostBytes = Number.POSITIVE_INFINITY): number {
  let reason = say`is a link, or not a regular file`;
  try {
    const file = openSync(path, flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const found = fstatSync(file);
    const isOwn = found.isFile() && found.nlink === 1;
    if (isOwn && found.size <= mostBytes) return file;
    if (isOwn) reason = say`is larger than ${mostBytes} bytes`;
    closeSync(file);
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    if (NOT_ALLOWED.has(code)) throw notAllowed(path) ?? thrown;
    if (!NOT_REGULAR.has(code)) throw thrown;
  }
  throw unusable(path, reason);
}

/** The errors of a link, of a socket, of a folder. */
const NOT_REGULAR: ReadonlySet<string> = new Set(["ELOOP", "ENXIO", "EISDIR"]);
const NOT_ALLOWED: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

/** `reason`: the rest of a sentence about the file. */
export const unusable = (path: string, reason: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", say`${given(path)} ${reason}.`, {
    advice: say`Move it away, and run again.`,
  });

/** Whose file it is; undefined if it does not exist. Then its folder refuses. */
function notAllowed(path: string): SurveyExportError | undefined {
  const uid = lstatSync(path, { throwIfNoEntry: false })?.uid;
  if (uid === undefined) return undefined;
  const facts = say`${given(path)} belongs to the user with uid ${fixed(String(uid))}, and ${thisUser()} may not write it.`;
  const advice = say`Change its owner (chown) or its rights, or run as its owner (docker run --user).`;
  return new SurveyExportError("config", "invalid_configuration", facts, { advice });
}
