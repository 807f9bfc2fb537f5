import { appendFileSync, readdirSync, statSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { configuredCatalog } from "../../../connector/airbyte/catalog.ts";
import { createFolderOfService, type FolderOfService } from "../../connector/sync-command/support/folder.ts";
import { BIN, runBin } from "../../support/bin.ts";

const RESPONSES = 2000;

let folder: FolderOfService;
beforeEach(async () => {
  folder = await createFolderOfService(RESPONSES);
});

const lastLine = (shown: string): string => shown.trimEnd().split("\n").at(-1)!;
/** The time in front of each line, since standard error is no terminal here. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /gm;
const withoutTimes = (shown: string): string => {
  expect(shown.match(TIME)).toHaveLength(shown.split("\n").length - 1);
  return shown.replaceAll(TIME, "");
};

describe("a sync by the program", () => {
  it("reads everything, then only what is new, into files for the owner alone", async () => {
    const first = await folder.run({ before: ["/bin/sh", "-c", 'umask 0; exec "$0" "$@"'] });
    expect(first.code, first.shown).toBe(0);
    expect(withoutTimes(first.shown)).toMatch(
      /^INFO Read in [\d.]+ s: survey_responses 2,000 · \d+ requests · in "\/\S+\/messages\/\d{8}T\d{6}\.\d{3}Z\.jsonl"\n$/,
    );
    const names = readdirSync(folder.path, { recursive: true, encoding: "utf8" }).toSorted();
    expect(names.map((name) => [name, statSync(folder.inside(name)).mode & 0o777])).toEqual([
      [".lock", 0o600],
      ["config.json", 0o600],
      ["messages", 0o700],
      [`messages/${folder.names()[0]}`, 0o600],
      ["state.jsonl", 0o600],
    ]);

    folder.service.collect("a", { count: 3 });
    expect((await folder.run()).code).toBe(0);
    expect(folder.missing()).toEqual([]);
    expect(folder.keysOf(folder.runs()[1]!).length).toBeLessThan(10);
  });

  it("that was killed is kept by the next one, which resumes from the last state and loses nothing", async () => {
    const { child, ended } = await folder.startAndHang();
    child.kill("SIGKILL");
    await ended;
    folder.service.clearFaults();
    const [killed] = folder.runs();
    const part = folder.inside(`messages/${folder.names()[0]}`);
    expect(part).toMatch(/\.part$/);
    appendFileSync(part, '{"type":"RECORD","record":{"stream":"survey_resp');
    const next = await folder.run();
    expect(next.code, next.shown).toBe(0);
    expect(next.shown).toContain(
      `sync: kept what an interrupted sync wrote: survey_responses ${folder.keysOf(killed!).length}\n`,
    );
    const [first, second] = folder.runs();
    expect(first).toEqual(killed);
    // One that began anew would read all of them.
    expect(folder.keysOf(second!).length).toBeLessThan(RESPONSES);
    expect(folder.missing()).toEqual([]);
    expect(folder.names().filter((name) => !name.endsWith(".jsonl"))).toEqual([]);
    for (const text of folder.texts()) expect(text.endsWith("}\n")).toBe(true);
  });

  it("refuses another one in its folder, and by SIGTERM ends with its last state", async () => {
    const { child, ended } = await folder.startAndHang();
    const other = await folder.run();
    expect(other.code).toBe(75);
    expect(withoutTimes(other.shown)).toBe(
      `sync: another sync is writing to ${folder.path}. Try again when it has ended.\n`,
    );
    child.kill("SIGTERM");
    const { code, shown } = await ended;
    expect(code, shown).toBe(143);
    expect(lastLine(withoutTimes(shown))).toMatch(
      /^INFO Stopped before the end, after [\d.]+ s: survey_responses [\d,]+ · .* · in "\S+"$/,
    );
    const [messages, ...others] = folder.runs();
    expect(others).toEqual([]);
    const states = messages!.flatMap(({ type, state }) => (type === "STATE" ? [state] : []));
    const covered = states.reduce((sum, { sourceStats }) => sum + sourceStats.recordCount, 0);
    expect(covered).toBe(folder.keysOf(messages!).length);
    expect(JSON.parse(folder.read("state.jsonl")).state.stream).toEqual(states.at(-1)!.stream);
  });

  it("that fails says why without the key, and ends with 1", async () => {
    folder.write("config.json", { ...folder.config, api_key: "PLANTED-k3y" });
    const failed = await folder.run();
    expect(failed.code).toBe(1);
    const shown = withoutTimes(failed.shown);
    expect(shown).toMatch(/^ERROR (survey_responses: )?The service does not accept the API key/m);
    expect(lastLine(shown)).toMatch(
      /^INFO Failed after [\d.]+ s\. Incomplete: survey_responses\. Nothing was delivered\.$/,
    );
    expect(shown).not.toContain("PLANTED");
  });

  it("loses nothing on a full disk, and says so", async () => {
    // No file may grow beyond 256 KB. That fails as a full disk does, within a line.
    const full = await folder.run({ before: ["/bin/sh", "-c", 'ulimit -f 512; exec "$0" "$@"'] });
    expect(full.code).toBe(1);
    expect(withoutTimes(full.shown)).toMatch(
      /^sync: cannot write \S+\.part: EFBIG: .*\. Make room there, and run again\.\n/,
    );
    for (const text of folder.texts()) expect(text.endsWith("}\n")).toBe(true);
    const next = await folder.run();
    expect(next.code, next.shown).toBe(0);
    expect(folder.missing()).toEqual([]);
  });
});

describe("all streams but the snapshots", () => {
  const names = configuredCatalog().streams.map(({ stream }) => stream.name);

  it("are what a sync reads by default", async () => {
    const command = [process.execPath, BIN, "sync", folder.path];
    const ended = await folder.run({ command });
    expect(ended.code, ended.shown).toBe(0);
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) expect(lastLine(ended.shown)).toMatch(new RegExp(`${name} \\d+`));

    // As a first sync leaves it that was killed between the states of two streams: nothing is warned of.
    folder.write("state.jsonl", `${folder.read("state.jsonl").split("\n")[0]}\n`);
    const again = await folder.run({ command });
    expect(again.code, again.shown).toBe(0);
    expect(again.shown).not.toMatch(/\[\w+\]$/m);
  });

  it("are in the catalog that the command catalog prints", async () => {
    const { code, stdout, stderr } = await runBin(["catalog"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(configuredCatalog())));
  });

  it("are replaced by those that are named; a wrong name is an error on stderr alone", async () => {
    const { code, stdout, stderr } = await runBin(["catalog", "--streams", "survey_response"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^ERROR .*Did you mean survey_responses\?.* \[invalid_configuration\]\n$/);
  });
});
