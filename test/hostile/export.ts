import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import {
  catalog,
  createFolder,
  errors,
  type Message,
  records,
  runBin,
  statuses,
} from "../command-line/bin.ts";
import { type Behaviour, startService } from "./service.ts";

/** Looks like nothing else. */
export const KEY = "PLANTED-k3y-9f2c";
/** One stream of each list of responses: those whose records have the responses' own `uuid`. */
export const RESPONSE_STREAMS = ["survey_responses", "respondent_responses"] as const;

export interface Synced {
  readonly code: number | null;
  readonly messages: readonly Message[];
  /** The state of a platform: the last one of each stream. */
  readonly state: unknown[];
  readonly log: string;
  /** Requests of this sync. */
  readonly requests: number;
  readonly output: string;
  ids(stream: string): string[];
  status(stream: string): string | undefined;
  errors(): string[];
}

export interface SyncChoice {
  readonly streams?: readonly string[];
  readonly state?: unknown;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A service and the real command line that reads it. */
export async function startExport(behaviour: Behaviour) {
  const service = await startService(behaviour);
  const folder = await createFolder();
  const configuration = (change: SyncChoice["config"] = {}) => {
    const surveys = [...new Set(behaviour.items.map((item) => item.survey))];
    return { base_url: service.url, api_key: KEY, survey_ids: surveys, ...change };
  };
  return {
    service,
    folder,
    configuration,
    async sync({ streams = RESPONSE_STREAMS, state, config, env }: SyncChoice = {}): Promise<Synced> {
      const words = ["read", "--config", await folder.file("config.json", configuration(config))];
      const names = streams.map((name): [string] => [name]);
      words.push("--catalog", await folder.file("catalog.json", catalog(...names)));
      if (state) words.push("--state", await folder.file("state.json", state));
      const before = service.calls.length;
      const ended = await runBin(words, env ? { env } : {});
      const { messages } = ended;
      const last = new Map<string, unknown>();
      for (const one of Array.isArray(state) ? state : []) last.set(one.stream.stream_descriptor.name, one);
      for (const { type, state } of messages) {
        if (type === "STATE") last.set(state.stream.stream_descriptor.name, state);
      }
      return {
        code: ended.code,
        messages,
        state: [...last.values()],
        log: messages
          .filter(({ type }) => type === "LOG")
          .map(({ log }) => `${log.level} ${log.message}`)
          .join("\n"),
        requests: service.calls.length - before,
        output: ended.stdout + ended.stderr,
        ids: (stream) => records(messages, stream).map((record) => record.uuid ?? record.id),
        status: (stream) => statuses(messages, stream).at(-1),
        errors: () => errors(messages).map((error) => error.message),
      };
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await folder.remove();
    },
  };
}

/** Runs a program and gives the most memory that it held, in MB, beside what it wrote. */
export async function peakMemory(words: readonly string[]) {
  const child = spawn(process.execPath, [...words], { stdio: ["ignore", "pipe", "pipe"] });
  let peak = 0;
  const timer = setInterval(async () => {
    const text = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
  }, 20);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(timer);
  return { code, output, peak };
}
