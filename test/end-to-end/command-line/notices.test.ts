import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { BIN, catalog, messagesOf, runBin } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, testSandbox } from "../../support/sandbox.ts";

const SETTING = { SURVEY_EXPORT_STDERR: "1" };
const folder = testFolder();
const sandbox = await testSandbox();
const good = await folder.file("good.json", configOf(sandbox));
const wrongKey = await folder.file("wrong.json", configOf(sandbox, { api_key: "PLANTED-k3y-9f2c" }));
const streams = await folder.file("catalog.json", catalog("survey_responses"));

const read = (config: string) => ["read", "--config", config, "--catalog", streams];

describe("standard error", () => {
  it("stays empty without a terminal, since platforms show each of its lines as an error", async () => {
    for (const config of [good, wrongKey]) expect((await runBin(read(config))).stderr).toBe("");
  });

  it("has the errors and the summary as plain lines if SURVEY_EXPORT_STDERR=1 asks for them", async () => {
    const bad = await runBin(read(wrongKey), { env: SETTING });
    expect(bad.code).toBe(1);
    const lines = bad.stderr.split("\n");
    const [error, summary, end] = lines.filter((line) => !line.endsWith("The next attempt follows in 1 s."));
    expect(error).toMatch(/^ERROR The service does not accept the API key .* \[unauthorized\]$/);
    expect(summary).toMatch(
      /^INFO Failed after [\d.]+ s\. Incomplete: survey_responses\. Nothing was delivered\.$/,
    );
    expect(end).toBe("");
    const fine = await runBin(read(good), { env: SETTING });
    expect(fine.code).toBe(0);
    expect(fine.stderr).toMatch(/^INFO Read in [\d.]+ s: survey_responses [\d,]+ · .*\n$/);
    // The messages are the same.
    expect(`INFO ${fine.messages.at(-1)!.log.message}\n`).toBe(fine.stderr);
  });

  it("says the answer of a check if the setting asks for it", async () => {
    const check = await runBin(["check", "--config", wrongKey], { env: SETTING });
    expect(check.stderr).toMatch(/^The connection does not work\. The service does not accept the API key/);
    const future = await folder.file(
      "future.json",
      configOf(sandbox, { start_date: "2999-01-01T00:00:00Z" }),
    );
    const fine = await runBin(["check", "--config", future], { env: SETTING });
    expect(fine.stderr).toMatch(
      /^WARN start_date is in the future, .* \[doubtful_setting\]\nThe connection works\.\n$/,
    );
  });
});

/** `script` of util-linux gives a program a terminal. */
const hasScript = spawnSync("script", ["--version"]).status === 0;

describe.runIf(hasScript)("a terminal", () => {
  /** Runs a shell command on a terminal of its own; returns everything that the terminal shows. */
  async function onTerminal(command: string, columns = 80): Promise<string> {
    const shell = `stty cols ${columns}; ${command}`;
    const child = spawn("script", ["-qec", shell, "/dev/null"], {
      stdio: [openSync("/dev/null", "r"), "pipe", "inherit"],
      env: { ...process.env, BIN, GOOD: good, WRONG: wrongKey, STREAMS: streams, OUT: folder.path("out") },
    });
    let shown = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    await once(child, "close");
    return shown;
  }
  const command = (config: string) => `${process.execPath} $BIN read --config $${config} --catalog $STREAMS`;

  it("shows the error of a wrong key when the output goes to a file", async () => {
    const shown = await onTerminal(`${command("WRONG")} > $OUT`, 200);
    expect(stripVTControlCharacters(shown)).toContain("ERROR The service does not accept the API key");
    expect(messagesOf(await readFile(folder.path("out"), "utf8")).length).toBeGreaterThan(3);
  });

  it("shows the answer of a check as a sentence, and ends with 1 if the connection does not work", async () => {
    const check = (config: string) =>
      onTerminal(`${process.execPath} $BIN check --config $${config}; echo "code $?"`, 200);
    expect(await check("GOOD")).toBe("The connection works.\r\ncode 0\r\n");
    expect(await check("WRONG")).toMatch(
      /^The connection does not work\. The service does not accept the API key[^{}]*\r\ncode 1\r\n$/,
    );
  });

  it("shows a live line that fits, and then the summary, when the output goes to a file", async () => {
    const shown = await onTerminal(`${command("GOOD")} > $OUT`, 40);
    const drawn = shown.split("\u001b[2K").map((line) => stripVTControlCharacters(line));
    for (const line of drawn.slice(1, -1)) expect(line.trimEnd().length).toBeLessThan(40);
    expect(drawn.length).toBeGreaterThan(2);
    expect(drawn.at(-1)).toMatch(/^INFO Read in [\d.]+ s: survey_responses/);
  });

  it("shows nothing but the messages when these go there too", async () => {
    const shown = await onTerminal(command("GOOD"));
    expect(shown).not.toContain("\u001b");
    expect(messagesOf(shown.replaceAll("\r\n", "\n")).length).toBeGreaterThan(3);
  });
});
