import { execFile } from "node:child_process";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, in a folder. The sandbox answers meanwhile, in this process. */
export function run(
  program: string,
  words: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; input?: string; uid?: number; gid?: number },
): Promise<Ended> {
  const { input, env, ...rest } = options;
  return new Promise((resolve) => {
    const child = execFile(
      program,
      words,
      { ...rest, env: { ...process.env, ...env }, encoding: "utf8", maxBuffer: 1 << 28 },
      (failed, stdout, stderr) =>
        resolve({
          code: failed === null ? 0 : Number(failed.code ?? 1),
          stdout,
          stderr: stderr || `${failed ?? ""}`,
        }),
    );
    child.stdin!.end(input ?? "");
  });
}
