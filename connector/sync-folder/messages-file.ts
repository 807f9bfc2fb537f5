import { parseStates } from "../airbyte/state.ts";
import { begins, type Line, Lines } from "../node/lines.ts";
import { chunksOf } from "./chunks.ts";

/** A disk that lost power may leave gigabytes of NUL at the end of a file. No line of ours is longer than this. */
const LONGEST_LINE = 64 * 1024 * 1024;
const RECORD = Buffer.from('{"type":"RECORD","record":{"stream":"');
const STATE = Buffer.from('{"type":"STATE"');
const QUOTE = 0x22;

/** What a run wrote into its file of messages. */
export interface Written {
  /** How many records, by stream. */
  readonly records: ReadonlyMap<string, number>;
  /** The last state of each stream. */
  readonly states: ReadonlyMap<string, unknown>;
  /** The length of the whole lines: a kill can cut the last one. */
  readonly bytes: number;
}

/** @throws an error of the file system */
export function readMessages(path: string): Written {
  const records = new Map<string, number>();
  const states = new Map<string, unknown>();
  let bytes = 0;
  for (const { start: line, length } of wholeLines(path)) {
    bytes += length + 1;
    const stream = streamOfRecord(line);
    if (stream !== undefined) records.set(stream, (records.get(stream) ?? 0) + 1);
    else if (begins(line, STATE)) {
      for (const [name, state] of parseStates(line.toString()).states) states.set(name, state);
    }
  }
  return { records, states, bytes };
}

/** Whether a file of messages holds a record. It reads no further than to the first. */
export function hasRecords(path: string): boolean {
  for (const { start } of wholeLines(path)) if (begins(start, RECORD)) return true;
  return false;
}

/** "12 survey_responses, 3 respondent_attributes" */
export function counted({ records }: Written): string {
  return [...records].map(([stream, count]) => `${count} ${stream}`).join(", ") || "no records";
}

/** The lines that end in a newline. A line is valid until the next one is asked for. */
function* wholeLines(path: string): Generator<Line> {
  const lines = new Lines(LONGEST_LINE);
  for (const chunk of chunksOf(path)) yield* lines.in(chunk);
}

function streamOfRecord(line: Buffer): string | undefined {
  if (!begins(line, RECORD)) return undefined;
  return line.toString("utf8", RECORD.length, line.indexOf(QUOTE, RECORD.length));
}
