import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyOfTheTree } from "../../support/copy-of-the-tree.ts";
import { ADDITIONS, type Edit } from "./support/additions.ts";

/*
 * The steps of CONTRIBUTING.md, done in one copy of the tree: they are enough for the whole `npm test`, and a step
 * that is forgotten is noticed.
 */

const run = promisify(execFile);
const EDITS = ADDITIONS.flatMap(({ edits }) => edits);
const MINUTES = 60_000;

let folder: string;
/** The text of each file before anything was added, and after the commands. */
const originals = new Map<string, string>();
const begun = new Map<string, string>();
/** "": there is none. */
const textOf = (file: string): Promise<string> => readFile(join(folder, file), "utf8").catch(() => "");

beforeAll(async () => {
  folder = await copyOfTheTree("additions");
  await Promise.all(EDITS.map(async ({ file }) => originals.set(file, await textOf(file))));
  for (const { command } of ADDITIONS) {
    if (command !== undefined) expect(await node(...command)).toMatchObject({ code: 0 });
  }
  await Promise.all(EDITS.map(async ({ file }) => begun.set(file, await textOf(file))));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs Node in the copy, as a user does: without what this run of vitest has set. */
async function node(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly output: string }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  try {
    const { stdout, stderr } = await run(process.execPath, words, { cwd: folder, env, maxBuffer: 1e9 });
    return { code: 0, output: stdout + stderr };
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

const BIOME = "node_modules/@biomejs/biome/bin/biome";
const VITEST = "node_modules/vitest/vitest.mjs";
/** `npm test`, word for word, without npm. */
const NPM_TEST = [
  [BIOME, "check", "--error-on-warnings", "."],
  ["node_modules/typescript/bin/tsc", "--noEmit"],
  [VITEST, "run"],
];

/** Writes all additions into the copy, except for the step that is forgotten: an edit, or what a command has done. */
async function write(forgotten?: Edit): Promise<void> {
  const texts = new Map(begun);
  if (forgotten !== undefined && forgotten.by === undefined) {
    texts.set(forgotten.file, originals.get(forgotten.file)!);
  }
  for (const edit of EDITS) if (edit !== forgotten) texts.set(edit.file, edited(texts.get(edit.file)!, edit));
  for (const [file, text] of texts) await writeFile(join(folder, file), text);
  await node(BIOME, "check", "--write", ...[...texts.keys()].filter((file) => file.endsWith(".ts")));
}

function edited(text: string, { file, by = [] }: Edit): string {
  return by.reduce((changed, [search, replace]) => {
    if (changed.split(search).length !== 2)
      throw new Error(
        `"${search}" is not exactly once in ${file}. Bring test/repository/additions/support/additions.ts up to date.`,
      );
    return changed.replace(search, () => replace);
  }, text);
}

it.each(ADDITIONS)("$name is added by hand in $edits.length files", ({ edits }) => {
  expect(new Set(edits.map(({ file }) => file)).size).toBeLessThanOrEqual(6);
});

it(
  "the written steps are enough: npm test passes, and npm start reads what was added",
  async () => {
    await write();
    for (const words of [["scripts/generate.ts"], [BIOME, "check", "--write", "."], ...NPM_TEST]) {
      const { code, output } = await node(...words);
      const failed = output.split("\n").filter((line) => line.includes(" FAIL "));
      expect(code, [words.join(" "), ...failed, output.slice(-10_000)].join("\n")).toBe(0);
    }
    const { code, output } = await node("scripts/start.ts");
    expect(code, output).toBe(0);
    expect(output).toMatch(/^survey_choices +[1-9]/m);
    expect(output).toContain("Nothing is missing.");
  },
  30 * MINUTES,
);

const steps = EDITS.map((edit) => [edit.file, edit.noticedBy.at(-1)!, edit] as const);
it.each(steps)(
  "if %s is forgotten, %s notices",
  async (_, __, edit) => {
    await write(edit);
    const generated = await node("scripts/generate.ts");
    const byGenerating = edit.noticedBy[0] === "scripts/generate.ts";
    if (!byGenerating) expect(generated.code, generated.output).toBe(0);
    const { code, output } = byGenerating ? generated : await node(...edit.noticedBy);
    expect(code, output.slice(-2000)).not.toBe(0);
  },
  5 * MINUTES,
);
