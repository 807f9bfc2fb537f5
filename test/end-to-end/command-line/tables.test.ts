import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { expectedKeys, type Sandbox, surveyKeys } from "../../../sandbox/index.ts";
import { keysIn } from "../../../scripts/table-keys.ts";
import { BIN, runBin } from "../../support/bin.ts";
import { type Folder, folderForTest } from "../../support/folder.ts";
import { sandboxForTest, surveyOf } from "../../support/sandbox.ts";

let folder: Folder;
let target: string;
let sandbox: Sandbox;
let env: Record<string, string>;
beforeEach(async () => {
  folder = folderForTest();
  target = join(folder.path(), "surveys.sqlite");
  const surveys = [surveyOf("a", 1500, { respondents: 60 }), surveyOf("b", 120, { respondents: 60 })];
  sandbox = await sandboxForTest({ surveys, limits: false });
  env = { SURVEY_EXPORT_API_KEY: sandbox.apiKey, SURVEY_EXPORT_BASE_URL: sandbox.url };
});

const sync = (...options: string[]) => runBin(["sync", target, ...options], { env });
const truth = () => new Map([...expectedKeys(sandbox.service.truth), ...surveyKeys(sandbox.service.truth)]);
const expectWhole = () => {
  const [found, there] = [keysIn(target), truth()];
  expect([...found.keys()].toSorted()).toEqual([...there.keys()].toSorted());
  for (const [stream, keys] of there) expect(found.get(stream), stream).toEqual(keys);
};
const withoutTimes = (shown: string): string => shown.replaceAll(/^\S+Z /gm, "");
const lastLine = (shown: string): string => withoutTimes(shown).trimEnd().split("\n").at(-1)!;

/** Waits until a run has committed a state. */
async function firstState(): Promise<void> {
  for (;;) {
    await sleep(5);
    if (!existsSync(target)) continue;
    const database = new DatabaseSync(target, { readOnly: true });
    try {
      if (database.prepare("select 1 from _survey_export_state").get()) return;
    } catch {
      // the tables are not there yet
    } finally {
      database.close();
    }
  }
}

/** A sync that hangs in its middle, since the service falls silent. */
async function startAndHang() {
  sandbox.service.addFaults({
    on: "survey_responses",
    nth: [8, 9, 10, 11, 12, 13, 14, 15],
    reply: "silence",
  });
  const child = spawn(process.execPath, [BIN, "sync", target], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  await firstState();
  return { child, ended };
}

describe("sync with a SQLite file", () => {
  it("needs a key and nothing else, and brings every row, then what is new", async () => {
    const first = await sync();
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toBe("");
    expect(lastLine(first.stderr)).toMatch(
      /^INFO Read in [\d.]+ s: survey_responses 1,620, survey_answers [\d,]+, .* requests · in "\S+\/surveys\.sqlite"$/,
    );
    const files = readdirSync(folder.path()).toSorted();
    expect(files).toEqual(["surveys.sqlite", "surveys.sqlite-lock"]);
    for (const name of files) expect(statSync(join(folder.path(), name)).mode & 0o777).toBe(0o600);
    expectWhole();

    const before = sandbox.service.stats.requests;
    sandbox.service.collect("a", { count: 3 });
    expect((await sync()).code).toBe(0);
    expectWhole();
    expect(sandbox.service.stats.requests - before).toBeLessThan(15);
  });

  it("loses nothing in kills, and can be read meanwhile", async () => {
    await folder.file("config.json", { items_per_page: 10, max_concurrent_requests: 2 });
    for (const rows of [1, 300, 700, 1100]) {
      const child = spawn(process.execPath, [BIN, "sync", target], {
        env: { ...process.env, ...env },
        stdio: "ignore",
      });
      const ended = once(child, "close");
      await firstState();
      while (child.exitCode === null && (keysIn(target).get("survey_responses")?.size ?? 0) < rows)
        await sleep(2);
      child.kill("SIGKILL");
      await ended;
    }
    const last = await sync();
    expect(last.code, last.stderr).toBe(0);
    expectWhole();
  });

  it("refuses a second process, and by SIGTERM ends with its last state", async () => {
    const { child, ended } = await startAndHang();
    const other = await sync();
    expect(other.code).toBe(75);
    expect(withoutTimes(other.stderr)).toBe(
      `sync: another sync is writing to ${target}. Try again when it has ended.\n`,
    );
    child.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
    const database = new DatabaseSync(target);
    expect(database.prepare("select outcome from _survey_export_syncs").all()).toEqual([
      { outcome: "stopped" },
    ]);
    database.close();
    sandbox.service.clearFaults();
    expect((await sync()).code).toBe(0);
    expectWhole();
  });

  it("loses nothing on a full disk, and says so", async () => {
    const shell = ["-c", 'ulimit -f 1024; exec "$0" "$@"', process.execPath, BIN, "sync", target];
    const child = spawn("/bin/sh", shell, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let shown = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    const [code] = await once(child, "close");
    expect(code, shown).toBe(1);
    expect(shown).toMatch(
      /^\S+ ERROR .*surveys\.sqlite" cannot be written: the disk is full, or has failed\. Make room there, and run again: nothing is lost\. \[invalid_configuration\]$/m,
    );
    const next = await sync();
    expect(next.code, next.stderr).toBe(0);
    expectWhole();
  });

  it("reads the named streams, with the configuration next to it", async () => {
    await folder.file("config.json", { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: ["b"] });
    env = {};
    const { code, stderr } = await sync("--streams", "survey_responses,surveys");
    expect(code, stderr).toBe(0);
    const found = keysIn(target);
    expect([...found].map(([name, { size }]) => [name, size])).toEqual([
      ["survey_responses", 120],
      ["surveys", 1],
    ]);
    const wrong = await sync("--streams", "survey_respones");
    expect(wrong.code).toBe(1);
    expect(lastLine(wrong.stderr)).toMatch(
      /^ERROR --streams names .* Did you mean survey_responses\? The streams are: survey_responses, survey_answers, .* \[invalid_configuration\]$/,
    );
  });

  it("with --dry-run says from the list alone how much there is, and writes nothing", async () => {
    const { code, stdout } = await sync("--dry-run");
    expect(code).toBe(0);
    expect(stdout).toBe(
      "There are 1,620 responses in 2 surveys, as the service counts them.\n" +
        "A first sync takes about 20 requests: about 1 minute at 900 requests a minute.\n" +
        "It also asks once for each respondent: 1,620 requests more at most, which take 2 minutes. With --streams you can leave out respondent_attributes.\n",
    );
    expect(sandbox.service.stats.requests).toBe(1);
    expect(existsSync(target)).toBe(false);
    env.SURVEY_EXPORT_API_KEY = "wrong";
    const refused = await sync("--dry-run");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("The service does not accept the API key");
  });
});

describe("report", () => {
  it("writes a page next to the file, for the owner alone, and replaces only such a page", async () => {
    await sync("--streams", "survey_responses,survey_answers,surveys");
    const page = join(folder.path(), "surveys.html");
    const first = await runBin(["report", target]);
    expect(first).toMatchObject({ code: 0, stdout: `${pathToFileURL(page).href}\n`, stderr: "" });
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path()).toSorted()).toEqual([
      "surveys.html",
      "surveys.sqlite",
      "surveys.sqlite-lock",
    ]);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("1,500 of 1,500");
    expect(html).not.toContain("<blockquote>");
    expect((await runBin(["report", target, "--texts"])).code).toBe(0);
    expect(readFileSync(page, "utf8")).toContain("<blockquote>");

    writeFileSync(page, "somebody's page");
    const refused = await runBin(["report", target]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      `ERROR The page would replace "${page}", which is not an earlier page. Move it away, and run again. [invalid_configuration]\n`,
    );
    expect(readFileSync(page, "utf8")).toBe("somebody's page");
  });
});
