import { constants, createReadStream, existsSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";
import { dirname, resolve } from "node:path";
import { fixed, given, type Message, outside, SurveyExportError, say } from "@survey-export/core";
import { decoded, StateText } from "./state-text.ts";

export type FileOption = "config" | "catalog" | "state";

const MOST_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * The text of a file that the command line names, in UTF-8 or UTF-16 (as some shells write it).
 *
 * @throws SurveyExportError `invalid_configuration` that names the option; also for more than 16 MB
 */
export async function readText(option: "config" | "catalog", path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await readChunks(option, path, (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw tooLarge(option, path);
  });
  return decoded(Buffer.concat(chunks));
}

/**
 * The text of a `--state` file; see `StateText`.
 *
 * @throws SurveyExportError `invalid_configuration`; `invalid_state` for too large a file
 */
export async function readStateText(path: string): Promise<string> {
  const text = new StateText();
  await readChunks("state", path, (chunk) => text.add(chunk));
  return text.text;
}

/** Reads no further once `take` throws. */
async function readChunks(option: FileOption, path: string, take: (chunk: Buffer) => void): Promise<void> {
  try {
    for await (const chunk of await contentOf(path)) take(chunk);
  } catch (thrown) {
    throw thrown instanceof SurveyExportError ? thrown : unreadable(option, path, thrown);
  }
}

/**
 * A FIFO is waited for like a socket, without a thread: a thread that waits for a writer that never comes would keep
 * the program from ending.
 */
async function contentOf(path: string): Promise<AsyncIterable<Buffer>> {
  if (!(await stat(path)).isFIFO()) return createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const { O_RDONLY, O_NONBLOCK } = constants;
  return new Socket({ fd: openSync(path, O_RDONLY | O_NONBLOCK), readable: true, writable: false });
}

const REASONS: Readonly<Record<string, Message>> = {
  ENOENT: say`it does not exist`,
  ENOTDIR: say`a part of the path is not a folder`,
  EACCES: say`this user may not read it`,
  EPERM: say`this user may not read it`,
  EISDIR: say`it is a folder`,
  ENAMETOOLONG: say`the path is too long`,
  EMFILE: say`too many files are open`,
  ELOOP: say`it is a symbolic link that leads to itself`,
  ENXIO: say`it is a socket or a device that cannot be read`,
};

function unreadable(option: FileOption, path: string, thrown: unknown): SurveyExportError {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? say`${outside(code || message)}`;
  return new SurveyExportError(
    "config",
    "invalid_configuration",
    say`The file of --${fixed(option)} cannot be read: ${reason} (${existing(path)}). Check the path, and that it is mounted where the program runs.`,
  );
}

/**
 * How far a path leads, for a message. What does not exist may be the key, or the content of a file, that somebody gave
 * in the place of a path: it is not shown.
 */
export function existing(path: string): Message {
  const whole = resolve(path);
  let shown = whole;
  while (!existsSync(shown) && shown !== dirname(shown)) shown = dirname(shown);
  return shown === whole ? say`${given(whole)}` : say`its path leads to ${given(shown)} and no further`;
}

const tooLarge = (option: FileOption, path: string): SurveyExportError =>
  new SurveyExportError(
    "config",
    "invalid_configuration",
    say`The file ${given(path)} (--${fixed(option)}) is larger than 16 MB. Check that it is the right file.`,
  );
