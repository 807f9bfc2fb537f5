import { SurveyExportError, say } from "@survey-export/core";
import { begins, Lines } from "./lines.ts";

const MOST_BYTES = 64 * 1024 * 1024;
/** Each line takes memory of its own: a shorter one counts as so many bytes. */
const SHORTEST = 128;
const costOf = (text: string): number => Math.max(text.length, SHORTEST);

/**
 * The text of a file of states, which may be the whole output of an earlier run and of any size: of RECORD lines only
 * the first is kept, which says that there were some, and of our STATE lines the last one of each stream.
 */
export class StateText {
  readonly #lines = new Lines(MOST_BYTES + 1);
  readonly #kept = new Map<string | number, string>();
  #keptBytes = 0;
  #others = 0;
  /** All of a file in UTF-16. */
  #wide: Buffer[] | undefined;

  /**
   * Takes the next piece of the file.
   *
   * @throws SurveyExportError `invalid_state` if the file holds more than 64 MB beside its records
   */
  add(chunk: Buffer): void {
    if (this.#kept.size === 0 && this.#lines.restLength === 0 && isUtf16(chunk)) this.#wide ??= [];
    if (this.#wide !== undefined) {
      this.#wide.push(chunk);
      this.#keptBytes += chunk.length;
    } else for (const { start, length } of this.#lines.in(chunk)) this.#keep(start, length);
    const isInRecord = begins(this.#lines.restHead, RECORD);
    if (this.#keptBytes + (isInRecord ? 0 : this.#lines.restLength) > MOST_BYTES) throw tooLarge();
  }

  /** To be asked for once, after all of the file. */
  get text(): string {
    if (this.#wide !== undefined) return decoded(Buffer.concat(this.#wide));
    const kept = [...this.#kept.values()].join("");
    if (this.#lines.restLength === 0) return kept;
    const { start } = this.#lines.rest;
    // A record without a newline may be whole, or what a kill left: both say that the output ends here.
    return kept + (begins(start, RECORD) ? `${RECORD_SEEN}\n{"type":"RECORD"` : start.toString());
  }

  #keep(start: Buffer, length: number): void {
    if (begins(start, RECORD)) {
      this.#kept.set("RECORD", `${RECORD_SEEN}\n`);
      return;
    }
    const key = stateHead(start) ?? this.#others++;
    const before = this.#kept.get(key);
    if (before !== undefined) this.#keptBytes -= costOf(before);
    const text = `${start.toString()}\n`;
    this.#kept.delete(key); // the last state of a stream comes after all that was there before it
    this.#kept.set(key, text);
    this.#keptBytes += costOf(text);
    if (length > MOST_BYTES) throw tooLarge();
  }
}

const RECORD = Buffer.from('{"type":"RECORD"');
const RECORD_SEEN = '{"type":"RECORD"}';

/** A STATE line as this program writes it, up to its state: the same for all states of one stream. */
const stateHead = (line: Buffer): string | undefined =>
  begins(line, STATE) ? STATE_HEAD.exec(line.toString("latin1", 0, LONGEST_HEAD))?.[0] : undefined;
const STATE = Buffer.from('{"type":"STATE"');
const STATE_HEAD =
  /^\{"type":"STATE","state":\{"type":"STREAM","stream":\{"stream_descriptor":\{"name":"[a-z_]{1,100}"\},"stream_state":/;
const LONGEST_HEAD = 200;

const tooLarge = (): SurveyExportError =>
  new SurveyExportError(
    "config",
    "invalid_state",
    say`The state file (--state) cannot be used: it holds more than 64 MB beside its records.`,
    { advice: say`Give only the last STATE line of each stream.` },
  );

/** Whether a file that begins with these bytes is in UTF-16, as some shells write it. */
const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** The text of a file in UTF-8 or UTF-16. */
export function decoded(bytes: Buffer): string {
  const encoding = isUtf16(bytes) ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : undefined;
  return encoding === undefined ? bytes.toString("utf8") : new TextDecoder(encoding).decode(bytes);
}
