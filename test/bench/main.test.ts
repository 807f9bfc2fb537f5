import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { DEFAULT_LIMITS, SERVICE_LIMITS } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { ALLOWED, CONFIGURED } from "../../bench/service.ts";

const run = promisify(execFile);
const bench = (...words: string[]) => run(process.execPath, ["bench/main.ts", "--tiny", ...words]);

describe("the measurements", () => {
  it.each([
    ["oracle", /time of a first sync \/ of an oracle, 500 responses, 30 ms.* +≤ 1\.5 +\d+\.\d\d/],
    ["requests", /requests \/ fewest possible, .* +≤ 1\.03 +\d\.\d{3}/],
    ["speed", /speed-up over one walk, .* +≥ \d(\.\d+)? +\d+\.\d\d/],
    ["allowance", /the configured 900 requests a minute used .* +≥ 99 %, 0 +99\.\d %, 0 +yes/],
    ["neighbour", /beside a sync at 900 a minute, 5 minutes, 30 ms.* +≥ 99\.0 % +0\.\d %, \d, 99\.\d % +yes/],
    [
      "cpu",
      /CPU of a bare program \/ ours, same rows of 10 pages, all personal data hashed.* +≥ 0\.75 +\d+\.\d\d/,
    ],
    [
      "assertions",
      /CPU without the core's assertions \/ with them, 10 pages, median of 4 pairs +≥ 0\.99 +\d\.\d{3}/,
    ],
    ["cost", /CPU of one core, reading at 900 requests a minute, 9\d requests in .* +≤ 5 % +\d+\.\d %/],
    ["snapshot", /snapshot of 500 responses, 30 ms: requests beside .* +≤ 1 +1\.00 +yes/],
    ["memory", /memory added by 500 respondents in one sync, over 500 +≤ 90 MB +-?\d+ MB/],
    ["start", /`spec`, wall time against `node -e 0`.* +≤ 1\.3 +\d+\.\d\d/],
  ])("run, with the machine named: %s", async (name, row) => {
    const { stdout } = await bench(name);
    expect(stdout).toMatch(row);
    expect(stdout).toMatch(/cores, \d+ GB of memory, .*Node\.js \d+\./);
  });

  it("refuse a figure that is not there, and tell which are", async () => {
    await expect(bench("nothing")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/There is no figure nothing\. Figures:\n {2}oracle /),
    });
  });

  it("refuse an option that is not there with a sentence", async () => {
    await expect(bench("--bogus")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^There is no option --bogus; write --quick or --write\. Figures:\n {2}oracle /,
      ),
    });
  });

  it("are all explained in the README beside them", async () => {
    const readme = await readFile("bench/README.md", "utf8");
    const { stderr } = await bench("nothing").catch((error: { stderr: string }) => error);
    const names = [...stderr.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
    expect(names).toHaveLength(12);
    for (const name of names) expect(readme).toContain(`\`${name}\``);
  });
});

describe("the rates of the figures", () => {
  it("are those of a sync that nobody configured, and of the service", () => {
    expect([CONFIGURED, ALLOWED]).toEqual([
      DEFAULT_LIMITS.requestsPerMinute,
      SERVICE_LIMITS.requestsPerMinute,
    ]);
  });
});
