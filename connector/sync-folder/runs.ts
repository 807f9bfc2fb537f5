import {
  closeSync,
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
import { hasRecords, readMessages, type Written } from "./messages-file.ts";
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
    const descriptor = openSync(part, "r+");
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
