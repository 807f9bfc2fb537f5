import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { type Message, messagesIn, type Row } from "../../scripts/delivery.ts";

/** A run of the real program. */
export interface Run {
  /** The bin: a file that this Node runs. */
  readonly bin: string;
  readonly words: readonly string[];
  /** Its messages go into this file, for the owner alone. The file must not exist. */
  readonly output: string;
  /** Called with the records as they come. Once it returns true, the program is killed with SIGKILL. */
  readonly onRows?: (rows: readonly Row[]) => boolean;
}

export interface Ended {
  readonly messages: readonly Message[];
  readonly seconds: number;
  readonly killed: boolean;
}

/** Runs the program until it ends or is killed. Throws if it ends with an error. */
export async function runProgram({ bin, words, output, onRows }: Run): Promise<Ended> {
  const beganMs = performance.now();
  const child = spawn(process.execPath, [bin, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const sink = createWriteStream(output, { flags: "wx", mode: 0o600 });
  const closed = Promise.all([once(child, "close"), finished(child.stdout.pipe(sink))]);
  const decoder = new StringDecoder("utf8");
  const messages: Message[] = [];
  let [rest, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdout.on("data", (chunk: Buffer) => {
    const text = rest + decoder.write(chunk);
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    const came = messagesIn(text.slice(0, end));
    messages.push(...came);
    const rows = came.flatMap(({ type, record }) => (type === "RECORD" ? [record as Row] : []));
    if (onRows?.(rows)) child.kill("SIGKILL");
  });
  const [[code, signal]] = await closed;
  if (code !== 0 && signal !== "SIGKILL") {
    const reason = errors.trim() || `its messages are in ${output}`;
    throw new Error(`source-survey-export ${words[0]} ended with ${code ?? signal}: ${reason}.`);
  }
  return { messages, seconds: (performance.now() - beganMs) / 1_000, killed: signal === "SIGKILL" };
}
