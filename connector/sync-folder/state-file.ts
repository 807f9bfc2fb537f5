import { existsSync, lstatSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { joined, SurveyExportError, say } from "@survey-export/core";
import { parseStates } from "../airbyte/state.ts";
import { chunksOf } from "../node/lines.ts";
import { StateText } from "../node/state-text.ts";

/**
 * `state.jsonl`: the last state of each stream, one line each. People may also write it: it takes whatever `--state`
 * takes.
 *
 * An empty file is a first sync. A missing one was deleted if a sync ran before: then everything is read again, and no
 * older run may bring the state back.
 */
export class StateFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** Creates an empty file if there is none. */
  touch(): void {
    if (!this.exists) writeFileSync(this.path, "", { flag: "wx", mode: 0o600 });
  }

  /**
   * The states by stream, none of an empty file.
   *
   * @throws SurveyExportError `invalid_state` for anything that is not a state, or is not whole
   */
  read(): ReadonlyMap<string, unknown> {
    try {
      const text = this.#text();
      if (text.trim() === "") return new Map();
      const { states, warnings } = parseStates(text);
      if (warnings.length === 0) return states;
      throw new SurveyExportError("config", "invalid_state", joined(warnings.map(({ message }) => message)));
    } catch (thrown) {
      if (!(thrown instanceof SurveyExportError)) throw thrown;
      const { kind, code, facts } = thrown;
      const advice = say`Correct state.jsonl, or delete it to read everything again.`;
      throw new SurveyExportError(kind, code, facts, { advice, cause: thrown });
    }
  }

  #text(): string {
    if (!statSync(this.path).isFile()) {
      const facts = say`The state of the folder cannot be used: state.jsonl is not a file.`;
      throw new SurveyExportError("config", "invalid_state", facts);
    }
    const text = new StateText();
    for (const chunk of chunksOf(this.path)) text.add(chunk);
    return text.text;
  }

  /**
   * Puts these states in the place of those of the same streams, in one step: a kill leaves the old file or the new
   * one. Whatever they cover must be on the disk by now. A link is replaced by a file; what it led to stays as it was.
   *
   * @returns false, and stores nothing, if the file was deleted
   * @throws an error of the file system
   */
  store(states: ReadonlyMap<string, unknown>): boolean {
    if (!this.exists) return false;
    if (states.size === 0) return true;
    const lines = [...new Map([...this.read(), ...states])].map(lineOf);
    const next = `${this.path}.new`;
    if (lstatSync(next, { throwIfNoEntry: false })) unlinkSync(next); // of a killed run, or a link
    writeFileSync(next, lines.join(""), { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, this.path);
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
