import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { BIN, runBin } from "../support/bin.ts";
import { testFolder } from "../support/folder.ts";

const USAGE = "Usage:\n  source-survey-export spec\n";

const folder = testFolder();

describe("arguments", () => {
  it.each([
    [[], "no command was given."],
    [["PLANTED_key"], "there is no such command."],
    [["sync"], "sync needs one FOLDER."],
    [["sync", "a", "b"], "sync needs one FOLDER."],
    [["sync", "a", "--state", "b"], "sync: an argument is not understood. Give files by their paths."],
    [["catalog"], "catalog needs --config FILE."],
    [["__proto__"], "there is no such command."],
    [["read"], "read needs --config FILE and --catalog FILE."],
    [["read", "--config", "c.json"], "read needs --catalog FILE."],
    [["check"], "check needs --config FILE."],
    [["check", "--PLANTED-k3y"], "check: an argument is not understood. Give files by their paths."],
    [
      ["check", "--config", "a.json", "--config=b.json"],
      "check: --config is given more than once. Give one file.",
    ],
    [["spec", "more"], "spec: an argument is not understood. Give files by their paths."],
    [["discover", "--config"], "discover: an argument is not understood. Give files by their paths."],
  ])("%j is refused with a sentence and the usage on stderr, and exit code 2", async (words, sentence) => {
    const { code, stdout, stderr } = await runBin(words);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.startsWith(`source-survey-export: ${sentence}\n${USAGE}`)).toBe(true);
    expect(stderr).not.toContain("PLANTED");
  });

  it("--help explains the commands, --version tells the package's version", async () => {
    const { stdout } = await runBin(["--help"]);
    expect(stdout).toContain("--catalog FILE");
    expect(stdout).toContain('"check" exits with 0 also when the connection does not work');
    expect((await runBin(["--version"])).stdout).toBe(`${packageJson.version}\n`);
  });
});

/** A Node older than the program allows, if the machine has one beside the one that runs the tests. */
const systemNode = ["/usr/local/bin/node", "/usr/bin/node"].find((path) => {
  if (!existsSync(path)) return false;
  const { stdout } = spawnSync(path, ["-p", "process.versions.node"], { encoding: "utf8" });
  const [major = 99] = stdout.split(".").map(Number);
  return major < 22;
});

describe("a Node that is too old", () => {
  it("is distinguished before anything is imported", async () => {
    const pretend = await folder.file(
      "old-node.mjs",
      `Object.defineProperty(process.versions, "node", { value: "20.11.0" }); process.argv.splice(1, 1); await import(${JSON.stringify(BIN)});`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [pretend, "spec"], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toBe(
      "source-survey-export needs Node.js 22.19 or later, and this is 20.11.0. Install a newer Node.js, or use the Docker image.\n",
    );
  });

  it.runIf(systemNode)("says so in one sentence and exits 1, run by a real one", () => {
    const { status, stdout, stderr } = spawnSync(systemNode!, [BIN, "spec"], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      /^source-survey-export needs Node\.js 22\.19 or later, and this is [\d.]+\. .*\n$/,
    );
  });
});
