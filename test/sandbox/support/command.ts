import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../../sandbox/main.ts", import.meta.url));

/**
 * Runs the command until the test is over; `ready` resolves with what it printed once that holds a text, `ended` when
 * it is over.
 */
export function run(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const ready = (text: string) =>
    new Promise<string>((resolve, reject) => {
      child.stdout.on("data", () => {
        if (out.includes(text)) resolve(out);
      });
      child.once("exit", () => reject(new Error(`It ended: ${err}`)));
    });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, out, err }));
  });
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { ready, ended, stop };
}

/** A folder that is removed when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

// biome-ignore lint/suspicious/noExplicitAny: the file is looked at in every detail
export const readJson = async (file: string): Promise<any> => JSON.parse(await readFile(file, "utf8"));
