import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { BIN, type Ended, messagesOf } from "./bin.ts";

/** A program that keeps what it refuses ends without a message. */
const SMALL_HEAP = "--max-old-space-size=256";

let warm: ChildProcess | undefined;
let runs: Promise<unknown> = Promise.resolve();
let count = 0;

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

async function runNext(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
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
  let messages: ReturnType<typeof messagesOf> | undefined;
  return {
    code,
    signal: null,
    stdout,
    stderr,
    get messages() {
      messages ??= messagesOf(stdout);
      return messages;
    },
  };
}

/**
 * Runs the real bin like `runBin`, in a process that has run it before: a quarter of the time, since nothing is compiled
 * anew. For tests of what a run writes. How a process starts and ends is for `runBin`. One run at a time.
 */
export function runWarm(
  words: readonly string[],
  { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const run = runs.then(() => runNext(words, env));
  runs = run.catch(() => {});
  return run;
}
