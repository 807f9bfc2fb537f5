import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, truncate } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { BIN, catalog, createFolder, errors, records, type runBin, states } from "./bin.ts";
import { runWarm } from "./warm-bin.ts";

const KEY = "PLANTED-k3y-9f2c";
let folder: Awaited<ReturnType<typeof createFolder>>;
let sandbox: Sandbox;
let config: string;
let streams: string;
beforeAll(async () => {
  folder = await createFolder();
  sandbox = await startSandbox({
    apiKey: KEY,
    surveys: [
      {
        id: "a",
        responses: {
          ...{ seed: 1, count: 1500, density: "even", respondents: 20 },
          ...{ from: "2025-01-01T00:00:00.000000Z", to: "2026-01-01T00:00:00.000000Z" },
        },
      },
    ],
  });
  config = await folder.file("config.json", settings());
  streams = await folder.file("catalog.json", catalog(["survey_responses"]));
});
afterEach(() => sandbox.service.resetStats());
afterAll(async () => {
  await sandbox.close();
  await folder.remove();
});
const settings = () => ({ base_url: sandbox.url, api_key: KEY, survey_ids: ["a"] });

const read = (...more: string[]) => runWarm(["read", "--config", config, "--catalog", streams, ...more]);
const warnings = ({ messages }: Awaited<ReturnType<typeof runBin>>): string[] =>
  messages.flatMap(({ type, log }) => (type === "LOG" && log.level === "WARN" ? [log.message] : []));

describe("the output of a run as the state of the next", () => {
  it("works as a whole, records and all", async () => {
    const first = await read();
    const second = await read("--state", await folder.file("messages.jsonl", first.stdout));
    expect(second.code).toBe(0);
    expect(records(second.messages, "survey_responses").length).toBeLessThan(20);
  });

  it.each([
    ["a state", '{"type":"STATE"'],
    ["a record", '{"type":"RECORD"'],
  ])("works when a kill cut the last line, %s, and says so", async (_, type) => {
    const { stdout } = await read();
    const states = stdout.split("\n").flatMap((line, at) => (line.startsWith(type) ? [at] : []));
    const last = states.at(-1)!;
    const lines = stdout.split("\n").slice(0, last + 1);
    lines[last] = lines[last]!.slice(0, 40);
    const second = await read("--state", await folder.file("cut.jsonl", lines.join("\n")));
    expect(second.code).toBe(0);
    expect(warnings(second)).toEqual([
      "The last line of the state file (--state) is cut short, as happens if a run is killed. The states before it are used. [state_cut_short]",
    ]);
    expect(records(second.messages, "survey_responses").length).toBeLessThan(1500);
  });

  it.each([
    ["is empty", "", "it is empty"],
    [
      "holds no STATE",
      '{"type":"RECORD","record":{}}\n{"type":"LOG"}\n',
      "it holds messages of a run, but no STATE",
    ],
    [
      "was cut before its first STATE",
      '{"type":"LOG"}\n{"type":"STA',
      "it holds messages of a run, but no STATE",
    ],
  ])("is refused, never a silent full read, when it %s", async (_, text, reason) => {
    const { code, messages } = await read("--state", await folder.file("none.jsonl", text));
    expect(code).toBe(1);
    expect(errors(messages)[0].message).toBe(
      `The state file (--state) cannot be used: ${reason}. Pass the output of an earlier run that has one, or leave --state out to read everything again.`,
    );
    expect(sandbox.service.stats.requests).toBe(0);
  });

  it.each(["[]", "{}"])("is a first sync when it is %s, as platforms pass it", async (text) => {
    const result = await read("--state", await folder.file("none.json", text));
    expect([result.code, records(result.messages, "survey_responses").length]).toEqual([0, 1500]);
    expect(warnings(result)).toEqual([]);
  });
});

describe("a state file that does not fit the selected streams", () => {
  const stateOf = (name: string) =>
    JSON.stringify([{ type: "STREAM", stream: { stream_descriptor: { name }, stream_state: {} } }]);

  it("names a stream without a state, and the streams that it has states for", async () => {
    const result = await read("--state", await folder.file("other.json", stateOf("survey_answers")));
    expect(result.code).toBe(0);
    expect(warnings(result)).toEqual([
      'The state file (--state) has no state for stream survey_responses, so it is read from its start. It has states for: "survey_answers". Pass the last state of every stream, unless it is new in the catalog. [state_missing]',
    ]);
  });

  it("names several streams without a state in one sentence", async () => {
    const both = await folder.file("both.json", catalog(["survey_responses"], ["survey_answers"]));
    const state = await folder.file("third.json", stateOf("respondent_responses"));
    const result = await runWarm(["read", "--config", config, "--catalog", both, "--state", state]);
    expect(warnings(result)).toEqual([
      'The state file (--state) has no state for streams survey_responses, survey_answers, so they are read from their start. It has states for: "respondent_responses". Pass the last state of every stream, unless it is new in the catalog. [state_missing]',
    ]);
  });

  it("names streams that the source does not have", async () => {
    const result = await read("--state", await folder.file("slip.json", stateOf("survey_response")));
    expect(warnings(result)[0]).toBe(
      'The state file (--state) names streams that this source does not have: "survey_response". Their states are ignored. Correct the names if they are misspelt. [state_of_unknown_stream]',
    );
    expect(warnings(result)).toHaveLength(2);
  });

  it("is said nothing about in a full refresh, which needs no state", async () => {
    const full = await folder.file("full.json", catalog(["survey_responses", "full_refresh"]));
    const state = await folder.file("answers.json", stateOf("survey_answers"));
    const result = await runWarm(["read", "--config", config, "--catalog", full, "--state", state]);
    expect([result.code, warnings(result)]).toEqual([0, []]);
  });
});

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

  it("may be missing, or a folder: the message names the option and the path", async () => {
    await mkdir(folder.path("folder"));
    const { messages } = await runWarm(["check", "--config", folder.path("folder")]);
    expect(errors(messages)[0].message).toBe(
      `The file "${folder.path("folder")}" (--config) cannot be read: it is a folder. Check the path, and that it is mounted where the program runs.`,
    );
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
      expect(performance.now() - beganMs).toBeLessThan(5000);
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
  const DEEP = "it has lists and objects inside each other, more than 100 deep";
  const LISTS = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const OBJECTS = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
  const inside = (json: unknown, deep: string): string => JSON.stringify(json).replace('"HERE"', deep);
  const state = (stream_state: unknown) => [
    { type: "STREAM", stream: { stream_descriptor: { name: "survey_responses" }, stream_state } },
  ];
  const of = (fields: object) => state({ version: 1, surveys: {}, ...fields });

  it.each([
    ["config", "The configuration (--config)", "HERE"],
    ["config", "The configuration (--config)", { personal_data: "HERE" }],
    ["config", "The configuration (--config)", { api_key: KEY, survey_ids: "HERE" }],
    ["catalog", "The configured catalog (--catalog)", "HERE"],
    ["catalog", "The configured catalog (--catalog)", { streams: [{ stream: "HERE" }] }],
    ["state", "The state file (--state)", "HERE"],
    ["state", "The state file (--state)", { type: "STATE", state: "HERE" }],
    ["state", "The state file (--state)", state("HERE")],
    ["state", "The state file (--state)", of({ surveys: { a: "HERE" } })],
    ["state", "The state file (--state)", of({ open: { a: "HERE" } })],
    ["state", "The state file (--state)", of({ configured_respondents: "HERE" })],
  ])("are refused in a %s: %s %j", async (option, what, json) => {
    for (const deep of [LISTS, OBJECTS]) {
      const path = await folder.file("deep", inside(json, deep));
      expect(await refusalOf(option, path)).toContain(`${what} cannot be used: ${DEEP}.`);
    }
  });

  it("are no reason to refuse brackets in texts", async () => {
    const path = await folder.file("texts", { ...settings(), more: '[{"\\'.repeat(1000) });
    expect((await runWarm(["discover", "--config", path])).code).toBe(0);
  });
});

describe("a file of millions of lists", () => {
  it.each(OPTIONS)("is refused as --%s", async (option) => {
    const path = await folder.file("lists", `[${"[],".repeat(2_000_000)}[]]`);
    expect(await refusalOf(option, path)).toContain(
      " cannot be used: it has more than 2,000,000 lists and objects.",
    );
  });
});

describe("a configuration or catalog with too much of one thing", () => {
  const refusal = async (more: object): Promise<string> =>
    refusalOf("config", await folder.file("much.json", { ...settings(), ...more }));

  it("is refused with one short sentence", async () => {
    expect(await refusal({ api_key: "k".repeat(15_000_000) })).toBe(
      "api_key is longer than 4096 characters. Copy the key from the service's panel under Settings, Organization, Access Keys.",
    );
    expect(await refusal({ base_url: `https://a/${"v2/".repeat(5_000_000)}` })).toBe(
      "base_url is longer than 2000 characters. Give the address of the service's API, like https://api.example.com/v2.",
    );
    expect(await refusal({ survey_ids: ["a", "1".repeat(15_000_000)] })).toBe(
      "survey_ids, entry 2, is longer than 300 characters. Give the identifier alone.",
    );
    expect(await refusal({ attributes: ["plan,".repeat(1000)] })).toBe(
      "attributes, entry 1, is longer than 1000 characters. Give each name as an entry of its own.",
    );
    expect(await refusal({ survey_ids: Array(7_000_000).fill(1) })).toBe(
      "survey_ids, entry 1, is not a string. Write it in quotes.",
    );
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`f${at}`, 1]));
    expect(await refusal({ personal_data: unknown })).toMatch(
      /^personal_data holds a field that is not one of /,
    );
    const selected = (count: number, name: string) =>
      catalog(...Array.from({ length: count }, (_, at): [string] => [name + at]));
    for (const [count, name, reason] of [
      [20_000, "s", "it has more than 1,000 streams"],
      [1, "s".repeat(10_000_000), "stream 1 has a name of more than 300 characters"],
    ] as const) {
      const path = await folder.file("streams.json", selected(count, name));
      expect(await refusalOf("catalog", path)).toContain(
        `The configured catalog (--catalog) cannot be used: ${reason}. Make one`,
      );
    }
  });

  it.each([
    ["short", (at: number) => `f${at}`],
    ["long", (at: number) => `a_field_of_the_platform_that_has_a_long_name_${at}`],
    ["misspelt", (at: number) => `start${at.toString(2).replaceAll("0", "-").replaceAll("1", "_")}dat`],
  ])("works with 200,000 unknown fields of %s names, and 200,000 surveys", async (_, name) => {
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [name(at), 1]));
    const survey_ids = Array.from({ length: 200_000 }, () => "a");
    const path = await folder.file("many.json", { ...settings(), ...unknown, survey_ids });
    const beganMs = performance.now();
    expect((await runWarm(["read", "--config", path, "--catalog", streams])).code).toBe(0);
    // Two seconds alone. What looks at each pair of names takes minutes.
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  });
});

describe("a path that leads to no file", () => {
  it("is named for what it is", async () => {
    await symlink("loop", folder.path("loop"));
    for (const [path, reason] of [
      [folder.path("loop"), "it is a symbolic link that leads to itself"],
      [`${config}/x`, "a part of the path is not a folder"],
    ]) {
      for (const option of OPTIONS) {
        expect(await refusalOf(option, path!)).toBe(
          `The file "${path}" (--${option}) cannot be read: ${reason}. Check the path, and that it is mounted where the program runs.`,
        );
      }
    }
  });
});

describe("a configuration in the place of a path", () => {
  const inline = JSON.stringify({ base_url: "https://api.example.com/v2", api_key: KEY });
  it.each([
    [["check", "--config", inline]],
    [["check", `--config=${inline}`]],
    [["check", inline]],
    [["check", `--${inline}`]],
    [[inline]],
    [["read", "--config", "c.json", "--catalog", inline]],
    [["read", "--config", "c.json", "--catalog", "k.json", "--state", inline]],
  ])("is not shown: %j", async (words) => {
    const { code, stdout, stderr } = await runWarm(words);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).not.toContain("PLANTED");
    expect(stdout + stderr).not.toBe("");
  });

  it("is named as such", async () => {
    const { messages } = await runWarm(["check", "--config", inline]);
    expect(errors(messages)[0].message).toBe(
      "--config is not the path of a file. Save the JSON in a file, and give its path.",
    );
  });
});

describe("a configuration", () => {
  it("with a start date in the future reads nothing, and says why", async () => {
    const future = { ...settings(), start_date: "2999-01-01T00:00:00Z" };
    const path = await folder.file("future.json", future);
    const result = await runWarm(["read", "--config", path, "--catalog", streams]);
    expect([result.code, records(result.messages, "survey_responses").length]).toEqual([0, 0]);
    expect(warnings(result)).toEqual([
      "start_date is in the future, so no responses are read until then. Correct it if that is not meant. [start_date_in_future]",
    ]);
  });
});

describe("a catalog", () => {
  it("whose stream has no sync_mode is refused with just that", async () => {
    const bare = await folder.file("bare.json", { streams: [{ stream: { name: "survey_responses" } }] });
    const { messages } = await runWarm(["read", "--config", config, "--catalog", bare]);
    expect(errors(messages)[0].message).toMatch(
      /^The configured catalog \(--catalog\) cannot be used: stream "survey_responses" has no sync_mode\. Make one/,
    );
  });

  it("says that other streams are not affected only if there are others", async () => {
    const refusal = async (selected: object) => {
      const chosen = await folder.file("chosen.json", selected);
      const { messages } = await runWarm(["read", "--config", config, "--catalog", chosen]);
      return errors(messages)[0].message;
    };
    const alone =
      'The configured catalog asks for stream "surveys", which this source does not have. Refresh the source\'s schema, or remove the stream.';
    expect(await refusal(catalog(["surveys"]))).toBe(alone);
    expect(await refusal(catalog(["surveys"], ["survey_responses"]))).toBe(
      `${alone} This does not affect the other streams.`,
    );
  });

  it("names a stream in every message as a quotation: short, on one line, without the key", async () => {
    const names = ["surveys", "\u0007".repeat(300), "a\u202eb\nc", `key ${KEY}`];
    const chosen = await folder.file(
      "hostile-catalog.json",
      catalog(...names.map((name): [string] => [name])),
    );
    const { messages, stdout } = await runWarm(["read", "--config", config, "--catalog", chosen]);
    const traced = (type: string) =>
      messages
        .filter(({ trace }) => trace?.type === type)
        .map(({ trace }) => (trace.error ?? trace.stream_status).stream_descriptor.name);
    const shown = ["surveys", `${"\\u0007".repeat(49)}…`, "a\\u202eb\\nc", "key ****"];
    expect(traced("ERROR")).toEqual(shown);
    expect(traced("STREAM_STATUS")).toEqual(shown);
    expect(stdout).not.toContain(KEY);
  });

  it.each([
    ["", "The configured catalog (--catalog) is empty. Write its JSON into the file."],
    [
      '{"streams": [',
      "The configured catalog (--catalog) ends too early (line 1). Write the whole JSON into the file.",
    ],
  ])("that is %j is named for what it is", async (text, sentence) => {
    const { messages } = await runWarm([
      ...["read", "--config", config],
      ...["--catalog", await folder.file("cut-catalog.json", text)],
    ]);
    expect(errors(messages)[0].message).toBe(sentence);
  });

  it("without a stream reads nothing and says so", async () => {
    const empty = await folder.file("empty.json", { streams: [] });
    const result = await runWarm(["read", "--config", config, "--catalog", empty]);
    expect(result.code).toBe(0);
    expect(warnings(result)).toEqual([
      "The configured catalog (--catalog) selects no stream, so nothing was read. Add each stream that you want to read, as discover prints it. [no_streams]",
    ]);
  });
});
