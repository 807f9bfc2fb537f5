/**
 * `npm run breaks [name …]`: shows that the tests can fail. Copies the sources to a folder of its own, and for each
 * break of the list runs the test that it names, which must pass; then makes the break, and the same test must fail.
 * Exits 1 when a break goes unnoticed or no longer fits the code.
 */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyOfTheTree } from "../tree/copy-of-the-tree.ts";
import { BREAKS, type Break } from "./list.ts";

const run = promisify(execFile);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !BREAKS.some((each) => each.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no break ${unknown.join(", ")}; there are: ${BREAKS.map(({ name }) => name).join(", ")}.\n`,
  );
  process.exit(2);
}
const chosen = BREAKS.filter(({ name }) => asked.length === 0 || asked.includes(name));

/** Which tests of the name passed and failed. */
async function runTest(
  folder: string,
  [file, name]: Break["test"],
): Promise<{ passed: number; failed: number }> {
  const report = join(folder, "report.json");
  await rm(report, { force: true });
  const words = [
    "run",
    file,
    "-t",
    name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"),
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, SYNC_CASES: "1500", SYNC_SEED: "1", SYNC_LIMIT_MS: "60000" };
  let output = "";
  await run(process.execPath, [vitest, ...words], { cwd: folder, env, maxBuffer: 1e8 }).catch((error) => {
    output = `${error.stdout}${error.stderr}`;
  });
  try {
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(await readFile(report, "utf8"));
    return { passed, failed };
  } catch {
    throw new Error(`vitest gave no report:\n${output.slice(-2000)}`);
  }
}

const folder = await copyOfTheTree("breaks");
const green = new Set<string>();
const faults: string[] = [];
try {
  for (const each of chosen) {
    const { name, harm, file, search, replace, test } = each;
    const key = test.join(" › ");
    const path = join(folder, file);
    const whole = await readFile(path, "utf8");
    if (whole.split(search).length !== 2) {
      faults.push(`${name}: "${search}" is not exactly once in ${file}. Bring the list up to date.`);
      continue;
    }
    if (!green.has(key)) {
      const { passed, failed } = await runTest(folder, test);
      if (passed === 0 || failed > 0) {
        faults.push(`${name}: without the break, ${key} has ${passed} passed and ${failed} failed tests.`);
        continue;
      }
      green.add(key);
    }
    await writeFile(
      path,
      whole.replace(search, () => replace),
    );
    const { failed } = await runTest(folder, test);
    await writeFile(path, whole);
    if (failed === 0) faults.push(`${name}: ${key} does not notice that ${harm}.`);
    else say(`red    ${name.padEnd(32)} ${key}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const fault of faults) say(`FAULT  ${fault}`);
say(`${chosen.length - faults.length} of ${chosen.length} breaks were noticed.`);
process.exit(faults.length > 0 ? 1 : 0);
