import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchWhole, pageOf } from "./test-client.ts";

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

// biome-ignore lint/suspicious/noExplicitAny: the file is looked at in every detail
const readJson = async (file: string): Promise<any> => JSON.parse(await readFile(file, "utf8"));

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
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("serves, prints what to do, writes files to start from, takes new responses, and ends on a signal", async () => {
    const { child, ready, ended } = run(
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
    try {
      const greeting = await ready("/sandbox/stats");
      const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
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
      expect(JSON.parse(await readFile(join(folder, "catalog.json"), "utf8"))).toEqual(CATALOG);
      expect((await stat(join(folder, "config.json"))).mode & 0o777).toBe(0o600);
      expect(greeting).toContain("the sandbox allows 1000 requests a minute");
      expect(greeting).toContain("npm run sandbox -- --requests-per-minute 0");

      const ask = async (path: string) =>
        pageOf(await fetchWhole(`${config.base_url}${path}`, config.api_key));
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
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toMatchObject({ code: 0, err: "" });
  });

  it("takes the catalog from our own source by default, with every stream that has a cursor", async () => {
    const own = join(folder, "own");
    const { child, ready, ended } = run("--out", own, "--responses", "1");
    try {
      expect(await ready("/sandbox/stats")).toContain(`--catalog ${own}/catalog.json`);
      const { streams } = JSON.parse(await readFile(join(own, "catalog.json"), "utf8"));
      // biome-ignore lint/suspicious/noExplicitAny: the file is looked at in every detail
      const names = streams.map((one: any) => one.stream.name);
      expect(names).toContain("survey_responses");
      // biome-ignore lint/suspicious/noExplicitAny: the file is looked at in every detail
      expect(new Set(streams.map((one: any) => one.sync_mode))).toEqual(new Set(["incremental"]));
    } finally {
      child.kill("SIGTERM");
    }
    await ended;
  });

  it("leaves the files of a running sandbox alone, replaces those of one that ended, and needs no source", async () => {
    const shared = join(folder, "shared");
    const args = ["--out", shared, "--responses", "1", "--source", join(folder, "missing.js")];
    const written = async () => JSON.parse(await readFile(join(shared, "config.json"), "utf8"));
    const first = run(...args);
    try {
      expect(await first.ready("/sandbox/stats")).toContain("No catalog was written. The source at");
      const before = await written();
      const second = run(...args);
      try {
        const greeting = await second.ready("/sandbox/stats");
        expect(greeting).toContain(`The files in ${shared} belong to a sandbox that still runs`);
        expect(await written()).toEqual(before);
        const config = greeting.match(/--config (\S+)/)![1]!;
        expect(config.startsWith(`${shared}/port-`)).toBe(true);
        expect(greeting).toContain(JSON.parse(await readFile(config, "utf8")).base_url);
      } finally {
        second.child.kill("SIGTERM");
      }
      await second.ended;
    } finally {
      first.child.kill("SIGTERM");
    }
    await first.ended;
    const third = run(...args);
    try {
      expect(await third.ready("/sandbox/stats")).toContain((await written()).base_url);
    } finally {
      third.child.kill("SIGTERM");
    }
    await third.ended;
  });

  it("leaves a configuration for another service alone", async () => {
    const foreign = join(folder, "foreign");
    await mkdir(foreign);
    const config = '{"base_url":"https://api.example.com/v2","api_key":"secret"}';
    await writeFile(join(foreign, "config.json"), config);
    const { child, ready, ended } = run("--out", foreign, "--source", join(folder, "missing.js"));
    try {
      expect(await ready("/sandbox/stats")).toContain("or to another service");
      expect(await readFile(join(foreign, "config.json"), "utf8")).toBe(config);
    } finally {
      child.kill("SIGTERM");
    }
    await ended;
  });

  it("ends with a sentence if its folder cannot be written", async () => {
    const file = join(folder, "a-file");
    await writeFile(file, "so that nothing can be written into it");
    const { code, err } = await run("--out", file, "--responses", "1").ended;
    expect({ code, err }).toEqual({
      code: 1,
      err: `The folder ${file} cannot be written: a file is in its place. Make it writable for this user, or name another one with --out.\n`,
    });
  });

  it("serves without a limit per minute if asked to", async () => {
    const args = ["--out", join(folder, "unlimited"), "--source", join(folder, "missing.js")];
    const { child, ready, ended } = run(...args, "--responses", "1", "--requests-per-minute", "0");
    try {
      const greeting = await ready("/sandbox/stats");
      expect(greeting).toContain("This sandbox has no limit of requests per minute.");
      const address = greeting.match(/address\s+(\S+)/)![1]!;
      const key = greeting.match(/key\s+(\S+)/)![1]!;
      for (let asked = 0; asked < 1_050; asked += 1) {
        const { status } = await fetchWhole(`${address}/surveys/1001/responses?items_per_page=1`, key);
        if (status !== 200) throw new Error(`Request ${asked} got ${status}.`);
      }
    } finally {
      child.kill("SIGTERM");
    }
    await ended;
  });

  it("serves the company of docs/questions.md", async () => {
    const own = join(folder, "company");
    const { child, ready, ended } = run("--company", "--out", own, "--source", join(folder, "missing.js"));
    try {
      await ready("/sandbox/stats");
      const { base_url: url, api_key: key, survey_ids: ids } = await readJson(join(own, "config.json"));
      expect(ids).toEqual(["1001", "1002", "1003"]);
      const page = pageOf(await fetchWhole(`${url}/surveys/1003/responses?items_per_page=1`, key));
      // The newest response on the page's chart of weeks.
      expect(page.data[0]).toMatchObject({
        survey: { name: "Support" },
        response: { collected_at: expect.stringMatching(/^2026-09-28T/) },
      });
    } finally {
      child.kill("SIGTERM");
    }
    await ended;
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
    const { child, ready, ended } = run("--help");
    expect(await ready("--help")).toContain("npm run sandbox -- [options]");
    expect((await ended).code).toBe(0);
    expect(child.exitCode).toBe(0);
  });
});
