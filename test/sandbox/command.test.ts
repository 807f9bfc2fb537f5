import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchWhole, pageOf } from "./visitor.ts";

const main = fileURLToPath(new URL("../../sandbox/main.ts", import.meta.url));

/** Runs the command; `ready` resolves with what it printed once that holds a text, `ended` when it is over. */
function run(...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stderr!.on("data", (chunk) => {
    err += chunk;
  });
  const ready = (text: string) =>
    new Promise<string>((resolve, reject) => {
      child.stdout!.on("data", (chunk) => {
        out += chunk;
        if (out.includes(text)) resolve(out);
      });
      child.once("exit", () => reject(new Error(`It ended: ${err}`)));
    });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, out, err }));
  });
  child.stdout!.on("data", () => {});
  return { child, ready, ended };
}

describe("npm run sandbox", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("serves, tells what is there, writes files to start from, takes new responses, and ends on a signal", async () => {
    const { child, ready, ended } = run(
      "--out",
      folder,
      "--responses",
      "40",
      "--surveys",
      "2",
      "--seed",
      "5",
    );
    try {
      const greeting = await ready("/sandbox/stats");
      const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
      expect(config).toEqual({
        base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v2$/),
        api_key: expect.any(String),
        survey_ids: ["1001", "1002"],
      });
      for (const part of [
        config.base_url,
        config.api_key,
        "1001 (40 responses)",
        `npx . check    --config ${folder}`,
      ]) {
        expect(greeting).toContain(part);
      }
      const catalog = JSON.parse(await readFile(join(folder, "catalog.json"), "utf8"));
      // biome-ignore lint/suspicious/noExplicitAny: the file is looked at in every detail
      expect(catalog.streams.map((one: any) => [one.stream.name, one.sync_mode, one.cursor_field])).toEqual(
        ["survey_responses", "respondent_responses", "respondent_attributes"].map((name) => [
          name,
          "incremental",
          ["collected_at"],
        ]),
      );

      const ask = async (path: string) =>
        pageOf(await fetchWhole(`${config.base_url}${path}`, config.api_key));
      expect((await ask("/surveys/1001/responses?items_per_page=100")).data).toHaveLength(40);
      const person = greeting.match(/respondents\s+([0-9a-f-]{36})/)?.[1];
      expect((await ask(`/respondents/${person}/responses`)).data.length).toBeGreaterThan(0);

      const control = async (route: string, method: string) =>
        JSON.parse(
          (await fetchWhole(new URL(`/sandbox/${route}`, config.base_url).href, "", { method })).text,
        );
      const { uuids } = await control("collect?survey_id=1001&count=3", "POST");
      expect(uuids).toHaveLength(3);
      const page = await ask("/surveys/1001/responses?items_per_page=3");
      expect(page.data.map(({ response }) => response.uuid)).toEqual(uuids.reverse());
      expect(await control("stats", "GET")).toMatchObject({ requests: 3, malformed: 0 });
      expect((await control("truth?survey_id=1001", "GET")).length).toBe(43);
      expect(await control("collect?survey_id=9", "POST")).toEqual({
        error: 'There is no survey "9" to collect responses for.',
      });
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toMatchObject({ code: 0, err: "" });
  });

  it.each([
    [["--colour", "red"], "Unknown option '--colour'; --help lists what there is.\n"],
    [["serve"], "Unexpected argument 'serve'; --help lists what there is.\n"],
    [["--responses", "many"], '--responses is "many"; give a whole number from 0 to 10000000.\n'],
    [
      ["--dialect", "klingon"],
      'There is no dialect "klingon"; choose one of standard, inclusive, cursor, closing, stern, coarse, shows_millis, shows_seconds, terse.\n',
    ],
  ])("refuses %j with one sentence", async (args, sentence) => {
    expect(await run(...args).ended).toEqual({ code: 2, out: "", err: sentence });
  });

  it("explains itself", async () => {
    const { child, ready, ended } = run("--help");
    expect(await ready("--help")).toContain("npm run sandbox -- [options]");
    expect((await ended).code).toBe(0);
    expect(child.exitCode).toBe(0);
  });
});
