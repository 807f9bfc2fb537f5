import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end and keeps what it printed. Never throws for an exit code: a caller that wants
 * success says so with `mustSucceed`.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: {
    cwd: string;
    environment: NodeJS.ProcessEnv;
    timeoutMs?: number;
    /** A file for what it prints: a program that ends at once leaves a part of it behind in a pipe. */
    stdoutFile?: string;
  },
): Promise<Finished> {
  const file = options.stdoutFile === undefined ? undefined : openSync(options.stdoutFile, "w");
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: options.environment,
    stdio: ["ignore", file ?? "pipe", "pipe"],
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      if (file !== undefined) closeSync(file);
      if (options.stdoutFile !== undefined) stdout = readFileSync(options.stdoutFile, "utf8");
      resolve({ exitCode: exitCode ?? -1, stdout, stderr });
    });
  });
}

/** Like `run`, and throws with the end of the output when the program fails. */
export async function mustSucceed(...call: Parameters<typeof run>): Promise<Finished> {
  const finished = await run(...call);
  if (finished.exitCode === 0) return finished;
  const [command, args, { cwd }] = call;
  const tail = `${finished.stdout}\n${finished.stderr}`.trim().slice(-4000);
  throw new Error(`${command} ${args.join(" ")} (in ${cwd}) ended with ${finished.exitCode}:\n${tail}`);
}

/**
 * Our environment without what `npm run` adds to it, so that an npm started in another folder does not
 * take this workspace for its own. Where packages come from (registry, cache, certificates) stays.
 */
export function environmentForNpm(): NodeJS.ProcessEnv {
  const kept = new Set([
    "npm_config_registry",
    "npm_config_cache",
    "npm_config_userconfig",
    "npm_config_cafile",
  ]);
  const entries = Object.entries(process.env).filter(
    ([name]) => !name.toLowerCase().startsWith("npm_") || kept.has(name.toLowerCase()),
  );
  return { ...Object.fromEntries(entries), npm_config_audit: "false", npm_config_fund: "false" };
}

/** The JSON among a program's output: from the first line that is an opening brace to the last that closes it. */
export function jsonIn(printed: string): ReturnType<typeof JSON.parse> {
  const from = printed.search(/^\{$/m);
  return JSON.parse(printed.slice(from, printed.lastIndexOf("\n}") + 2));
}
