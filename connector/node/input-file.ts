import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { fixed, given, type Message, outside, SurveyExportError, say } from "@survey-export/core";
import { mayHoldKey } from "./argument.ts";

export type FileOption = "config" | "catalog" | "state";

/**
 * The text of a file that the command line names, in UTF-8 or UTF-16 (as some shells write it).
 *
 * @throws SurveyExportError `invalid_configuration` that names the option and the path
 */
export async function readText(option: FileOption, path: string): Promise<string> {
  refuseJson(option, path);
  try {
    return decoded(await readFile(path));
  } catch (thrown) {
    throw unreadable(option, path, thrown);
  }
}

/**
 * The text of a `--state` file, which may be the whole output of an earlier run and of any size: of RECORD lines only
 * the first is kept, which says that there were some.
 *
 * @throws SurveyExportError `invalid_configuration` that names the path
 */
export async function readStateText(path: string): Promise<string> {
  refuseJson("state", path);
  const kept: string[] = [];
  let sawRecord = false;
  const keep = (line: Buffer, end: string): void => {
    if (isRecord(line)) {
      if (!sawRecord) kept.push(`${RECORD_SEEN}\n`);
      sawRecord = true;
      // What a kill left of a line still says that the output is cut.
      if (end === "") kept.push('{"type":"RECORD"');
    } else kept.push(line.toString("utf8") + end);
  };
  try {
    let rest: Buffer[] = [];
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      if (kept.length === 0 && rest.length === 0 && isUtf16(chunk)) return decoded(await readFile(path));
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        keep(Buffer.concat([...rest, chunk.subarray(start, end)]), "\n");
        rest = [];
        start = end + 1;
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
    }
    if (rest.length > 0) keep(Buffer.concat(rest), "");
    return kept.join("");
  } catch (thrown) {
    throw unreadable("state", path, thrown);
  }
}

const NEWLINE = 0x0a;
const RECORD_SEEN = '{"type":"RECORD"}';
const RECORD_START = Buffer.from('{"type":"RECORD"');
/** A whole record in a file of one line is not a line of an output that a kill cut. */
const isRecord = (line: Buffer): boolean => line.subarray(0, RECORD_START.length).equals(RECORD_START);

const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

function decoded(bytes: Buffer): string {
  const encoding = isUtf16(bytes) ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : undefined;
  return encoding === undefined ? bytes.toString("utf8") : new TextDecoder(encoding).decode(bytes);
}

/** JSON in the place of a path is a mistake, and it must not be shown: it may hold the key. */
function refuseJson(option: FileOption, path: string): void {
  if (!mayHoldKey(path)) return;
  throw new SurveyExportError(
    "config",
    "invalid_configuration",
    say`--${fixed(option)} is not the path of a file. Save the JSON in a file, and give its path.`,
  );
}

const REASONS: Readonly<Record<string, Message>> = {
  ENOENT: say`it does not exist`,
  ENOTDIR: say`a part of the path is not a folder`,
  EACCES: say`this user may not read it`,
  EPERM: say`this user may not read it`,
  EISDIR: say`it is a folder`,
  ENAMETOOLONG: say`the path is too long`,
  EMFILE: say`too many files are open`,
  ERR_STRING_TOO_LONG: say`it is larger than 512 MB`,
  ERR_FS_FILE_TOO_LARGE: say`it is larger than 2 GB`,
};

function unreadable(option: FileOption, path: string, thrown: unknown): SurveyExportError {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? say`${outside(code || message)}`;
  return new SurveyExportError(
    "config",
    "invalid_configuration",
    say`The file ${given(path)} (--${fixed(option)}) cannot be read: ${reason}. Check the path, and that it is mounted where the program runs.`,
  );
}
