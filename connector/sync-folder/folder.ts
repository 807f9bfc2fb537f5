import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { given, joined, type Message, SurveyExportError, say } from "@survey-export/core";
import { parseStates } from "../airbyte/state.ts";

/** A lock that this process holds. The operating system releases it too, however the process ends. */
export interface Lock {
  release(): void;
}

type States = ReadonlyMap<string, unknown>;

/** A run whose messages are kept. */
export interface KeptRun {
  readonly file: string;
  /** "12 survey_responses, 3 respondent_attributes" */
  readonly records: string;
  /** Whether `state.jsonl` has its states now. It has not if somebody deleted that. */
  readonly isStored: boolean;
}

const PART = ".part";
const MOST_STATE_BYTES = 64 * 1024 * 1024;

/**
 * What a sync keeps in its folder:
 *
 * - `messages/<time>.jsonl`: what each run wrote, one message a line. Until the run is kept, it ends in `.part`
 * - `state.jsonl`: the last state of each stream, one line each. People may also write it: it takes whatever `--state`
 *   takes. An empty file is a first sync. A missing one was deleted if a sync ran before: then everything is read again,
 *   and no older run brings the state back
 * - `.lock`: locked while a sync runs
 */
export class SyncFolder {
  readonly path: string;
  readonly messages: string;
  readonly state: string;

  constructor(path: string) {
    this.path = path;
    this.messages = join(path, "messages");
    this.state = join(path, "state.jsonl");
  }

  /**
   * Creates `messages/` and the lock for the owner alone.
   *
   * @returns undefined if another process holds the lock
   * @throws SurveyExportError, or an error of the file system
   */
  lock(): Promise<Lock | undefined> {
    mkdirSync(this.messages, { recursive: true, mode: 0o700 });
    return lockFile(join(this.path, ".lock"));
  }

  /**
   * The states by stream; none of an empty file or without one.
   *
   * @throws SurveyExportError `invalid_state` for anything that is not a state, or is not whole
   */
  readState(): States {
    if (!existsSync(this.state)) return new Map();
    const file = statSync(this.state);
    if (!file.isFile())
      throw unusable(say`The state of the folder cannot be used: state.jsonl is not a file.`);
    if (file.size > MOST_STATE_BYTES) throw unusable(say`state.jsonl is larger than 64 MB.`);
    const text = readFileSync(this.state, "utf8");
    if (text.trim() === "") return new Map();
    try {
      const { states, warnings } = parseStates(text);
      if (warnings.length === 0) return states;
      throw unusable(joined(warnings.map(({ message }) => message)));
    } catch (thrown) {
      throw thrown instanceof SurveyExportError ? unusable(thrown.facts) : thrown;
    }
  }

  /** From here on, a missing `state.jsonl` was deleted. */
  ensureState(): void {
    if (!existsSync(this.state)) writeFileSync(this.state, "", { flag: "wx", mode: 0o600 });
  }

  /** Creates a file for the owner alone, in which a run that begins now writes. @returns its path */
  createPart(nowMs: number): string {
    const pathAt = (ms: number) =>
      join(this.messages, `${new Date(ms).toISOString().replace(/[-:]/g, "")}.jsonl`);
    let atMs = nowMs;
    while (existsSync(pathAt(atMs))) atMs += 1; // the clock was set back
    const part = pathAt(atMs) + PART;
    closeSync(openSync(part, "wx", 0o600));
    return part;
  }

  /** The runs that a kill, or a full disk, kept from being kept. */
  get parts(): string[] {
    return readdirSync(this.messages, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(PART))
      .map(({ name }) => join(this.messages, name))
      .toSorted();
  }

  /**
   * Keeps the whole lines of a run and the last state of each stream. The messages are on the disk before the state
   * moves. After a kill in here it does the same again.
   *
   * @throws an error of the file system; then the run is left as it is
   */
  keep(part: string): KeptRun {
    const { bytes, states, records } = readMessages(part);
    const descriptor = openSync(part, "r+");
    try {
      ftruncateSync(descriptor, bytes);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    const isStored = this.#store(states);
    const file = part.slice(0, -PART.length);
    renameSync(part, file);
    const counts = [...records].map(([stream, count]) => `${count} ${stream}`);
    return { file, records: counts.join(", ") || "no records", isStored };
  }

  /**
   * Puts these states in the place of those of the same streams, in one step: a kill leaves the old file or the new one.
   *
   * @returns false, and stores nothing, if the file was deleted
   */
  #store(states: States): boolean {
    if (!existsSync(this.state)) return false;
    if (states.size === 0) return true;
    const lines = [...this.readState(), ...states];
    const next = `${this.state}.new`;
    if (lstatSync(next, { throwIfNoEntry: false })) unlinkSync(next); // of a killed run, or a link
    const text = [...new Map(lines)].map(lineOf).join("");
    writeFileSync(next, text, { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, this.state);
    return true;
  }
}

const unusable = (facts: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_state", facts, {
    advice: say`Correct state.jsonl, or delete it to read everything again.`,
  });

/** `*`: a state that somebody wrote by hand for every stream. It stays for streams that come into the catalog later. */
function lineOf([stream, state]: readonly [string, unknown]): string {
  const message = {
    type: "STATE",
    state: { type: "STREAM", stream: { stream_descriptor: { name: stream }, stream_state: state } },
  };
  return `${JSON.stringify(stream === "*" ? state : message)}\n`;
}

const RECORD = '{"type":"RECORD","record":{"stream":"';
const STATE = '{"type":"STATE"';
const LONGEST_HEAD = 200;

/**
 * What a run wrote: the records by stream, the last state of each stream, and the length of the whole lines, since a kill
 * can cut the last one. From a STATE line that cannot be read, as after a failure of the disk, nothing counts: the next
 * run reads again what came after the state before it.
 */
function readMessages(path: string) {
  const records = new Map<string, number>();
  const states = new Map<string, unknown>();
  let bytes = 0;
  for (const line of wholeLines(path)) {
    const head = line.toString("latin1", 0, LONGEST_HEAD);
    if (head.startsWith(RECORD)) {
      const stream = head.slice(RECORD.length, head.indexOf('"', RECORD.length));
      records.set(stream, (records.get(stream) ?? 0) + 1);
    } else if (head.startsWith(STATE)) {
      try {
        for (const [name, state] of parseStates(line.toString()).states) states.set(name, state);
      } catch {
        break;
      }
    }
    bytes += line.length + 1;
  }
  return { records, states, bytes };
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;

/** The lines of a file that end in a newline, without it. The file may be larger than the memory. */
function* wholeLines(path: string): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    let begun: Buffer[] = [];
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const chunk = buffer.subarray(0, readSync(file, buffer));
      if (chunk.length === 0) return;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        yield Buffer.concat([...begun, chunk.subarray(start, end)]);
        begun = [];
        start = end + 1;
      }
      begun.push(chunk.subarray(start));
    }
  } finally {
    closeSync(file);
  }
}

const BUSY = 5; // SQLITE_BUSY

/**
 * Locks the file at `path`. It works between containers of one machine, and over network file systems that have locks.
 *
 * The lock is SQLite's lock of an empty database, since Node itself offers no locks of files. A file that exists as long
 * as its owner runs would stay after a SIGKILL. The process must not open the file a second time: closing it would
 * release the lock.
 */
async function lockFile(path: string): Promise<Lock | undefined> {
  const { DatabaseSync } = await quietly(() => import("node:sqlite"));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !(found.isFile() && found.size === 0)) {
    throw new SurveyExportError(
      "config",
      "invalid_configuration",
      say`${given(path)} is not the lock of a sync, which is an empty file. Move it away.`,
    );
  }
  closeSync(openSync(path, "a", 0o600));
  const database = new DatabaseSync(path);
  try {
    // In memory, so that there is no second file.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (thrown) {
    database.close();
    if ((thrown as { errcode?: number }).errcode === BUSY) return undefined;
    throw thrown;
  }
}

/** Without the warning of Node 22 that its SQLite is experimental. */
async function quietly<Value>(load: () => Promise<Value>): Promise<Value> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
