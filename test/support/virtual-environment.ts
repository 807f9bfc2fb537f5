import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The path of a Python that has exactly these packages installed from PyPI. It is made once and kept in the
 * user's cache folder, outside the project, until the packages change.
 */
export function pythonWith(name: string, packages: readonly string[]): string {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "survey-export", name);
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
