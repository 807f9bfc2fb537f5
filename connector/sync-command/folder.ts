import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { given, type Message, SurveyExportError, say } from "@survey-export/core";
import { parseStates, stateLines } from "../airbyte/state.ts";
import { MOST_BYTES } from "../node/input-file.ts";
import { lockFile } from "./lock-file.ts";
import { openFile, unusable } from "./open-file.ts";

type States = ReadonlyMap<string, unknown>;

/** A run whose messages are kept. */
export interface KeptRun {
  /** "survey_responses 12, respondent_attributes 3" */
  readonly records: string;
  /** Whether `state.jsonl` has its states now. It has not if somebody deleted that. */
  readonly isStored: boolean;
  /** What happened to the rest, if the file was damaged. */
  readonly damage: Message | undefined;
}

const PART = ".jsonl.part";
const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/**
 * What a sync keeps in its folder:
 *
 * - `messages/<time>.jsonl`: what each run wrote, one message a line. Until the run is kept, it ends in `.part`. A damaged
 *   one is put aside: it ends in `.damaged`
 * - `state.jsonl`: the last state of each stream, one line each. People may also write it: it takes whatever `--state`
 *   takes. An empty file is a first sync. A missing one was deleted if a sync ran before: then everything is read again,
 *   and no older run brings the state back
 * - `.lock`: locked while a sync runs
 *
 * Its files are for the owner alone. The folder and `messages/` may be links to folders; nothing is written through a
 * link to a file.
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
   * @throws SurveyExportError `invalid_state` for anything that is not a state
   */
  readState(): States {
    if (!existsSync(this.state)) return new Map();
    try {
      const file = openFile(realpathSync(this.state), O_RDONLY, MOST_BYTES);
      const text = readFileSync(file, "utf8");
      closeSync(file);
      return text.trim() === "" ? new Map() : parseStates(text);
    } catch (thrown) {
      if (!(thrown instanceof SurveyExportError)) throw thrown;
      const advice = say`Correct state.jsonl, or delete it to read everything again.`;
      throw new SurveyExportError("config", "invalid_state", thrown.facts, { advice });
    }
  }

  /**
   * Creates the file in which a run that begins now writes, whose path is `path` once it is kept, and `state.jsonl`: if that
   * is missing later, it was deleted.
   */
  createPart(nowMs: number): { part: string; path: string; file: number } {
    if (!existsSync(this.state)) writeFileSync(this.state, "", { flag: "wx", mode: 0o600 });
    const time = new Date(nowMs).toISOString().replace(/[-:]/g, "");
    const part = join(this.messages, `${time}${PART}`);
    return {
      part,
      path: join(this.messages, `${time}.jsonl`),
      file: openFile(part, O_WRONLY | O_CREAT | O_EXCL),
    };
  }

  /** The runs that a kill, or a full disk, kept from being kept. */
  get parts(): string[] {
    const names = readdirSync(this.messages).filter((name) => name.endsWith(PART));
    return names.toSorted().map((name) => join(this.messages, name));
  }

  /**
   * Keeps the whole lines of a run and the last state of each stream. The messages are on the disk before the state
   * moves. After a kill in here the next run does the same again. What is damaged, or a link, is put aside; then the
   * lines before the damage count, so that no state says more than the messages that are kept.
   * @throws an error of the file system, or of a `state.jsonl` that cannot be read; then the run stays as it is
   */
  async keep(part: string): Promise<KeptRun> {
    const start = part.slice(0, -PART.length);
    const file = unusedPath(start, ".jsonl");
    const written: Written = { records: new Map(), states: new Map(), bytes: 0 };
    let damage: Message | undefined;
    try {
      await readMessages(part, written);
      const descriptor = openFile(part, O_RDWR);
      ftruncateSync(descriptor, written.bytes);
      fsyncSync(descriptor);
      closeSync(descriptor);
    } catch (thrown) {
      if (!(thrown instanceof SurveyExportError)) throw thrown;
      const aside = unusedPath(start, ".jsonl.damaged");
      await putAside(part, aside, written.bytes);
      damage = say`${thrown.facts} It is now ${given(aside)}.`;
    }
    const isStored = this.#store(written.states);
    renameSync(part, file);
    const counts = [...written.records].map(([stream, count]) => `${stream} ${count}`);
    return { records: counts.join(", ") || "no records", isStored, damage };
  }

  /**
   * Puts these states in the place of those of the same streams, in one step: after a kill there is the old file or the new
   * one.
   * @returns false, and stores nothing, if the file was deleted
   */
  #store(states: States): boolean {
    if (!existsSync(this.state)) return false;
    const text = stateLines(new Map([...this.readState(), ...states]));
    const next = `${this.state}.new`;
    rmSync(next, { force: true }); // of a killed run, or a link
    writeFileSync(next, text, { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, this.state);
    return true;
  }
}

/** What a run wrote: the records by stream, the last state of each stream, and the length of its whole lines. */
interface Written {
  readonly records: Map<string, number>;
  readonly states: Map<string, unknown>;
  bytes: number;
}

/**
 * Adds a file's messages to `written`, without the last line if a kill cut it. The file may be larger than the memory. In
 * Latin-1 a character is a byte.
 * @throws SurveyExportError at the first line that no run wrote; then `written` has those before it
 */
async function readMessages(path: string, written: Written): Promise<void> {
  let rest = "";
  for await (const chunk of createReadStream("", { fd: openFile(path, O_RDONLY), encoding: "latin1" })) {
    const lines = String(chunk).split("\n");
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? "";
    if (lines.every((line) => addMessage(line, written)) && rest.length <= MOST_BYTES) continue;
    throw unusable(path, say`is damaged after byte ${written.bytes}`);
  }
}

/** @returns whether the line is a message */
function addMessage(line: string, written: Written): boolean {
  if (!line.startsWith("{") || !line.endsWith("}")) return false;
  const [, stream] = /^\{"type":"RECORD","record":\{"stream":"(\w+)"/.exec(line) ?? [];
  if (stream !== undefined) written.records.set(stream, (written.records.get(stream) ?? 0) + 1);
  if (line.startsWith('{"type":"STATE"')) {
    try {
      const states = parseStates(Buffer.from(line, "latin1").toString());
      for (const [name, state] of states) written.states.set(name, state);
    } catch {
      return false;
    }
  }
  written.bytes += line.length + 1;
  return true;
}

/** A path with this start and end that nothing has, so that a rename to it replaces nothing. */
const unusedPath = (start: string, end: string): string =>
  lstatSync(start + end, { throwIfNoEntry: false }) ? unusedPath(`${start}-`, end) : start + end;

/** Renames a damaged part, whatever it is, and writes its first `bytes` to a new one in its place. */
async function putAside(part: string, aside: string, bytes: number): Promise<void> {
  renameSync(part, aside);
  const lines = bytes > 0 ? createReadStream("", { fd: openFile(aside, O_RDONLY), end: bytes - 1 }) : "";
  await writeFile(part, lines, { flag: "wx", mode: 0o600, flush: true });
}
