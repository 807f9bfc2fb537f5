import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, truncate } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { BIN, catalog, errors, records, runWarm, states } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { surveyOf, testSandbox } from "../../support/sandbox.ts";

const KEY = "PLANTED-k3y-9f2c";
const folder = testFolder();
const sandbox = await testSandbox({ apiKey: KEY, surveys: [surveyOf("a", 1500)] });
const settings = () => ({ base_url: sandbox.url, api_key: KEY, survey_ids: ["a"] });
const config = await folder.file("config.json", settings());
const streams = await folder.file("catalog.json", catalog(["survey_responses"]));
afterEach(() => sandbox.service.resetStats());

const read = (...more: string[]) => runWarm(["read", "--config", config, "--catalog", streams, ...more]);

describe("files as editors and shells write them", () => {
  it.each<[string, (text: string) => Buffer]>([
    ["a byte order mark", (text) => Buffer.from(`\uFEFF${text}`)],
    ["UTF-16", (text) => Buffer.from(`\uFEFF${text}`, "utf16le")],
  ])("may hold %s: configuration, catalog and state", async (_, encode) => {
    const { stdout } = await read();
    const state = stdout.split("\n").filter((line) => line.startsWith('{"type":"STATE"'));
    const result = await runWarm([
      ...["read", "--config", await folder.file("c.json", encode(JSON.stringify(settings())))],
      ...["--catalog", await folder.file("k.json", encode(JSON.stringify(catalog(["survey_responses"]))))],
      ...["--state", await folder.file("s.jsonl", encode(state.join("\n")))],
    ]);
    expect(errors(result.messages)).toEqual([]);
    expect(records(result.messages, "survey_responses").length).toBeLessThan(20);
  });
});

/** The call with `path` as one of its files, and the other ones as they should be. */
const callWith = (option: string, path: string): string[] =>
  option === "config"
    ? ["read", "--config", path, "--catalog", streams]
    : option === "catalog"
      ? ["read", "--config", config, "--catalog", path]
      : ["read", "--config", config, "--catalog", streams, "--state", path];
const OPTIONS = ["config", "catalog", "state"];
const refusalOf = async (option: string, path: string): Promise<string> => {
  const { code, messages } = await runWarm(callWith(option, path));
  expect(code).toBe(1);
  expect(sandbox.service.stats.requests).toBe(0);
  return errors(messages)[0].message;
};

describe("a file that does not end, or of gigabytes", () => {
  const MANY = "The state file (--state) cannot be used: it holds more than 64 MB beside its records.";
  const refusals = (path: string): readonly (readonly string[])[] => [
    ["config", `The file "${path}" (--config) is larger than 16 MB. Check that it is the right file.`],
    ["catalog", `The file "${path}" (--catalog) is larger than 16 MB. Check that it is the right file.`],
    ["state", `${MANY} Give only the last STATE line of each stream.`],
  ];

  it("is refused as soon as it is too large", async () => {
    const sparse = await folder.file("sparse", "");
    await truncate(sparse, 2_500_000_000);
    for (const path of ["/dev/zero", sparse]) {
      for (const [option, sentence] of refusals(path)) expect(await refusalOf(option!, path)).toBe(sentence);
    }
  });

  it("is refused as UTF-16 and as a state of short lines, too", async () => {
    const wide = await folder.file("wide", Buffer.from("\uFEFF", "utf16le"));
    await truncate(wide, 2_500_000_000);
    for (const [option, sentence] of refusals(wide)) expect(await refusalOf(option!, wide)).toBe(sentence);
    const lines = await folder.file("lines", "1\n".repeat(8_000_000));
    expect(await refusalOf("state", lines)).toMatch(MANY);
  });

  it("is the state of the next run if it is the output of a run, however many states and records it has", async () => {
    const { stdout, messages } = await read();
    const lines = stdout.split("\n").filter((line) => line.startsWith('{"type":"STATE"'));
    const older = lines.at(-1)!.replace('"version":1', `"version":1,"more":"${"x".repeat(1_000_000)}"`);
    const path = await folder.file("long.jsonl", `${`${older}\n{"type":"RECORD"}\n`.repeat(80)}${stdout}`);
    const second = await runWarm(callWith("state", path));
    expect([second.code, errors(second.messages)]).toEqual([0, []]);
    expect(states(messages, "survey_responses").length).toBeGreaterThan(0);
    expect(records(second.messages, "survey_responses").length).toBeLessThan(20);
  });
});

describe("a FIFO", () => {
  const fifo = (name: string): string => {
    execFileSync("mkfifo", [folder.path(name)]);
    return folder.path(name);
  };

  it.each(OPTIONS)("without a writer as --%s lets a signal end the program at once", async (option) => {
    const path = fifo(`silent-${option}`);
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const child = spawn(process.execPath, [BIN, ...callWith(option, path)], { stdio: "ignore" });
      await sleep(1000);
      const beganMs = performance.now();
      child.kill(signal);
      const [code, endedBy] = await once(child, "close");
      expect([code, endedBy]).toEqual([null, signal]);
      expect(performance.now() - beganMs).toBeLessThan(30_000);
    }
  });

  it("is read when its writer comes later", async () => {
    const path = fifo("late");
    const child = spawn("sh", ["-c", `sleep 1; cat '${config}' > '${path}'`]);
    const [{ code, messages }] = await Promise.all([
      runWarm(["discover", "--config", path]),
      once(child, "close"),
    ]);
    expect([code, messages.map(({ type }) => type)]).toEqual([0, ["CATALOG"]]);
  });
});

describe("lists and objects inside each other, 200,000 deep", () => {
  const LISTS = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const OBJECTS = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
  const inside = (json: unknown, deep: string): string => JSON.stringify(json).replace('"HERE"', deep);
  const state = (stream_state: unknown) => [
    { type: "STREAM", stream: { stream_descriptor: { name: "survey_responses" }, stream_state } },
  ];
  const of = (fields: object) => state({ version: 1, surveys: {}, ...fields });

  it.each([
    ["config", "The configuration ", "HERE"],
    ["config", "The configuration ", { api_key: KEY, survey_ids: "HERE" }],
    ["catalog", "The configured catalog ", { streams: [{ stream: "HERE" }] }],
    ["state", "The state ", "HERE"],
    ["state", "The state ", of({ surveys: { a: "HERE" } })],
  ])("are refused in a %s with a sentence about it: %s%j", async (option, what, json) => {
    for (const deep of [LISTS, OBJECTS]) {
      const refusal = await refusalOf(option, await folder.file("deep", inside(json, deep)));
      expect(refusal.slice(0, what.length)).toBe(what);
    }
  });
});

describe("a configuration with too much of one thing", () => {
  const refusal = async (more: object): Promise<string> =>
    refusalOf("config", await folder.file("much.json", { ...settings(), ...more }));

  it("is refused with one short sentence", async () => {
    expect(await refusal({ api_key: "k".repeat(15_000_000) })).toBe(
      "api_key is longer than 4096 characters. Copy the key alone from the service's panel under Settings, Organization, Access Keys.",
    );
    expect(await refusal({ base_url: `https://a/${"v2/".repeat(5_000_000)}` })).toBe(
      "base_url is longer than 2000 characters. Give the address of the service's API, like https://api.example.com/v2.",
    );
    expect(await refusal({ survey_ids: ["a", "1".repeat(15_000_000)] })).toBe(
      'survey_ids, entry 2, is longer than 300 characters. Write each identifier as an entry of its own, like ["1234567890"].',
    );
    expect(await refusal({ attributes: ["plan,".repeat(1000)] })).toBe(
      'attributes, entry 1, is longer than 1000 characters. Write each name as an entry of its own, spelled as it was set, like ["plan"].',
    );
    expect(await refusal({ survey_ids: Array(7_000_000).fill(1) })).toBe(
      "survey_ids, entry 1, is not a string. Write it in quotes.",
    );
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`f${at}`, 1]));
    expect(await refusal({ personal_data: unknown })).toMatch(
      /^personal_data holds a field that is not one of /,
    );
  });

  it.each([
    ["short", (at: number) => `f${at}`],
    ["long", (at: number) => `a_field_of_the_platform_that_has_a_long_name_${at}`],
    ["misspelt", (at: number) => `start${at.toString(2).replaceAll("0", "-").replaceAll("1", "_")}dat`],
  ])("works with 200,000 unknown fields of %s names, and 200,000 surveys", async (_, name) => {
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [name(at), 1]));
    const survey_ids = Array.from({ length: 200_000 }, () => "a");
    const path = await folder.file("many.json", { ...settings(), ...unknown, survey_ids });
    // Two seconds alone. What looks at each pair of names takes minutes, which is more than a test may take.
    expect((await runWarm(["read", "--config", path, "--catalog", streams])).code).toBe(0);
  });
});

describe("a path that leads to no file", () => {
  it("is named for what it is", async () => {
    await symlink("loop", folder.path("loop"));
    await mkdir(folder.path("folder"));
    const upTo = (path: string) => `(its path leads to "${path}" and no further)`;
    for (const [path, reason] of [
      [folder.path("none"), `it does not exist ${upTo(folder.path("."))}`],
      [folder.path("folder"), `it is a folder ("${folder.path("folder")}")`],
      [folder.path("loop"), `it is a symbolic link that leads to itself ${upTo(folder.path("."))}`],
      [`${config}/x`, `a part of the path is not a folder ${upTo(config)}`],
      ["PLANTED-k3y", `it does not exist ${upTo(process.cwd())}`],
    ]) {
      for (const option of OPTIONS) {
        expect(await refusalOf(option, path!)).toBe(
          `The file of --${option} cannot be read: ${reason}. Check the path, and that it is mounted where the program runs.`,
        );
      }
    }
  });
});
