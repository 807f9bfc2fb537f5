import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BIN } from "../command-line/bin.ts";
import { createSyncFolder, type SyncFolder } from "../sync-folder/folder.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const script = path("../../examples/docker-run/sync.sh");
/** The process in place of the image. */
const env = {
  PATH: `${path("../stand-in")}:${join(process.execPath, "..")}:${process.env.PATH}`,
  SURVEY_EXPORT_BIN: BIN,
};

let folder: SyncFolder;
beforeEach(async () => {
  folder = await createSyncFolder(300);
});
afterEach(() => folder.remove());

test("the example syncs in its folder, and passes on SURVEY_EXPORT_KEEP_RUNS and the exit code", async () => {
  const first = await folder.run({ command: [script, folder.path], env });
  expect(first.code, first.shown).toBe(0);
  expect(first.shown).toMatch(/^sync: done after \d+ s: 300 survey_responses in /m);
  folder.service.collect("a", { count: 3 });
  const second = await folder.run({
    command: [script, folder.path],
    env: { ...env, SURVEY_EXPORT_KEEP_RUNS: "1" },
  });
  expect(second.code, second.shown).toBe(0);
  expect(folder.runs()).toHaveLength(1);
  folder.write("config.json", { ...folder.config, api_key: "no-such-key" });
  expect((await folder.run({ command: [script, folder.path], env })).code).toBe(1);
});

test("the folder is the one that is named, whatever CDPATH and its first character are", () => {
  const here = realpathSync(mkdtempSync(join(tmpdir(), "docker-run-")));
  mkdirSync(join(here, "elsewhere/-mine"), { recursive: true });
  mkdirSync(join(here, "-mine"));
  const { stderr } = spawnSync(script, ["-mine"], {
    cwd: here,
    encoding: "utf8",
    env: { ...process.env, ...env, CDPATH: join(here, "elsewhere") },
  });
  expect(stderr).toContain(`sync: The configuration "${here}/-mine/config.json" does not exist.`);
  rmSync(here, { recursive: true });
});
