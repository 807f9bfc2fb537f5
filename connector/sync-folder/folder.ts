import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { SurveyExportError, say } from "@survey-export/core";
import { parseStates } from "../airbyte/state.ts";

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

/**
 * What a sync keeps in its folder:
 *
 * - `messages/<time>.jsonl`: what each run wrote, one message a line. Until the run is kept, it ends in `.part`
 * - `state.jsonl`: the last state of each stream, one line each. People may also write it: it takes whatever `--state`
 *   takes. An empty file is a first sync. A missing one was deleted if a sync ran before: then everything is read again,
 *   and no older run brings the state back
 * - `.lock`: locked while a sync runs
 *
 * Its files are for the owner alone.
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

  /** Creates `messages/` and the lock. @returns what releases the lock; undefined if another process holds it */
  lock(): (() => void) | undefined {
    mkdirSync(this.messages, { recursive: true, mode: 0o700 });
    return lockFile(join(this.path, ".lock"));
  }

  /**
   * The states by stream; none of an empty file or without one.
   *
   * @throws SurveyExportError `invalid_state` for anything that is not a state
   */
  readState(): States {
    const text = existsSync(this.state) ? readFileSync(this.state, "utf8") : "";
    if (text.trim() === "") return new Map();
    try {
      return parseStates(text).states;
    } catch (thrown) {
      const advice = say`Correct state.jsonl, or delete it to read everything again.`;
      throw new SurveyExportError("config", "invalid_state", SurveyExportError.from(thrown).facts, {
        advice,
      });
    }
  }

  /** Creates the file in which a run that begins now writes, and `state.jsonl`: if that is missing later, it was deleted. */
  createPart(nowMs: number): string {
    if (!existsSync(this.state)) writeFileSync(this.state, "", { flag: "wx", mode: 0o600 });
    const time = new Date(nowMs).toISOString().replace(/[-:]/g, "");
    const part = join(this.messages, `${time}.jsonl${PART}`);
    closeSync(openSync(part, "wx", 0o600));
    return part;
  }

  /** The runs that a kill, or a full disk, kept from being kept. */
  get parts(): string[] {
    const names = readdirSync(this.messages).filter((name) => name.endsWith(PART));
    return names.toSorted().map((name) => join(this.messages, name));
  }

  /**
   * Keeps the whole lines of a run and the last state of each stream. The messages are on the disk before the state
   * moves. After a kill in here the next run does the same again.
   *
   * @throws an error of the file system, or of a state that cannot be read; then the run is left as it is
   */
  async keep(part: string): Promise<KeptRun> {
    const { bytes, states, records } = await readMessages(part);
    const descriptor = openSync(part, "r+");
    ftruncateSync(descriptor, bytes);
    fsyncSync(descriptor);
    closeSync(descriptor);
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
    const text = [...new Map([...this.readState(), ...states])].map(lineOf).join("");
    const next = `${this.state}.new`;
    rmSync(next, { force: true }); // of a killed run, or a link
    writeFileSync(next, text, { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, this.state);
    return true;
  }
}

/** `*`: a state that somebody wrote by hand for every stream. It stays for streams that come into the catalog later. */
function lineOf([stream, state]: readonly [string, unknown]): string {
  const message = {
    type: "STATE",
    state: { type: "STREAM", stream: { stream_descriptor: { name: stream }, stream_state: state } },
  };
  return `${JSON.stringify(stream === "*" ? state : message)}\n`;
}

/**
 * What a run wrote: the records by stream, the last state of each stream, and the length of the whole lines, since a kill
 * can cut the last one. The file may be larger than the memory. In Latin-1 a character is a byte.
 */
async function readMessages(path: string) {
  const records = new Map<string, number>();
  const states = new Map<string, unknown>();
  const { size } = statSync(path);
  let bytes = 0;
  for await (const line of createInterface({ input: createReadStream(path, "latin1") })) {
    if (bytes + line.length + 1 > size) break; // the end of this line is missing
    bytes += line.length + 1;
    const [, stream] = /^\{"type":"RECORD","record":\{"stream":"(\w+)"/.exec(line) ?? [];
    if (stream !== undefined) records.set(stream, (records.get(stream) ?? 0) + 1);
    if (!line.startsWith('{"type":"STATE"')) continue;
    for (const [name, state] of parseStates(Buffer.from(line, "latin1").toString()).states)
      states.set(name, state);
  }
  return { records, states, bytes };
}

const BUSY = 5; // SQLITE_BUSY

/**
 * Locks the file at `path`. It works between containers of one machine, and over network file systems that have locks.
 *
 * The lock is SQLite's lock of an empty database, since Node itself offers no locks of files. A file that exists as long
 * as its owner runs would stay after a SIGKILL. The process must not open the file a second time: closing it would
 * release the lock.
 */
function lockFile(path: string): (() => void) | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // Node 22 warns that its SQLite is experimental
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  closeSync(openSync(path, "a", 0o600));
  const database = new DatabaseSync(path);
  try {
    // In memory, so that there is no second file.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (thrown) {
    database.close();
    if ((thrown as { errcode?: number }).errcode === BUSY) return undefined;
    throw thrown;
  }
}
