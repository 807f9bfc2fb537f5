import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { BIN, type Message, messagesOf } from "../../../support/bin.ts";
import { folderForTest } from "../../../support/folder.ts";
import { configOf, sandboxForTest, surveyOf } from "../../../support/sandbox.ts";

const PAGE = 100;
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGKILL: 9, SIGTERM: 15 };

const SYNC = [process.execPath, BIN, "sync"];
const STREAMS = ["--streams", "survey_responses"];

/** A folder to sync in, until the running test is over. */
export function createFolder() {
  const path = folderForTest().path();
  const inside = (name: string) => join(path, name);
  const read = (name: string) => readFileSync(inside(name), "utf8");
  /** The files of `messages/`. */
  const names = (): string[] =>
    existsSync(inside("messages")) ? readdirSync(inside("messages")).toSorted() : [];
  const texts = (): string[] => names().map((name) => read(join("messages", name)));
  const write = (name: string, content: unknown) =>
    writeFileSync(inside(name), typeof content === "string" ? content : JSON.stringify(content), {
      mode: 0o600,
    });
  return { path, inside, read, write, names, texts };
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** In place of the program. */
  readonly command?: readonly string[];
  /** A command that starts the program in its turn. */
  readonly before?: readonly string[];
}

/** The same with a configuration, and a service of its own of which it reads one stream, for the real program. */
export async function createFolderOfService(responses: number) {
  const folder = createFolder();
  const sandbox = await sandboxForTest({
    surveys: [surveyOf("a", responses, { respondents: 100 })],
    limits: false,
  });
  const { service } = sandbox;
  const config = configOf(sandbox);
  folder.write("config.json", config);
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of running) child.kill("SIGKILL");
  });

  /** A sync that runs. It ends with the exit code as a shell reports it, and with what standard error showed. */
  function start({ env, before = [], command = [...SYNC, folder.path, ...STREAMS] }: Options = {}) {
    const [program = "", ...words] = [...before, ...command];
    const child = spawn(program, words, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
    });
    let shown = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    running.add(child);
    const ended = once(child, "close").then(([code, signal]): { code: number; shown: string } => {
      running.delete(child);
      return { code: code ?? 128 + SIGNAL_NUMBERS[signal]!, shown };
    });
    return { child, ended };
  }

  const keysOf = (messages: readonly Message[]): string[] =>
    messages.flatMap(({ type, record }) => (type === "RECORD" ? [record.data.uuid] : []));
  /** The messages of each run, and those of a run that was not kept yet. */
  const runs = (): Message[][] => folder.texts().map(messagesOf);

  return {
    ...folder,
    config,
    service,
    run: (options?: Options) => start(options).ended,
    runs,
    keysOf,
    /** Starts a sync and waits until it hangs in its middle with a state written, since the service falls silent. */
    async startAndHang() {
      const nth = Array.from({ length: responses / PAGE }, (_, at) => 16 + at);
      service.addFaults({ on: "survey_responses", nth, reply: "silence" });
      const started = start();
      while (!folder.texts().some((text) => text.includes('"type":"STATE"'))) await sleep(5);
      return started;
    },
    /** What no run has brought. */
    missing(): string[] {
      const came = new Set(runs().flatMap(keysOf));
      return [...service.truth.responses("a")].map(({ uuid }) => uuid).filter((uuid) => !came.has(uuid));
    },
  };
}

export type FolderOfService = Awaited<ReturnType<typeof createFolderOfService>>;
