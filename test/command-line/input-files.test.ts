import { mkdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { catalog, createFolder, errors, records, runBin } from "./bin.ts";

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

const read = (...more: string[]) => runBin(["read", "--config", config, "--catalog", streams, ...more]);
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
    const result = await runBin(["read", "--config", config, "--catalog", both, "--state", state]);
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
    const result = await runBin(["read", "--config", config, "--catalog", full, "--state", state]);
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
    const result = await runBin([
      ...["read", "--config", await folder.file("c.json", encode(JSON.stringify(settings())))],
      ...["--catalog", await folder.file("k.json", encode(JSON.stringify(catalog(["survey_responses"]))))],
      ...["--state", await folder.file("s.jsonl", encode(state.join("\n")))],
    ]);
    expect(errors(result.messages)).toEqual([]);
    expect(records(result.messages, "survey_responses").length).toBeLessThan(20);
  });

  it("may be missing, or a folder: the message names the option and the path", async () => {
    await mkdir(folder.path("folder"));
    const { messages } = await runBin(["check", "--config", folder.path("folder")]);
    expect(errors(messages)[0].message).toBe(
      `The file "${folder.path("folder")}" (--config) cannot be read: it is a folder. Check the path, and that it is mounted where the program runs.`,
    );
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
    const { code, stdout, stderr } = await runBin(words);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).not.toContain("PLANTED");
    expect(stdout + stderr).not.toBe("");
  });

  it("is named as such", async () => {
    const { messages } = await runBin(["check", "--config", inline]);
    expect(errors(messages)[0].message).toBe(
      "--config is not the path of a file. Save the JSON in a file, and give its path.",
    );
  });
});

describe("a configuration", () => {
  it("with a start date in the future reads nothing, and says why", async () => {
    const future = { ...settings(), start_date: "2999-01-01T00:00:00Z" };
    const path = await folder.file("future.json", future);
    const result = await runBin(["read", "--config", path, "--catalog", streams]);
    expect([result.code, records(result.messages, "survey_responses").length]).toEqual([0, 0]);
    expect(warnings(result)).toEqual([
      "start_date is in the future, so no responses are read until then. Correct it if that is not meant. [start_date_in_future]",
    ]);
  });
});

describe("a catalog", () => {
  it("whose stream has no sync_mode is refused with just that", async () => {
    const bare = await folder.file("bare.json", { streams: [{ stream: { name: "survey_responses" } }] });
    const { messages } = await runBin(["read", "--config", config, "--catalog", bare]);
    expect(errors(messages)[0].message).toMatch(
      /^The configured catalog \(--catalog\) cannot be used: stream "survey_responses" has no sync_mode\. Make one/,
    );
  });

  it("says that other streams are not affected only if there are others", async () => {
    const refusal = async (selected: object) => {
      const chosen = await folder.file("chosen.json", selected);
      const { messages } = await runBin(["read", "--config", config, "--catalog", chosen]);
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
    const names = ["surveys", `${"x".repeat(100_000)}`, "a\u202eb\nc", `key ${KEY}`];
    const chosen = await folder.file(
      "hostile-catalog.json",
      catalog(...names.map((name): [string] => [name])),
    );
    const { messages, stdout } = await runBin(["read", "--config", config, "--catalog", chosen]);
    const traced = (type: string) =>
      messages
        .filter(({ trace }) => trace?.type === type)
        .map(({ trace }) => (trace.error ?? trace.stream_status).stream_descriptor.name);
    const shown = ["surveys", `${"x".repeat(299)}…`, "a\\u202eb\\nc", "key ****"];
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
    const { messages } = await runBin([
      ...["read", "--config", config],
      ...["--catalog", await folder.file("cut-catalog.json", text)],
    ]);
    expect(errors(messages)[0].message).toBe(sentence);
  });

  it("without a stream reads nothing and says so", async () => {
    const empty = await folder.file("empty.json", { streams: [] });
    const result = await runBin(["read", "--config", config, "--catalog", empty]);
    expect(result.code).toBe(0);
    expect(warnings(result)).toEqual([
      "The configured catalog (--catalog) selects no stream, so nothing was read. Add each stream that you want to read, as discover prints it. [no_streams]",
    ]);
  });
});
