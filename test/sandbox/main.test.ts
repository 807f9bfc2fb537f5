import { spawn } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { SURVEY_IDS } from "../../sandbox/index.ts";
import { folderForTest } from "../support/folder.ts";
import type { ListPage } from "./support/client.ts";

const MAIN = join(import.meta.dirname, "../../sandbox/main.ts");
let folder: string;
beforeEach(() => {
  folder = folderForTest().path();
});

/** Runs the command until the test is over. `ready` has what it printed when it serves, `ended` when it is over. */
function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ready = new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("a minute")) resolve(out);
    });
    child.once("exit", () => resolve(`It ended: ${err}`));
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, out, err }));
  });
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { ready, ended, stop };
}

const pageOf = async (url: string, key: string): Promise<ListPage> =>
  JSON.parse(await (await fetch(url, { headers: { authorization: `Basic ${key}` } })).text());

describe("npm run sandbox", () => {
  it("serves data that ends now, prints what to do, writes files for the owner, and ends on a signal", async () => {
    const { ready, stop } = run("--out", folder, "--responses", "400", "--dialect", "flat_items");
    const greeting = await ready;
    const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
    expect(config).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v2$/),
      api_key: expect.any(String),
    });
    expect((await stat(join(folder, "config.json"))).mode & 0o777).toBe(0o600);
    const page = `page         ${new URL("/", config.base_url).href}\n`;
    const parts = [
      page,
      config.base_url,
      config.api_key,
      "After purchase (400 responses)",
      `sync ${folder}/surveys.sqlite`,
    ];
    for (const part of parts) expect(greeting).toContain(part);
    const { data } = await pageOf(`${config.base_url}/surveys/${SURVEY_IDS[3]}/responses`, config.api_key);
    const age = Date.now() - Date.parse(data[0].collected_at);
    expect(age).toBeGreaterThan(0);
    expect(age).toBeLessThan(24 * 3_600_000);
    expect(await stop()).toMatchObject({ code: 0, err: "" });
  });

  it("serves the company of docs/questions.md", async () => {
    await run("--company", "--out", folder).ready;
    const { base_url, api_key } = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
    const { data } = await pageOf(`${base_url}/surveys/${SURVEY_IDS[2]}/responses`, api_key);
    // The newest response on the page's chart of weeks.
    expect(data[0].collected_at).toMatch(/^2026-09-28T/);
  });

  it("overwrites no configuration of another service, and says why a folder cannot be written", async () => {
    const foreign = '{ "base_url": "https://surveys.example/v2" }';
    await writeFile(join(folder, "config.json"), foreign);
    expect(await run("--out", folder).ended).toEqual({
      code: 1,
      out: "",
      err: `${folder}/config.json is for another service. Name another folder with --out.\n`,
    });
    expect(await readFile(join(folder, "config.json"), "utf8")).toBe(foreign);
    const file = join(folder, "config.json");
    expect((await run("--out", file).ended).err).toMatch(
      /^The folder .*config\.json cannot be written: E.* Make it writable for this user, or name another one with --out\.\n$/,
    );
  });

  it.each([
    [["--company", "--responses", "2"], "--company has its own responses; omit --responses.\n"],
    [["--responses", "many"], '--responses is "many"; give a whole number from 0 to 1000000.\n'],
  ])("refuses %j with one sentence", async (args, sentence) => {
    expect(await run(...args).ended).toEqual({ code: 2, out: "", err: sentence });
  });
});
