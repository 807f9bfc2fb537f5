import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fetchWhole, pageOf } from "./support/client.ts";
import { readJson, run, temporaryFolder } from "./support/command.ts";

/** A catalog of a source that has nothing to do with ours. */
const CATALOG = { streams: [{ stream: { name: "answers" }, sync_mode: "incremental" }] };

/** A program whose `catalog` prints it. */
async function toySource(folder: string): Promise<string> {
  const file = join(folder, "source.mjs");
  const asked = "process.argv[2] === 'catalog' && process.argv[3] === '--config'";
  await writeFile(file, `if (${asked}) console.log(${JSON.stringify(JSON.stringify(CATALOG))});\n`);
  return file;
}

describe("npm run sandbox", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  it("serves, prints what to do, writes files to start from, takes new responses, and ends on a signal", async () => {
    const { ready, stop } = run(
      "--out",
      folder,
      "--responses",
      "40",
      "--surveys",
      "2",
      "--seed",
      "5",
      "--source",
      await toySource(folder),
    );
    const greeting = await ready("/sandbox/stats");
    const config = await readJson(join(folder, "config.json"));
    expect(config).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v2$/),
      api_key: expect.any(String),
      survey_ids: ["1001", "1002"],
    });
    for (const part of [
      `page         ${new URL("/", config.base_url).href}\n`,
      config.base_url,
      config.api_key,
      "1001 (40 responses)",
      `npx . check    --config ${folder}`,
    ]) {
      expect(greeting).toContain(part);
    }
    expect(await readJson(join(folder, "catalog.json"))).toEqual(CATALOG);
    expect((await stat(join(folder, "config.json"))).mode & 0o777).toBe(0o600);
    expect(greeting).toContain("the sandbox allows 1000 requests a minute");
    expect(greeting).toContain("npm run sandbox -- --requests-per-minute 0");

    const ask = async (path: string) => pageOf(await fetchWhole(`${config.base_url}${path}`, config.api_key));
    expect((await ask("/surveys/1001/responses?items_per_page=100")).data).toHaveLength(40);
    const person = greeting.match(/respondents\s+([0-9a-f-]{36})/)?.[1];
    expect((await ask(`/respondents/${person}/responses`)).data.length).toBeGreaterThan(0);

    const control = async (route: string, method: string, body?: string) => {
      const address = new URL(`/sandbox/${route}`, config.base_url);
      const headers = { "content-type": "application/json" };
      return JSON.parse(await (await fetch(address, { method, headers, ...(body && { body }) })).text());
    };
    const { uuids } = await control("collect?survey_id=1001&count=3", "POST");
    expect(uuids).toHaveLength(3);
    const page = await ask("/surveys/1001/responses?items_per_page=3");
    expect(page.data.map(({ response }) => response.uuid)).toEqual(uuids.reverse());
    expect(await control("stats", "GET")).toMatchObject({ requests: 3, malformed: 0 });
    expect((await control("truth?survey_id=1001", "GET")).length).toBe(43);
    const fault = '[{"on":"any","reply":{"status":401,"body":"{}"}}]';
    expect(await control("faults", "POST", fault)).toEqual({
      error: expect.stringMatching(/^The reply of a fault must be a name .* Kinds are: status, redirect, /),
    });
    expect((await ask("/surveys/1001/responses?items_per_page=3")).data).toHaveLength(3);
    expect(await control("collect?survey_id=9", "POST")).toEqual({
      error: 'There is no survey "9" to collect responses for.',
    });
    expect(await stop()).toMatchObject({ code: 0, err: "" });
  });

  it("serves without a limit per minute if asked to", async () => {
    const args = ["--out", join(folder, "unlimited"), "--source", join(folder, "missing.js")];
    const { ready } = run(...args, "--responses", "1", "--requests-per-minute", "0");
    const greeting = await ready("/sandbox/stats");
    expect(greeting).toContain("This sandbox has no limit of requests per minute.");
    const address = greeting.match(/address\s+(\S+)/)![1]!;
    const key = greeting.match(/key\s+(\S+)/)![1]!;
    for (let asked = 0; asked < 1_050; asked += 1) {
      const { status } = await fetchWhole(`${address}/surveys/1001/responses?items_per_page=1`, key);
      if (status !== 200) throw new Error(`Request ${asked} got ${status}.`);
    }
  });

  it("serves the company of docs/questions.md", async () => {
    const own = join(folder, "company");
    const { ready } = run("--company", "--out", own, "--source", join(folder, "missing.js"));
    await ready("/sandbox/stats");
    const { base_url: url, api_key: key, survey_ids: ids } = await readJson(join(own, "config.json"));
    expect(ids).toEqual(["1001", "1002", "1003"]);
    const page = pageOf(await fetchWhole(`${url}/surveys/1003/responses?items_per_page=1`, key));
    // The newest response on the page's chart of weeks.
    expect(page.data[0]).toMatchObject({
      survey: { name: "Support" },
      response: { collected_at: expect.stringMatching(/^2026-09-28T/) },
    });
  });

  it.each([
    [["--company", "--surveys", "2"], "--company has its own surveys and responses; leave out --surveys.\n"],
    [
      ["--company", "--responses", "2"],
      "--company has its own surveys and responses; leave out --responses.\n",
    ],
    [["--seed", "2", "--company"], "--company has its own surveys and responses; leave out --seed.\n"],
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
    const { ready, ended } = run("--help");
    expect(await ready("--help")).toContain("npm run sandbox -- [options]");
    expect((await ended).code).toBe(0);
  });
});
