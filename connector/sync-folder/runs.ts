import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { parseStates } from "../airbyte/state.ts";
import { begins, chunksOf, type Line, Lines } from "../node/lines.ts";
import type { StateFile } from "./state-file.ts";

const PART = ".part";

/** A run whose messages are kept. */
export interface KeptRun extends Written {
  readonly file: string;
  /** Whether `state.jsonl` has its states now. It has not if somebody deleted that. */
  readonly isStored: boolean;
}

/**
 * The files of `messages/`: one for each run, named by the time at which it began. The file of a run that was not
 * kept yet ends in `.part`.
 */
export class Runs {
  readonly #folder: string;
  readonly #state: StateFile;

  /** Creates the folder for the owner alone, if there is none. */
  constructor(folder: string, state: StateFile) {
    this.#folder = folder;
    this.#state = state;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Creates a file for the owner alone, in which a run that begins now writes. @returns its path */
  create(nowMs: number): string {
    let atMs = nowMs;
    while (existsSync(this.#pathAt(atMs))) atMs += 1; // the clock was set back
    const part = this.#pathAt(atMs) + PART;
    closeSync(openSync(part, "wx", 0o600));
    return part;
  }

  #pathAt(ms: number): string {
    return join(this.#folder, `${new Date(ms).toISOString().replace(/[-:]/g, "")}.jsonl`);
  }

  /** The runs that a kill, or a full disk, kept from being kept. */
  get left(): string[] {
    return this.#names(PART);
  }

  /**
   * Keeps the whole lines of a run and the last state of each stream. The messages are on the disk before the state
   * moves. After a kill in here it does the same again.
   *
   * @throws an error of the file system; then the run is left as it is
   */
  keep(part: string): KeptRun {
    const written = readMessages(part);
    const descriptor = openSync(part, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      ftruncateSync(descriptor, written.bytes);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    const isStored = this.#state.store(written.states);
    const file = part.slice(0, -PART.length);
    renameSync(part, file);
    return { ...written, file, isStored };
  }

  /**
   * Removes all runs but the last `count` that brought records. Others do not count, so that an outage does not push
   * out records that nobody has loaded yet.
   */
  removeAllBut(count: number): void {
    let kept = 0;
    for (const file of this.#names(".jsonl").toReversed()) {
      if (kept >= count) rmSync(file);
      else if (hasRecords(file)) kept += 1;
    }
  }

  #names(end: string): string[] {
    return readdirSync(this.#folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(end))
      .map(({ name }) => join(this.#folder, name))
      .toSorted();
  }
}

/** A disk that lost power may leave gigabytes of NUL at the end of a file. No line of ours is longer than this. */
const LONGEST_LINE = 64 * 1024 * 1024;
const RECORD = Buffer.from('{"type":"RECORD","record":{"stream":"');
const STATE = Buffer.from('{"type":"STATE"');
const QUOTE = 0x22;

/** What a run wrote into its file of messages. */
export interface Written {
  /** How many records, by stream. */
  readonly records: ReadonlyMap<string, number>;
  /** The last state of each stream before `damagedLine`. */
  readonly states: ReadonlyMap<string, unknown>;
  /** The number of the first STATE line that cannot be read, as after a failure of the disk. No state after it counts. */
  readonly damagedLine: number | undefined;
  /** The length of the whole lines: a kill can cut the last one. */
  readonly bytes: number;
}

/** @throws an error of the file system */
function readMessages(path: string): Written {
  const records = new Map<string, number>();
  const states = new Map<string, unknown>();
  let damagedLine: number | undefined;
  let bytes = 0;
  let number = 0;
  for (const { start: line, length } of wholeLines(path)) {
    bytes += length + 1;
    number += 1;
    const stream = streamOfRecord(line);
    if (stream !== undefined) records.set(stream, (records.get(stream) ?? 0) + 1);
    else if (begins(line, STATE) && damagedLine === undefined) {
      try {
        for (const [name, state] of parseStates(line.toString()).states) states.set(name, state);
      } catch {
        damagedLine = number; // what a later state covers may be damaged, too
      }
    }
  }
  return { records, states, damagedLine, bytes };
}

/** Whether a file of messages holds a record. It reads no further than to the first. */
function hasRecords(path: string): boolean {
  for (const { start } of wholeLines(path)) if (begins(start, RECORD)) return true;
  return false;
}

/** "12 survey_responses, 3 respondent_attributes" */
export function counted({ records }: Written): string {
  return [...records].map(([stream, count]) => `${count} ${stream}`).join(", ") || "no records";
}

/** The lines that end in a newline. */
function* wholeLines(path: string): Generator<Line> {
  const lines = new Lines(LONGEST_LINE);
  for (const chunk of chunksOf(path)) yield* lines.in(chunk);
}

function streamOfRecord(line: Buffer): string | undefined {
  if (!begins(line, RECORD)) return undefined;
  return line.toString("utf8", RECORD.length, line.indexOf(QUOTE, RECORD.length));
}
