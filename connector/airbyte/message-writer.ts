import type { Clock, StreamRecord, SurveyExportError, SyncEvent, WarningCode } from "@survey-export/core";
import {
  fixed,
  given,
  type Rendering,
  render,
  say,
  type Message as Text,
  withCode,
} from "@survey-export/core/message";
import type { Output } from "../node/output.ts";
import type {
  ConnectionVerdict,
  LogLevel,
  Message,
  RateLimitedReason,
  StreamStatusValue,
} from "./generated/protocol.ts";

/** What a warning of this adapter is about, in addition to those of the core. */
export const AIRBYTE_WARNING_CODES = [
  "doubtful_setting",
  "not_checked",
  "state_missing",
  "text_not_storable",
] as const;

export type AirbyteWarningCode = (typeof AIRBYTE_WARNING_CODES)[number];

/** A sentence about something that works but is probably not what the user wants. */
export interface Warning {
  readonly code: WarningCode | AirbyteWarningCode;
  readonly message: Text;
}

/** Whose records a page has: the responses of a survey, also those that have no record; none of any other list. */
export type ReadResponses = Pick<RecordsEvent, "surveyId" | "responses">;
type RecordsEvent = Extract<SyncEvent, { type: "records" }>;

const NO_RESPONSES: ReadResponses = { surveyId: undefined, responses: [] };

/**
 * Takes records and states in place of messages. Each promise resolves once it took them. After one was rejected, nothing more
 * is taken.
 */
export interface RowWriter {
  /** @returns whether a text was changed that databases cannot store */
  records(stream: string, records: readonly StreamRecord[], of: ReadResponses): Promise<boolean>;
  /** `state`: its JSON. It covers all records before it. */
  state(stream: string, state: string): Promise<void>;
  /** Keeps all that was taken, for good. Rejects, too, if an earlier promise was rejected, with the same error. */
  commit(): Promise<void>;
  /** How many records it took and could not keep, by stream. */
  readonly lost: ReadonlyMap<string, number>;
  /** What it waits for now, such as "waiting for another program". */
  readonly waitsFor: Text | undefined;
}

/**
 * Writes Airbyte's messages (protocol v0), one JSON document a line. Each goes one way: its text is rendered without the
 * key and personal data, people are notified, and it is written as a whole line.
 */
export class MessageWriter {
  readonly #output: Output;
  readonly #clock: Pick<Clock, "now">;
  readonly #notify: (notice: string) => void;
  readonly #rows: RowWriter | undefined;
  #rendering: Rendering = {};
  #hasReportedReplaced = false;

  /**
   * `notify` gets, as a line, what people need to know: errors, warnings, the summary. Records and states go to `rows`,
   * if it is given.
   */
  constructor(
    output: Output,
    clock: Pick<Clock, "now">,
    notify: (notice: string) => void = () => {},
    rows?: RowWriter,
  ) {
    this.#output = output;
    this.#clock = clock;
    this.#notify = notify;
    this.#rows = rows;
  }

  /** From now on, texts are written in this way. */
  protect(rendering: Rendering): void {
    this.#rendering = { ...this.#rendering, ...rendering };
  }

  /** `code`: of each warning. It ends the line. */
  log(level: LogLevel, text: Text, code?: WarningCode | AirbyteWarningCode): Promise<void> {
    const message = this.shown(withCode(text, code));
    if (level !== "DEBUG") this.#notify(`${level} ${message}`);
    return this.write({ type: "LOG", log: { level, message } });
  }

  async warn(warnings: readonly Warning[]): Promise<void> {
    for (const { code, message } of warnings) await this.log("WARN", message, code);
  }

  /** The user's words for a field of a message, as a quotation shows them: short, on one line, without the key. */
  quoted(words: string): string {
    return this.shown(say`${given(words)}`).slice(1, -1);
  }

  /**
   * The error that stopped the run, or these streams of it. People are told once, and the platform for each stream, since it
   * shows errors by stream. It has a stack only if the error is ours.
   */
  async error(error: SurveyExportError, ...streams: readonly string[]): Promise<void> {
    const start = streams.length === 1 ? `${streams[0]}: ` : "";
    this.#notify(`ERROR ${start}${this.shown(error.whole)} [${error.code}]`);
    if (streams.length === 0) await this.#trace(error);
    for (const stream of streams) await this.#trace(error, stream);
  }

  #trace(error: SurveyExportError, stream?: string): Promise<void> {
    const message = this.shown(error.whole);
    const stack = error.code === "defect" ? placesOf(error.cause) : undefined;
    return this.write({
      type: "TRACE",
      trace: {
        type: "ERROR",
        emitted_at: this.#clock.now(),
        error: {
          message,
          internal_message: `${error.kind}/${error.code}`,
          failure_type: `${error.kind}_error`,
          ...(stack !== undefined && { stack_trace: stack }),
          ...(stream !== undefined && { stream_descriptor: { name: stream } }),
        },
      },
    });
  }

  status(stream: string, status: StreamStatusValue, reason?: RateLimitedReason): Promise<void> {
    return this.write({
      type: "TRACE",
      trace: {
        type: "STREAM_STATUS",
        emitted_at: this.#clock.now(),
        stream_status: { stream_descriptor: { name: stream }, status, ...(reason && { reasons: [reason] }) },
      },
    });
  }

  /** About how many records the stream will have, and bytes. Not of the whole sync, too: the protocol wants one of the two. */
  estimate(stream: string, records: number, bytes: number): Promise<void> {
    return this.write({
      type: "TRACE",
      trace: {
        type: "ESTIMATE",
        emitted_at: this.#clock.now(),
        estimate: { name: stream, type: "STREAM", row_estimate: records, byte_estimate: bytes },
      },
    });
  }

  /** The result of `check`. `text`: the problem; or the warnings, if any, of which people were notified. */
  result(status: ConnectionVerdict, text: Text): Promise<void> {
    const message = this.shown(text);
    this.#notify(status === "FAILED" ? `The connection does not work. ${message}` : "The connection works.");
    return this.write({
      type: "CONNECTION_STATUS",
      connectionStatus: { status, ...(message && { message }) },
    });
  }

  /**
   * `state`: its JSON. `recordCount`: records of this stream since its own previous state. States are the user's data
   * and name nobody, so they pass untouched.
   */
  async state(stream: string, state: string, recordCount: number): Promise<void> {
    if (this.#rows) {
      await this.#rows.state(stream, state);
      return;
    }
    await this.#output.write(
      `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":${JSON.stringify(stream)}},"stream_state":${onOneLine(state)}},"sourceStats":{"recordCount":${recordCount}}}}\n`,
    );
  }

  /**
   * `of`: whose records they are, for `rows`. A message has no place for it.
   * @returns the bytes of the records' JSON; 0 if they went to `rows`
   */
  async records(
    stream: string,
    records: readonly StreamRecord[],
    of: ReadResponses = NO_RESPONSES,
  ): Promise<number> {
    const { isChanged, bytes } = this.#rows
      ? { isChanged: await this.#rows.records(stream, records, of), bytes: 0 }
      : await this.#lines(stream, records);
    if (isChanged && !this.#hasReportedReplaced) {
      this.#hasReportedReplaced = true;
      await this.log("WARN", replacedCharacters(stream), "text_not_storable");
    }
    return bytes;
  }

  /**
   * Each record is encoded by itself: in one string, a single letter outside Latin-1 would double the size of all of them,
   * and the rows of answers would take a third more processor time.
   */
  async #lines(
    stream: string,
    records: readonly StreamRecord[],
  ): Promise<{ isChanged: boolean; bytes: number }> {
    const head = `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"data":`;
    const tail = `,"emitted_at":${this.#clock.now()}}}\n`;
    let isChanged = false;
    const lines = records.map((record) => {
      const json = JSON.stringify(record);
      const storable = storableJson(json);
      isChanged ||= storable !== json;
      return Buffer.from(head + storable + tail);
    });
    const page = Buffer.concat(lines);
    const endsLines = LINE_ENDS.some(([character]) => page.includes(character));
    await this.#output.write(endsLines ? onOneLine(String(page)) : page);
    return { isChanged, bytes: page.length - records.length * (head.length + tail.length) };
  }

  /** All records and states so far are where they belong, for good. Rejects if one is not. */
  async commit(): Promise<void> {
    await this.#rows?.commit();
  }

  /** How many records were written and could not be kept, by stream. */
  get lost(): ReadonlyMap<string, number> {
    return this.#rows?.lost ?? new Map();
  }

  /** What a write waits for now, if that is another program. */
  get waitsFor(): Text | undefined {
    return this.#rows?.waitsFor;
  }

  /** Any other message, whose texts are written as they are. */
  write(message: Message): Promise<void> {
    return this.#output.write(`${onOneLine(JSON.stringify(message))}\n`);
  }

  /** The text as anybody may see it: without the key, and with personal data as the setting says. */
  shown(text: Text): string {
    return render(text, this.#rendering);
  }
}

/** Characters at which some readers end a line, such as Python's `splitlines`, with their escapes. */
const LINE_ENDS = [
  ["\u0085", "\\u0085"],
  ["\u2028", "\\u2028"],
  ["\u2029", "\\u2029"],
] as const;

/** JSON with these escapes. */
export const onOneLine = (json: string): string =>
  LINE_ENDS.reduce((text, [character, escaped]) => text.replaceAll(character, escaped), json);

/**
 * JSON without what `JSON.stringify` writes for half of a pair of surrogates, and for NUL. Such a text is not valid Unicode,
 * or databases cannot store it: PyAirbyte skips the line, and PostgreSQL refuses the whole load.
 */
export const storableJson = (json: string): string =>
  json.includes("\\u")
    ? json.replace(/\\(?:u(d[89a-f][0-9a-f]{2}|0000)|.)/g, (escaped, unit) => (unit ? "\ufffd" : escaped))
    : json;

/** The same for a text itself. */
export const storableText = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") ? text : text.toWellFormed().replaceAll("\0", "\ufffd");

const replacedCharacters = (stream: string): Text =>
  say`A text in stream ${fixed(stream)} has a character that databases cannot store (half of an emoji, or NUL). It was replaced by U+FFFD. Further ones are replaced without a warning.`;

/** The places of a stack, without its first lines: they repeat the reason, which other programs wrote. */
function placesOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return undefined;
  const head = String(thrown);
  return thrown.stack.startsWith(head) ? thrown.stack.slice(head.length).trimStart() : undefined;
}
