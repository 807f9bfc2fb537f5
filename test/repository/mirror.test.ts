import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

/*
 * A test is where its source file is: the test of X/Y.ts is test/X/Y.test.ts. A test of a whole folder X is X.test.ts,
 * or X/index.test.ts.
 */

const ROOT = join(import.meta.dirname, "../..");
const MIRRORED = ["connector", "n8n-node/nodes", "sandbox", "tools/demo"];
const MOST_LINES = 60;

/** Source files of more lines without a test of their own, by the reason why they need none. */
const WITHOUT_TEST: Readonly<Record<string, readonly string[]>> = {
  "only names what is public; architecture.test.ts holds that": ["connector/core/index.ts"],
  "column.test.ts and definition.test.ts read each stream": [
    "connector/core/streams/respondent-attributes.ts",
    "connector/core/streams/survey-answers.ts",
  ],
  "the histories of test/model sync by it": ["connector/core/sync/survey-reader.ts"],
  "test/end-to-end/pages runs the demo, which reads by it": ["tools/demo/source.ts"],
  "each test that compares with the truth counts by it": ["tools/demo/expected-keys.ts"],
  "test/end-to-end/pages looks at the sandbox's page": ["sandbox/page/script.ts", "sandbox/page/style.ts"],
  "test/sandbox/main.test.ts reads what the command prints": ["sandbox/greeting.ts"],
  "test/sandbox/faults has each kind by its name in the catalogue": [
    ...["faults/kinds", "server/connection-faults"].map((name) => `sandbox/${name}.ts`),
  ],
  "test/sandbox/data/truth.test.ts walks all lists of their data": [
    ...["data/content", "data/respondents", "data/survey", "http/answer"].map((name) => `sandbox/${name}.ts`),
  ],
};

const filesIn = (pattern: string): string[] =>
  globSync(pattern, {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist|generated|golden|support)$/.test(path),
  }).toSorted();

/** Lines that are neither empty nor a comment of their own. */
function linesOfCode(file: string): number {
  const text = readFileSync(join(ROOT, file), "utf8").replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, "");
  return text.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}

/** The places at which a source file may have its test. */
function mirrorsOf(file: string): string[] {
  const stem = `test/${file.replace(/\.ts$/, "")}`;
  return [`${stem}.test.ts`, ...(basename(file) === "index.ts" ? [`${dirname(stem)}.test.ts`] : [])];
}

const isThere = (path: string): boolean => existsSync(join(ROOT, path));
const untested = MIRRORED.flatMap((folder) => filesIn(`${folder}/**/*.ts`)).filter(
  (file) => linesOfCode(file) > MOST_LINES && !mirrorsOf(file).some(isThere),
);
const excused = Object.values(WITHOUT_TEST).flat();

describe("a test is where its source file is", () => {
  it(`a file of more than ${MOST_LINES} lines has one, or a reason`, () => {
    expect(untested.filter((file) => !excused.includes(file))).toEqual([]);
  });

  it("no reason is left for a file that has a test, is short or is gone", () => {
    expect(excused.filter((file) => !untested.includes(file))).toEqual([]);
  });

  it("each test in a mirror is of a file or a folder", () => {
    const tests = MIRRORED.flatMap((folder) => filesIn(`test/${folder}/**/*.test.ts`));
    expect(tests.length).toBeGreaterThan(50);
    const sourceOf = (test: string): string => test.replace(/^test\//, "").replace(/\.test\.ts$/, "");
    const ofNothing = tests.filter((test) => !isThere(`${sourceOf(test)}.ts`) && !isThere(sourceOf(test)));
    expect(ofNothing).toEqual([]);
  });
});

it("what is not a test is in a folder support/, and a slow test ends in .slow.ts", () => {
  const isTest = (file: string): boolean => /(\.test|\.slow|\.config)\.ts$|\/tsconfig\.json$/.test(file);
  const files = filesIn("test/**/*.*");
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !isTest(file))).toEqual([]);
});
