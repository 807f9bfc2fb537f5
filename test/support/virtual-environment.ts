import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { lockFile } from "../../connector/sync-command/lock-file.ts";

/**
 * The path of a Python that has exactly these packages installed from PyPI. It is made once and kept in the
 * user's cache folder, outside the project, until the packages change. Suites that run at once may want the same one:
 * the first makes it, and the others wait.
 */
export function pythonWith(name: string, packages: readonly string[]): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "survey-export");
  mkdirSync(cache, { recursive: true });
  const release = waitForLock(join(cache, `${name}.lock`));
  try {
    return pythonIn(join(cache, name), packages);
  } finally {
    release();
  }
}

/** Blocks until nobody else holds the lock. @returns what releases it */
function waitForLock(path: string): () => void {
  for (;;) {
    const release = lockFile(path);
    if (release !== undefined) return release;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  }
}

function pythonIn(folder: string, packages: readonly string[]): string {
  const python = join(folder, "bin", "python");
  const installed = join(folder, "installed.txt");
  const wanted = packages.join("\n");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return python;
  rmSync(folder, { recursive: true, force: true });
  execFileSync("python3", ["-m", "venv", folder], { stdio: "inherit" });
  execFileSync(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages], {
    stdio: "inherit",
  });
  writeFileSync(installed, wanted);
  return python;
}
