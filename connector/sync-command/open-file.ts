import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { given, type Message, SurveyExportError, say } from "@survey-export/core";

const { O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;

/**
 * Opens a file of a sync: a regular one, never a link, and without waiting for the other end of a FIFO. One that is
 * opened for reading and writing has no second name (hard link). A new file is for the owner alone.
 * @returns its descriptor
 * @throws SurveyExportError `invalid_configuration` for anything else, or if it is larger than `mostBytes`
 * @throws an error of the file system
 */
export function openFile(path: string, flags: number, mostBytes = Number.POSITIVE_INFINITY): number {
  let reason = say`is a link, or not a regular file`;
  try {
    const file = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const found = fstatSync(file);
    const isOwn = found.isFile() && !(flags & O_RDWR && found.nlink > 1);
    if (isOwn && found.size <= mostBytes) return file;
    if (isOwn) reason = say`is larger than ${mostBytes} bytes`;
    closeSync(file);
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException; // of a link, of a socket
    if (code !== "ELOOP" && code !== "ENXIO") throw thrown;
  }
  throw unusable(path, reason);
}

/** `reason`: the rest of a sentence about the file. */
export const unusable = (path: string, reason: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", say`${given(path)} ${reason}.`, {
    advice: say`Move it away, and run again.`,
  });
