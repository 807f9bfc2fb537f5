import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Ajv } from "ajv";
import protocol from "../../schemas/protocol.json" with { type: "json" };
import { whatPlatformDoes } from "./airbyte-platform.ts";

export const BIN = join(import.meta.dirname, "../../dist/source-survey-export.js");

// biome-ignore lint/suspicious/noExplicitAny: messages are looked into by tests, field by field
export type Message = { readonly type: string } & { readonly [field: string]: any };

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /**
   * Every line of stdout, parsed when it is asked for; each has been held against our schema of the protocol, and against what
   * Airbyte's platform demands.
   */
  readonly messages: readonly Message[];
}

type Environment = Readonly<Record<string, string>>;

export interface RunOptions {
  readonly env?: Environment;
  /** Called with the process as soon as it runs. */
  readonly onStart?: (child: ChildProcess) => void;
}

const isMessage = new Ajv({ strict: false }).compile({ ...protocol, $id: "protocol" });

/** Runs the real bin to its end, in a process of its own. */
export async function runBin(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  options.onStart?.(child);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject).once("close", (...end) => resolve(end));
  });
  return endedWith({ code, signal, stdout, stderr });
}

/** Options of a run that gets a signal once, as soon as it has written a record. */
export const signalAtFirstRecord = (signal: NodeJS.Signals): RunOptions => ({
  onStart(child) {
    const send = (text: string): void => {
      if (text.includes('"type":"RECORD"') && child.kill(signal)) child.stdout?.off("data", send);
    };
    child.stdout?.on("data", send);
  },
});

function endedWith(end: Omit<Ended, "messages">): Ended {
  let messages: readonly Message[] | undefined;
  return {
    ...end,
    get messages() {
      messages ??= messagesOf(end.stdout);
      return messages;
    },
  };
}

/** The messages in a text of JSON lines, each held as in `Ended`. A last line that was cut by a kill is omitted. */
export function messagesOf(text: string): Message[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const message: Message = JSON.parse(line);
      if (!isMessage(message)) throw new Error(`Not a message of the protocol: ${line.slice(0, 500)}`);
      const problem = whatPlatformDoes(message);
      if (problem !== undefined) throw new Error(`${problem} ${line.slice(0, 500)}`);
      return message;
    });
}

export const records = (messages: readonly Message[], stream: string) =>
  messages.flatMap(({ type, record }) =>
    type === "RECORD" && record.stream === stream ? [record.data] : [],
  );

export const states = (messages: readonly Message[], stream: string) =>
  messages.flatMap(({ type, state }) =>
    type === "STATE" && state.stream.stream_descriptor.name === stream ? [state] : [],
  );

/** The last state of each stream, as the platform gives them back, in the order of their names. */
export function lastStates(messages: readonly Message[]) {
  const all = messages.flatMap(({ type, state }) => (type === "STATE" ? [state] : []));
  const names = new Set<string>(all.map((state) => state.stream.stream_descriptor.name));
  return [...names].toSorted().flatMap((name) => states(messages, name).slice(-1));
}

export const errors = (messages: readonly Message[]) =>
  messages.flatMap(({ type, trace }) => (type === "TRACE" && trace.type === "ERROR" ? [trace.error] : []));

export const warnings = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ type, log }) => (type === "LOG" && log.level === "WARN" ? [log.message] : []));

export const statuses = (messages: readonly Message[], stream: string): string[] =>
  messages.flatMap(({ trace }) =>
    trace?.stream_status?.stream_descriptor.name === stream ? [trace.stream_status.status] : [],
  );

/** Of streams by their names, incremental unless a mode is named. */
export function catalog(
  ...streams: readonly (string | readonly [name: string, syncMode: "full_refresh" | "incremental"])[]
) {
  return {
    streams: streams
      .map((stream) => (typeof stream === "string" ? ([stream, "incremental"] as const) : stream))
      .map(([name, syncMode]) => ({
        stream: { name, json_schema: {}, supported_sync_modes: ["full_refresh", "incremental"] },
        sync_mode: syncMode,
        destination_sync_mode: "append",
        generation_id: 3,
        minimum_generation_id: 0,
        sync_id: 7,
      })),
  };
}

/** A program that keeps what it refuses ends without a message. */
const SMALL_HEAP = "--max-old-space-size=256";

let warm: ChildProcess | undefined;
let runs: Promise<unknown> = Promise.resolve();
let count = 0;

/**
 * Runs the real bin like `runBin`, in a process that has run it before: a quarter of the time, since nothing is compiled
 * anew. For tests of what a run writes. How a process starts and ends is for `runBin`. One run at a time.
 */
export function runWarm(
  words: readonly string[],
  { env = {} }: { readonly env?: Environment } = {},
): Promise<Ended> {
  const run = runs.then(() => runNext(words, env));
  runs = run.catch(() => {});
  return run;
}

/** Warm, unless there are options: these are about the process of the run. */
export const run = (words: readonly string[], options?: RunOptions): Promise<Ended> =>
  options === undefined ? runWarm(words) : runBin(words, options);

async function runNext(words: readonly string[], env: Environment): Promise<Ended> {
  if (warm === undefined || warm.exitCode !== null || warm.signalCode !== null) {
    warm = fork(join(import.meta.dirname, "warm-program.js"), {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: [SMALL_HEAP],
    });
    warm.stdout!.setEncoding("utf8");
    warm.stderr!.setEncoding("utf8");
  }
  const child = warm;
  const end = `end-of-run-${count++}`;
  const outputs = Promise.all([upTo(child.stdout!, end), upTo(child.stderr!, end)]);
  const answer = once(child, "message");
  child.send({ program: BIN, words, env, end });
  const [stdout, stderr] = await outputs;
  const [{ code, thrown }] = await answer;
  if (thrown !== undefined) throw new Error(`The program threw: ${thrown}`);
  return endedWith({ code, signal: null, stdout, stderr });
}

/** Everything that the stream gives up to the line `end`. */
async function upTo(stream: NodeJS.ReadableStream, end: string): Promise<string> {
  const closing = `\n${end}\n`;
  let text = "";
  return new Promise((resolve, reject) => {
    const take = (piece: string): void => {
      text += piece;
      if (!text.endsWith(closing)) return;
      settle();
      resolve(text.slice(0, -closing.length));
    };
    const gone = (): void => {
      settle();
      reject(new Error(`The program ended its process. Run it with runBin. It wrote:\n${text.slice(-2000)}`));
    };
    const settle = (): void => {
      stream.off("data", take).off("close", gone);
    };
    stream.on("data", take).on("close", gone);
  });
}
