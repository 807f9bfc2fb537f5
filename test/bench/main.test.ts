import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const bench = (...words: string[]) => run(process.execPath, ["bench/main.ts", "--tiny", ...words]);

it.each([
  [
    "needed",
    /\| requests of both streams .* \| ≤ 1 \| 1\.00 \| yes \|\n\| requests \/ needed; .*\|\n\| requests with attributes .* \| ≤ 2 \| 1\.\d\d \| yes \|/,
  ],
  ["requests", /\| requests \/ fewest possible, .* \| ≤ 1\.03 \| \d\.\d\d \|/],
  ["oracle", /\| round trips .*\n\| time .* 500 responses, 30 ms.* \| ≤ 1\.15 \| \d+\.\d\d \|/],
  ["speed", /\| speed-up over one walk, .* \| ≥ 4\.7 \| \d\.\d\d \|/],
  ["allowance", /\| share of 900 requests a minute .* \| ≥ 99 %, ≤ 0 refused \| .* %, 0 refused \|/],
  [
    "sharing",
    /\| two processes, .*\n\| four processes, .* \| ≤ 1\.6, ≤ 2\.5, ≤ 2 % \| \d.*, \d.*, \d.* % \|/,
  ],
  ["neighbour", /\| refused to another program at 60 a minute \| ≤ 5 % \| \d.* % \|/],
  ["cpu", /\| CPU of a bare program \/ ours, 10 pages \| ≥ 0\.75 \| \d.* \|/],
  [
    "exponents",
    /\| exponent of CPU, 20 to 100 surveys.*\n\| exponent of CPU, .* holes \| ≤ 1\.1, ≤ 1\.1 \| -?\d/,
  ],
  [
    "memory",
    /\| peak memory: 1,000 responses; .* \| ≤ 150 MB, ≤ 250 MB, ≤ 60 MB \| \d+ MB, \d+ MB, -?\d+ MB \|/,
  ],
  [
    "tables",
    /\| `sync surveys\.sqlite` \/ `read` into a file, .* \| ≤ 1\.3, ≤ 1\.3, ≤ 200 MB \| \d.*, \d.*, \d+ MB \|/,
  ],
  [
    "page",
    /\| `report` \/ reading all rows once, 200 responses; exponent of its time, .* \| ≤ 6, ≤ 1 \| \d.*, -?\d.* \|/,
  ],
  [
    "start",
    /\| `spec` \/ `node -e 0` .*\n\| `check`; quiet `read` \/ .* \| ≤ 1\.15, ≤ 1\.25 \| \d.*, \d.* \|/,
  ],
])("npm run bench measures %s, and names the machine", async (name, rows) => {
  const { stdout } = await bench(name);
  expect(stdout).toMatch(rows);
  expect(stdout).toMatch(/cores, \d+ GB of memory, .*Node\.js \d+\./);
});

it("tells which figures there are if one is not, and the README explains each", async () => {
  const { code, stderr } = await bench("nothing").catch((error) => error);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^There is no figure nothing\. Figures:\n {2}needed /);
  const names = [...stderr.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
  expect(names).toHaveLength(14);
  const readme = await readFile("bench/README.md", "utf8");
  for (const name of names) expect(readme).toContain(`\n| \`${name}\` |`);
});
