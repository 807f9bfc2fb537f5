import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const dist = fileURLToPath(new URL("../../../dist", import.meta.url));
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "demo-command-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

function demo(bin: string, ...words: string[]) {
  const options = { cwd: folder, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "demo", ...words], options);
  return { status, stdout, stderr };
}

test("a program without the demo says where it is", () => {
  const copy = join(folder, "dist");
  mkdirSync(copy);
  cpSync(dist, copy, { recursive: true, filter: (path) => !path.endsWith("/demo.js") });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  expect(demo(join(copy, "source-survey-export.js"))).toEqual({
    status: 1,
    stdout: "",
    stderr: "source-survey-export: the demo is only in the npm package: npx source-survey-export demo\n",
  });
});

test("an argument that the demo does not know is refused, and nothing is written", () => {
  expect(demo(join(dist, "source-survey-export.js"), "--open")).toEqual({
    status: 2,
    stdout: "",
    stderr: "source-survey-export demo takes one option: --out FOLDER.\n",
  });
  expect(existsSync(join(folder, ".survey-export"))).toBe(false);
});

test("a folder that cannot be written is one sentence", () => {
  writeFileSync(join(folder, "file"), "so that nothing can be written into it");
  expect(demo(join(dist, "source-survey-export.js"), "--out", "file")).toEqual({
    status: 1,
    stdout: "",
    stderr: `The folder ${folder}/file cannot be written: a file is in its place. Make it writable for this user, or name another one with --out.\n`,
  });
});
