import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const page = readFileSync(path("../../../docs/operators.md"), "utf8");
const troubleshooting = readFileSync(path("../../../docs/troubleshooting.md"), "utf8");

/** The first cell of each row of the table below a heading, without backquotes. */
function firstCells(heading: string): string[] {
  const section = troubleshooting.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `(.+?)` \|/gm)].map(([, cell]) => cell!);
}

test("the lines that end a run are those of the program", () => {
  const program = readFileSync(path("../../../connector/sync-folder/sync.ts"), "utf8");
  const lines = firstCells("What a run tells you").filter((line) => line.startsWith("sync: "));
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    const [words = ""] = line.slice("sync: ".length).split(/ after \d| \(exit code \d| in …/);
    expect(program).toContain(words);
  }
});

describe("the lines for cron", () => {
  const lines = [...page.matchAll(/^(?:\S+ ){5}(.*my-sync.*)$/gm)].map(([, command]) => command!);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "operators-page-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What cron would mail of a line, with a source that does `source`. */
  function mailed(line: string, source = "true"): string {
    writeFileSync(join(folder, "source.sh"), source);
    const command = line
      .replace("source-survey-export", `sh ${folder}/source.sh`)
      .replaceAll("/srv/my-sync", folder);
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
    return stdout + stderr;
  }
  const isMarked = () => existsSync(join(folder, "last-success"));

  test("mail nothing and leave a mark after a success", () => {
    expect(lines).toHaveLength(2);
    expect(mailed(lines[0]!)).toBe("");
    expect(isMarked()).toBe(true);
    expect(mailed(lines[1]!)).toBe("");
  });

  test("mail the log of a failed sync, and leave no mark", () => {
    expect(mailed(lines[0]!, "echo ERROR the key is wrong >&2; exit 1")).toBe("ERROR the key is wrong\n");
    expect(isMarked()).toBe(false);
  });

  test("mail nothing if another sync is running", () => {
    expect(mailed(lines[0]!, "exit 75")).toBe("");
    expect(isMarked()).toBe(false);
  });

  test("tell that no sync has succeeded, ever or for four hours", () => {
    const sentence = "No survey sync has succeeded for four hours.\n";
    expect(mailed(lines[1]!)).toBe(sentence);
    writeFileSync(join(folder, "last-success"), "");
    const fiveHoursAgo = Date.now() / 1000 - 5 * 3600;
    utimesSync(join(folder, "last-success"), fiveHoursAgo, fiveHoursAgo);
    expect(mailed(lines[1]!)).toBe(sentence);
  });
});
