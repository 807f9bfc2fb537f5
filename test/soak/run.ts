import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const BIN = join(import.meta.dirname, "../../dist/source-survey-export.js");

/** What an operator does to a run. */
export type Disturbance =
  | { readonly kind: "none" }
  | { readonly kind: "SIGKILL" | "SIGTERM" | "closed_stdout"; readonly afterMs: number }
  /** The reader stops for a while after each piece it took. */
  | { readonly kind: "slow_reader"; readonly pauseMs: number };

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** No run of the soak may take longer. */
const LONGEST_MS = 240_000;
/** How many of its last messages are quoted when it does. */
const LAST_LINES = 12;

/** Runs the bin as a process of its own, hands its whole lines to `take`, and disturbs it. */
export async function runBin(
  words: readonly string[],
  disturbance: Disturbance,
  take: (line: string) => void,
): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const { stdout } = child;
  let rest = "";
  let stderr = "";
  const last: string[] = [];
  let fault: unknown;
  stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    try {
      for (const line of lines) {
        if (!line.startsWith('{"type":"RECORD"') && last.push(line) > LAST_LINES) last.shift();
        take(line);
      }
    } catch (thrown) {
      fault ??= thrown;
    }
    if (disturbance.kind !== "slow_reader") return;
    stdout.pause();
    setTimeout(() => stdout.resume(), disturbance.pauseMs);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const over = new AbortController();
  const disturb = async (): Promise<void> => {
    if (!("afterMs" in disturbance)) return;
    await sleep(disturbance.afterMs, undefined, { signal: over.signal });
    if (disturbance.kind === "closed_stdout") stdout.destroy();
    else child.kill(disturbance.kind);
  };
  disturb().catch(() => {});
  const watchdog = setTimeout(() => {
    const lines = last.map((line) => line.slice(0, 1000)).join("\n");
    fault ??= new Error(
      `A run (${disturbance.kind}) did not end within ${LONGEST_MS / 1000} s. The last it said:\n${lines}`,
    );
    child.kill("SIGKILL");
  }, LONGEST_MS);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject).once("close", (...end) => resolve(end));
  });
  clearTimeout(watchdog);
  over.abort();
  if (fault) throw fault;
  return { code, signal, stderr };
}
