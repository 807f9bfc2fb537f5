import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

/**
 * A folder of its own with the sources as they are now, without the files that git ignores. It shares the installed
 * packages, and `@survey-export/core` is the copy's own. The caller removes it.
 */
export async function copyOfTheTree(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `survey-export-${name}-`));
  const { stdout } = await run("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: ROOT,
    maxBuffer: 1e8,
  });
  for (const file of stdout.split("\0").filter(Boolean)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    // A file that was deleted and not committed yet is listed all the same.
    await copyFile(join(ROOT, file), join(folder, file)).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@survey-export"), { recursive: true });
  await symlink(join(folder, "connector/core"), join(modules, "@survey-export/core"));
  for (const entry of await readdir(join(ROOT, "node_modules"))) {
    if (entry !== "@survey-export") await symlink(join(ROOT, "node_modules", entry), join(modules, entry));
  }
  return folder;
}
