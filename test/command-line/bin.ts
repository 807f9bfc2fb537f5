import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import protocol from "../../schemas/protocol.json" with { type: "json" };

export const BIN = join(import.meta.dirname, "../../dist/source-survey-export.js");

// biome-ignore lint/suspicious/noExplicitAny: messages are looked into by tests, field by field
export type Message = { readonly type: string } & { readonly [field: string]: any };

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Every line of stdout, parsed; each has been held against our schema of the protocol. */
  readonly messages: readonly Message[];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the process, and with what it has written so far, after each piece of it. */
  readonly onOutput?: (child: ChildProcess, soFar: string) => void;
}

const isMessage = new Ajv({ strict: false }).compile({
  ...protocol,
  $id: "protocol",
});

/** Runs the real bin to its end. */
export async function runBin(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    options.onOutput?.(child, stdout);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject).once("close", (...end) => resolve(end));
  });
  let messages: readonly Message[] | undefined;
  return {
    code,
    signal,
    stdout,
    stderr,
    get messages() {
      messages ??= messagesOf(stdout);
      return messages;
    },
  };
}

/** The messages in a text of JSON lines. A last line that was cut by a kill is left out. */
export function messagesOf(text: string): Message[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const message: Message = JSON.parse(line);
      if (!isMessage(message)) throw new Error(`Not a message of the protocol: ${line.slice(0, 500)}`);
      return message;
    });
}

/** A folder for one test's files. */
export async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), "survey-export-test-"));
  return {
    async file(name: string, content: unknown): Promise<string> {
      const path = join(folder, name);
      const isText = typeof content === "string" || Buffer.isBuffer(content);
      await writeFile(path, isText ? content : JSON.stringify(content));
      return path;
    },
    path: (name: string) => join(folder, name),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export const records = (messages: readonly Message[], stream: string) =>
  messages
    .filter((message) => message.type === "RECORD" && message.record.stream === stream)
    .map((message) => message.record.data);

export const states = (messages: readonly Message[], stream: string) =>
  messages
    .filter((message) => message.type === "STATE" && message.state.stream.stream_descriptor.name === stream)
    .map((message) => message.state);

export const errors = (messages: readonly Message[]) =>
  messages
    .filter((message) => message.type === "TRACE" && message.trace.type === "ERROR")
    .map((message) => message.trace.error);

export const statuses = (messages: readonly Message[], stream: string): string[] =>
  messages
    .filter(
      (message) =>
        message.type === "TRACE" &&
        message.trace.type === "STREAM_STATUS" &&
        message.trace.stream_status.stream_descriptor.name === stream,
    )
    .map((message) => message.trace.stream_status.status);

export function catalog(...streams: readonly [name: string, syncMode?: "full_refresh" | "incremental"][]) {
  return {
    streams: streams.map(([name, syncMode = "incremental"]) => ({
      stream: { name, json_schema: {}, supported_sync_modes: ["full_refresh", "incremental"] },
      sync_mode: syncMode,
      destination_sync_mode: "append",
      generation_id: 3,
      minimum_generation_id: 0,
      sync_id: 7,
    })),
  };
}
