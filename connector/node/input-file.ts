import { createReadStream, existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { given, type Message, outside, SurveyExportError, say } from "@survey-export/core";
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

/**
 * The text of a file that the command line names, in UTF-8.
 * @throws SurveyExportError `invalid_configuration`, if it cannot be read or is larger than 64 MB
 */
export async function readText(option: FileOption, path: string): Promise<string> {
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
  return Buffer.concat(chunks)
    .toString()
    .replace(/^\uFEFF/, "");
}

/**
 * Parses the JSON of a file. The error names the line and never quotes the content, which may hold a key.
 * @throws SurveyExportError `invalid_configuration`
 */
export function parseJson(option: FileOption, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const [, line] = /\(line (\d+) /.exec((thrown as Error).message) ?? [];
    const where = line === undefined ? say`` : say` (line ${Number(line)})`;
    const problem = text.trim() === "" ? say`is empty` : say`is not valid JSON${where}`;
    throw refused(say`The ${WHAT[option]} ${problem}. Correct the file.`);
  }
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
