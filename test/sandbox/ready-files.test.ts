import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readJson, run, temporaryFolder } from "./support/command.ts";

describe("the files that npm run sandbox leaves", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  it("take the catalog from our own source by default, with every stream but the snapshots", async () => {
    const own = join(folder, "own");
    const { ready } = run("--out", own, "--responses", "1");
    expect(await ready("/sandbox/stats")).toContain(`--catalog ${own}/catalog.json`);
    const { streams } = await readJson(join(own, "catalog.json"));
    // biome-ignore lint/suspicious/noExplicitAny: the file is looked at in every detail
    const names = streams.map((one: any) => one.stream.name);
    expect(names).toContain("survey_responses");
    // biome-ignore lint/suspicious/noExplicitAny: the file is looked at in every detail
    expect(new Set(streams.map((one: any) => one.sync_mode))).toEqual(new Set(["incremental"]));
  });

  it("leaves the files of a running sandbox alone, replaces those of one that ended, and needs no source", async () => {
    const shared = join(folder, "shared");
    const args = ["--out", shared, "--responses", "1", "--source", join(folder, "missing.js")];
    const written = () => readJson(join(shared, "config.json"));
    const first = run(...args);
    expect(await first.ready("/sandbox/stats")).toContain("No catalog was written. The source at");
    const before = await written();
    const second = run(...args);
    const greeting = await second.ready("/sandbox/stats");
    expect(greeting).toContain(`The files in ${shared} belong to a sandbox that still runs`);
    expect(await written()).toEqual(before);
    const config = greeting.match(/--config (\S+)/)![1]!;
    expect(config.startsWith(`${shared}/port-`)).toBe(true);
    expect(greeting).toContain((await readJson(config)).base_url);
    await second.stop();
    await first.stop();
    const third = run(...args);
    expect(await third.ready("/sandbox/stats")).toContain((await written()).base_url);
  });

  it("leaves a configuration for another service alone", async () => {
    const foreign = join(folder, "foreign");
    await mkdir(foreign);
    const config = '{"base_url":"https://api.example.com/v2","api_key":"secret"}';
    await writeFile(join(foreign, "config.json"), config);
    const { ready } = run("--out", foreign, "--source", join(folder, "missing.js"));
    expect(await ready("/sandbox/stats")).toContain("or to another service");
    expect(await readFile(join(foreign, "config.json"), "utf8")).toBe(config);
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
});
