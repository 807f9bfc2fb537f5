import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { BIN, runBin } from "../support/bin.ts";
import { testFolder } from "../support/folder.ts";

const folder = testFolder();

it.each([
  [[], "no command was given."],
  [["PLANTED_key"], "there is no such command."],
  [["__proto__"], "there is no such command."],
  [["sync"], "sync needs one FILE."],
  [["sync", "a", "b"], "sync needs one FILE."],
  ...[
    ["sync", "a.db", "--streams", "surveys,", "survey_responses"],
    ["sync", "--streams", "surveys", ",survey_responses", "a.db"],
    ["sync", "a.db", "--streams", "surveys", "survey_responses"],
    ["read", "--config", "c.json", "--streams", "surveys", "survey_responses"],
    ["catalog", "--streams=surveys,", "survey_responses"],
  ].map((words): [string[], string] => [
    words,
    `${words[0]}: a space ended the list of --streams. Write it without spaces: --streams NAME,NAME`,
  ]),
  [["sync", "--streams", "surveys", "a.db", "b.db"], "sync needs one FILE."],
  [
    ["report", "a.db", "--survey", "a,", "PLANTED"],
    "report: a space ended the list of --survey. Write it without spaces: --survey ID,ID",
  ],
  ...["2026", "2026-02-30", "2026-01-31T09:00", "2026-01-31T09:00:00+01:00", "yesterday", ""].map(
    (since): [string[], string] => [
      ["report", "a.db", `--since=${since}`],
      "report: --since is not a date. Write it like 2026-01-31, or in UTC with its time, like 2026-01-31T09:00:00Z.",
    ],
  ),
  [
    ["report", "a.db", "--since", "2026-01-01", "--since", "2026-01-02"],
    "report: --since is given more than once. Give one.",
  ],
  [
    ["read", "--config", "c.json", "--catalog", "c.json", "--streams", "surveys"],
    "read: --catalog and --streams both say which streams to read. Give one of the two.",
  ],
  [["read"], "read needs --config FILE and --catalog FILE."],
  [["read", "--config", "c.json"], "read needs --catalog FILE."],
  [["check", "--PLANTED-k3y"], "check: an argument is not understood. Give files by their paths."],
  [["spec", "more"], "spec: an argument is not understood. Give files by their paths."],
  [["discover", "--config"], "discover: an argument is not understood. Give files by their paths."],
  [["check", "--config", "a", "--config=b"], "check: --config is given more than once. Give one."],
  [["raed"], "there is no such command. Did you mean read?"],
  [["check", "--confg", "c.json"], "check: an argument is not understood. Did you mean --config?"],
  [["sync", "a.db", "--dryrun"], "sync: an argument is not understood. Did you mean --dry-run?"],
  [["report"], "report needs one FILE."],
])("%j is refused with a sentence and the usage on stderr, and exit code 2", async (words, sentence) => {
  const { code, stdout, stderr } = await runBin(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`source-survey-export: ${sentence}\nUsage:\n  source-survey-export sync `);
  expect(stderr).not.toContain("PLANTED");
});

it("--help explains the commands, --version tells the package's version", async () => {
  const { stdout } = await runBin(["--help"]);
  expect(stdout).toContain("--catalog FILE");
  expect(stdout).toContain('"check" in a terminal answers with a sentence');
  expect((await runBin(["--version"])).stdout).toBe(`${packageJson.version}\n`);
});

it("--help has a sentence for each exit code of the program, and docs/troubleshooting.md has a row", async () => {
  const { stdout } = await runBin(["--help"]);
  const [, help = ""] = /^Exit codes\n((?: {2}.+\n)+)/m.exec(stdout) ?? [];
  const told = [...help.matchAll(/^ {2}(\d[\d, ]*)/gm)].flatMap(([, codes = ""]) => codes.match(/\d+/g));
  expect(told).toEqual(["0", "1", "2", "75", "129", "130", "143"]);
  const page = await readFile("docs/troubleshooting.md", "utf8");
  const rows = [...page.matchAll(/^\| (\d[\d, ]*) \|/gm)].flatMap(([, codes = ""]) => codes.match(/\d+/g));
  expect(rows).toEqual(expect.arrayContaining(told));
});

it("--help says that only a sync that could not start ends with 2, and one with a wrong setting with 1", async () => {
  const { stdout } = await runBin(["--help"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "2 the arguments are wrong, or sync could not start: there is no key, the file of --config does not exist, or FILE cannot be used. A wrong setting is 1 75 ",
  );
  const file = folder.path("surveys.sqlite");
  const config = await folder.file("settings.json", { api_key: "k", base_url: "nowhere" });
  const text = await folder.file("text.sqlite", "no database, but a text that somebody wrote");
  for (const [words, code, reason] of [
    [["sync", file], 2, "There is no key."],
    [["sync", file, "--config", folder.path("missing.json")], 2, "The file of --config does not exist"],
    [["sync", text, "--config", config], 2, "is not a SQLite database"],
    [["sync", file, "--config", config], 1, "base_url"],
  ] as const) {
    const ran = await runBin(words);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(reason)]);
  }
});

it("a Node that is too old is told before anything is imported", async () => {
  const pretend = await folder.file(
    "old-node.mjs",
    `Object.defineProperty(process.versions, "node", { value: "20.11.0" }); process.argv.splice(1, 1); await import(${JSON.stringify(BIN)});`,
  );
  expect(spawnSync(process.execPath, [pretend, "spec"], { encoding: "utf8" })).toMatchObject({
    status: 1,
    stdout: "",
    stderr:
      "source-survey-export needs Node.js 22.19 or later, and this is 20.11.0. Install a newer Node.js, or use the Docker image.\n",
  });
});
