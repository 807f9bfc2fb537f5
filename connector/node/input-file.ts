import { createReadStream, existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { given, type Message, outside, SurveyExportError, say } from "@survey-export/core";
import { faultInJson } from "./json-fault.ts";
import { thisUser } from "./this-user.ts";

export type FileOption = "config" | "catalog" | "state";

const WHAT: Readonly<Record<FileOption, Message>> = {
  config: say`configuration (--config)`,
  catalog: say`configured catalog (--catalog)`,
  state: say`state file (--state)`,
};

const MOST_MEGABYTES = 64;
/** The largest file that is read into the memory. */
export const MOST_BYTES = MOST_MEGABYTES * 1024 * 1024;

/** A file that the command line names, or that was found next to the target. */
export interface InputFile {
  readonly option: FileOption;
  /** As it was given. */
  readonly path: string;
  readonly text: string;
}

/**
 * A file that was read, in UTF-8.
 * @throws SurveyExportError `invalid_configuration`, if it cannot be read, is larger than 64 MB or is in UTF-16
 */
export async function readInput(option: FileOption, path: string): Promise<InputFile> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) break;
    }
  } catch (thrown) {
    throw unreadable(option, path, thrown);
  }
  if (bytes > MOST_BYTES) {
    throw refused(
      say`The ${WHAT[option]} is larger than ${MOST_MEGABYTES} MB (${existing(path)}). Check that it is the right file; of a state file, pass the last STATE line of each stream alone.`,
    );
  }
  const content = Buffer.concat(chunks);
  if (isUtf16(content))
    throw refused(
      say`The ${WHAT[option]} is in UTF-16, and not in UTF-8 (${existing(path)}). Save it as UTF-8: in Notepad, choose UTF-8 as the encoding; in PowerShell, write it with Set-Content -Encoding utf8, and not with >.`,
    );
  return { option, path, text: content.toString().replace(/^\uFEFF/, "") };
}

/**
 * Whether a text is in UTF-16: it begins with the mark of that encoding, or every second of its first bytes is zero. JSON
 * begins with a character of ASCII, and no other encoding writes NUL next to it.
 */
function isUtf16([first, second]: Uint8Array): boolean {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (first === 0) !== (second === 0);
}

/**
 * Parses the JSON of a file. The error names the path, the line and the column, and never quotes the content, which may hold
 * a key.
 * @throws SurveyExportError `invalid_configuration`
 */
export function parseJson({ option, path, text }: InputFile): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(say`The ${WHAT[option]} ${problemOf(text)} (${existing(path)}). Correct the file.`);
  }
}

function problemOf(text: string): Message {
  if (text.trim() === "") return say`is empty`;
  const { line = 1, column = 1, reason } = faultInJson(text) ?? {};
  const why = reason === undefined ? say`` : say`: ${reason}`;
  return say`is not valid JSON at line ${line}, column ${column}${why}`;
}

const REASONS: Readonly<Record<string, Message>> = {
  ENOENT: say`it does not exist`,
  EACCES: say`${thisUser()} may not read it`,
  EISDIR: say`it is a folder`,
};

function unreadable(option: FileOption, path: string, thrown: unknown): SurveyExportError {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? say`${outside(code || message)}`;
  return refused(
    say`The ${WHAT[option]} cannot be read: ${reason} (${existing(path)}). Check the path, and that it is mounted where the program runs.`,
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

const refused = (sentence: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", sentence);
