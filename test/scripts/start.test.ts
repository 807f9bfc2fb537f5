import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("npm start in a folder that cannot be written says so in a sentence", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "start-")));
  try {
    writeFileSync(join(folder, ".survey-export"), "a file, so that nothing can be written into it");
    const script = fileURLToPath(new URL("../../scripts/start.ts", import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: `The folder ${folder}/.survey-export/start cannot be written: a file is in its place. Make it writable for this user, or run npm start in a copy of the repository that is.\n`,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
