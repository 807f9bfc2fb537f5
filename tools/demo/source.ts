import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { STREAMS, type StreamName } from "../../connector/core/index.ts";
import { keyOf } from "../../sandbox/index.ts";
import type { Data } from "./scores.ts";
import { counted } from "./terminal.ts";

interface Message {
  readonly record?: { readonly stream: StreamName; readonly data: Data };
  readonly trace?: { readonly error?: { readonly message: string } };
}

/** A stream compared with what the sandbox holds. */
export interface Compared {
  readonly stream: string;
  readonly there: number;
  readonly read: number;
  readonly missing: number;
}

/** What came of all reads. */
export class Received {
  /** How many records came, also those that came more than once. */
  delivered = 0;
  readonly #streams = new Map<string, Map<string, Data>>();

  take({ stream, data }: NonNullable<Message["record"]>): void {
    this.of(stream).set(keyOf(data, STREAMS[stream].primaryKey), data);
    this.delivered += 1;
  }

  /** The latest record of each key. */
  of(stream: string): Map<string, Data> {
    const found = this.#streams.get(stream) ?? new Map<string, Data>();
    this.#streams.set(stream, found);
    return found;
  }

  /** The answers, each with the text of its question. */
  get answers(): Data[] {
    const questions = [...this.of("survey_questions").values()];
    const texts = new Map(questions.map(({ id, question }) => [id, question]));
    return [...this.of("survey_answers").values()].map((answer) => {
      return { ...answer, question: texts.get(answer.question_id) };
    });
  }

  /** How many answers a response has in `survey_answers`. */
  answersOf(response: string): number {
    const answers = [...this.of("survey_answers").values()];
    return answers.filter(({ response_uuid: uuid }) => uuid === response).length;
  }

  /** How many different records came. */
  get count(): number {
    return [...this.#streams.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Compares what came so far with the keys that each stream must hold. */
  compare(expected: ReadonlyMap<string, ReadonlySet<string>>): Compared[] {
    return [...expected].map(([stream, keys]) => {
      const came = this.of(stream);
      const missing = [...keys].filter((key) => !came.has(key)).length;
      return { stream, there: keys.size, read: came.size, missing };
    });
  }
}

/**
 * Runs the program's `read` with these words into a new file. `onRecords` is called whenever records came; once it
 * returns true, the program is killed with SIGKILL. Returns whether it was.
 * @throws Error with its reason if the program fails
 */
export async function read(
  words: readonly string[],
  output: string,
  received: Received,
  onRecords: () => boolean,
): Promise<boolean> {
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = Promise.all([once(child, "close"), text(child.stderr)]);
  await using file = await open(output, "wx", 0o600);
  let [rest, problem] = ["", ""];
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    await file.write(chunk);
    // A kill cuts the last line short.
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop()!;
    for (const { record, trace } of lines.map((line): Message => JSON.parse(line))) {
      if (record !== undefined) received.take(record);
      problem = trace?.error?.message ?? problem;
    }
    if (onRecords()) child.kill("SIGKILL");
  }
  const [[code, signal], errors] = await ended;
  if (code === 0 || signal === "SIGKILL") return signal === "SIGKILL";
  const reason = problem || errors.trim() || `its messages are in ${output}`;
  throw new Error(`The program ended with ${code ?? signal}: ${reason}`);
}

/** The comparison as a table for a terminal. Throws if a record is missing. */
export function verdict(streams: readonly Compared[]): string {
  const rows = streams.map(({ stream, there, read, missing }) => [
    stream,
    ...[there, read, missing].map(counted),
  ]);
  const table = [["stream", "in the sandbox", "read", "missing"], ...rows]
    .map(([name = "", ...cells]) => `   ${name.padEnd(22)}${cells.map((cell) => cell.padStart(16)).join("")}`)
    .join("\n");
  const missing = streams.reduce((sum, stream) => sum + stream.missing, 0);
  if (missing > 0) throw new Error(`${table}\n${counted(missing)} records are missing. Please report it.`);
  return table;
}
