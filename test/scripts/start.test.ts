import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { npsLine } from "../../scripts/terminal.ts";
import { testFolder } from "../support/folder.ts";

const folder = testFolder();

test.each([
  [{ answers: 1, promoters: 1, detractors: 0 }, "+100  ██████████████████████████████  1 answer"],
  [{ answers: 3, promoters: 1, detractors: 1 }, "   0  ░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒██████████  3 answers"],
  [{ answers: 2, promoters: 0, detractors: 1 }, " -50  ░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  2 answers"],
])("the NPS of %o is a line", (counts, line) => {
  expect(npsLine({ name: "Support", ...counts })).toBe(`${"Support".padEnd(51)}  ${line}`);
});

test("npm start in a folder that cannot be written says so in a sentence", async () => {
  await folder.file(".survey-export", "a file, so that nothing can be written into it");
  const script = fileURLToPath(new URL("../../scripts/start.ts", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd: folder.path("."),
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(
    /^The folder .+\/\.survey-export\/start cannot be written: E.+\. Make it writable for this user, or run npm start in a copy of the repository that is\.\n$/,
  );
});
