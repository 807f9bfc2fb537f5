import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { keysIn } from "../../../../scripts/table-keys.ts";
import { BIN } from "../../../support/bin.ts";
import { folderForTest } from "../../../support/folder.ts";
import { configOf, sandboxForTest, surveyOf } from "../../../support/sandbox.ts";

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGKILL: 9, SIGTERM: 15 };

export interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** In place of the program. */
  readonly command?: readonly string[];
}

/**
 * A folder with `config.json` and the place for a file, and a service of its own with one survey, until the running test is
 * over.
 */
export async function createFolderOfService(responses: number) {
  const folder = folderForTest();
  const file = folder.path("surveys.sqlite");
  const surveys = [surveyOf("a", responses, { respondents: 100 })];
  const sandbox = await sandboxForTest({ surveys, limits: false });
  const config = configOf(sandbox);
  const write = (name: string, content: unknown): void =>
    writeFileSync(folder.path(name), JSON.stringify(content), { mode: 0o600 });
  write("config.json", config);
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of running) child.kill("SIGKILL");
  });

  /** A sync of responses to its end: the exit code as a shell reports it, and what standard error showed. */
  async function run({
    env,
    command = [process.execPath, BIN, "sync", file, "--streams", "survey_responses"],
  }: Options = {}): Promise<{ code: number; shown: string }> {
    const [program = "", ...words] = command;
    const child = spawn(program, words, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
    });
    running.add(child);
    let shown = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    const [code, signal] = await once(child, "close");
    running.delete(child);
    return { code: code ?? 128 + SIGNAL_NUMBERS[signal]!, shown };
  }

  return {
    /** The path of the folder. */
    path: folder.path(),
    /** The path of the file, which no sync has written yet. */
    file,
    config,
    service: sandbox.service,
    /** Writes a file in the folder, as JSON. */
    write,
    run,
    /** The UUIDs of the responses in the file. */
    keys: (): ReadonlySet<string> => keysIn(file).get("survey_responses") ?? new Set(),
  };
}
