import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
/** The last commit before CONTRIBUTING.md said what a subject is. */
const BASE = "6a46bd4cd7d2e6fefe3b33ad5a44a5e510bc5c99";

/** Made by GitHub: what a pull request is tested as, and what it becomes. Its number is added to a squashed subject. */
const BY_GITHUB = /^Merge ([0-9a-f]{40} into [0-9a-f]{40}|pull request #\d+ from \S+)$/;
const NUMBER = / \(#\d+\)$/;

/** What a subject says that the rules of CONTRIBUTING.md forbid; undefined = it is good. */
function problemOf(whole: string): string | undefined {
  if (BY_GITHUB.test(whole)) return undefined;
  const subject = whole.replace(NUMBER, "");
  if (subject.length >= 60) return `${subject.length} characters`;
  if (/^(Merge\b|fixup!|squash!)|\b(WIP|TMP)\b/.test(subject)) return "a scratch branch";
  if (/\bFormat\b/.test(subject)) return "says nothing for anybody";
  return /(^|\s)(\/|~\/|[A-Z]:\\)\w+/.test(subject) ? "a path of a machine" : undefined;
}

it.each([
  "Format",
  "WIP data",
  "Merge branch 'docs' into main",
  "fixup! The page is shorter",
  "The page in /home/me/survey-export is shorter",
  "The page in C:\\export is shorter",
  "README in five minutes; one page for everything that is printed",
])("%j is no subject of a commit", (subject) => expect(problemOf(subject)).toBeDefined());

it.each([
  "A killed sync keeps its last page",
  "A killed sync keeps its last page, and the one before it (#1234)",
  "Merge pull request #12 from somebody/a-branch",
  `Merge ${"0123456789".repeat(4)} into ${"abcdef0123".repeat(4)}`,
])("%j is one", (subject) => expect(problemOf(subject)).toBeUndefined());

it("every subject since the rule was written follows it", ({ skip }) => {
  const git = (...words: readonly string[]) => spawnSync("git", words, { cwd: root, encoding: "utf8" });
  const isShallow = git("rev-parse", "--is-shallow-repository").stdout.trim();
  const hasBase = git("merge-base", "--is-ancestor", BASE, "HEAD").status === 0;
  skip(isShallow !== "false" || !hasBase, "This is a copy of the files, or of a part of the history.");
  const { stdout, stderr } = git("log", "--format=%s", `${BASE}..HEAD`);
  expect(stderr).toBe("");
  const subjects = stdout.split("\n");
  expect(subjects.filter((subject) => problemOf(subject) !== undefined)).toEqual([]);
});
