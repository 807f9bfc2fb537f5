import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolderOfService, type FolderOfService } from "../../connector/sync-folder/support/folder.ts";
import { BIN } from "../../support/bin.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const script = path("../../../examples/docker-run/sync.sh");
/** The process in place of the image. */
const env = {
  PATH: `${path("../../support/stand-ins")}:${join(process.execPath, "..")}:${process.env.PATH}`,
  SURVEY_EXPORT_BIN: BIN,
};

let folder: FolderOfService;
beforeEach(async () => {
  folder = await createFolderOfService(300);
});
afterEach(() => folder.remove());

test("the example syncs in its folder, and passes on the key, SURVEY_EXPORT_KEEP_RUNS and the exit code", async () => {
  const { api_key: key, ...config } = folder.config;
  folder.write("config.json", config);
  mkdirSync(folder.inside("messages"));
  folder.write("messages/20260101T000000.000Z.jsonl", '{"type":"RECORD","record":{"stream":"a"}}\n');
  const fine = await folder.run({
    command: [script, folder.path],
    env: { ...env, SURVEY_EXPORT_KEEP_RUNS: "1", SURVEY_EXPORT_API_KEY: key },
  });
  expect(fine.code, fine.shown).toBe(0);
  expect(fine.shown).toMatch(/ sync: done after \d+ s: 300 survey_responses in /m);
  expect(folder.names()).toHaveLength(1);
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
  expect(stderr).toContain(
    `sync: The configuration does not exist, or this user may not see it (its path leads to "${here}/-mine" and no further).`,
  );
  rmSync(here, { recursive: true });
});
