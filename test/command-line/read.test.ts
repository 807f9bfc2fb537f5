import type { ChildProcess } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS, type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/index.ts";
import {
  catalog,
  createFolder,
  errors,
  type Message,
  type RunOptions,
  records,
  runBin,
  states,
  statuses,
} from "./bin.ts";
import { runWarm } from "./warm-bin.ts";

const ALL: [string][] = [["survey_responses"], ["respondent_responses"], ["respondent_attributes"]];

let folder: Awaited<ReturnType<typeof createFolder>>;
let sandbox: Sandbox | undefined;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder.remove());
afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
});

const surveys = (count: number, ...ids: string[]): NonNullable<SandboxOptions["surveys"]> =>
  ids.map((id, at) => ({
    id,
    responses: {
      seed: 7 + at,
      count,
      density: "even",
      from: "2025-01-01T00:00:00.000000Z",
      to: "2026-09-30T00:00:00.000000Z",
      respondents: Math.ceil(count / 4),
    },
  }));

/** Reads from a sandbox that is made for this, or from the one before. */
async function read(
  options: SandboxOptions | undefined,
  streams: ReturnType<typeof catalog>,
  settings: object = {},
  state?: unknown,
  running?: RunOptions,
) {
  if (options) sandbox = await startSandbox(options);
  const { url, apiKey, service } = sandbox!;
  service.resetStats();
  const config = { base_url: url, api_key: apiKey, survey_ids: service.truth.surveyIds(), ...settings };
  const words = [
    ...["read", "--config", await folder.file("config.json", config)],
    ...["--catalog", await folder.file("catalog.json", streams)],
    ...(state === undefined ? [] : ["--state", await folder.file("state.json", state)]),
  ];
  return running ? runBin(words, running) : runWarm(words);
}

const uuids = (rows: readonly { uuid: string }[]): string[] => rows.map(({ uuid }) => uuid).sort();
const trueUuids = (): string[] => {
  const { truth } = sandbox!.service;
  return truth
    .surveyIds()
    .flatMap((id) => [...truth.responses(id)].map(({ uuid }) => uuid))
    .sort();
};
const trueAttributes = (): string[] => {
  const { truth } = sandbox!.service;
  const people = new Set(truth.surveyIds().flatMap((id) => [...truth.respondents(id)]));
  return [...people]
    .flatMap((uuid) => (truth.attributes(uuid) ?? []).map(({ id }) => `${uuid} ${id}`))
    .sort();
};
const attributeKeys = (messages: readonly Message[]): string[] =>
  records(messages, "respondent_attributes")
    .map(({ respondent_uuid, id }) => `${respondent_uuid} ${id}`)
    .sort();
/** The STATE messages as the platform gives them back. */
const lastStates = (messages: readonly Message[]) =>
  ALL.flatMap(([name]) => states(messages, name).slice(-1));

/** Nothing refused, nothing malformed, each respondent asked once for each stream. */
function expectPolite(): void {
  const { stats } = sandbox!.service;
  expect(stats.malformedRequests).toEqual([]);
  expect(stats.byStatus[429] ?? 0).toBe(0);
  expect(stats.maxConcurrent).toBeLessThanOrEqual(5);
}

describe("read", () => {
  it.each(Object.entries(DIALECTS))(
    "delivers everything once, of all streams, from a service that speaks %s",
    async (_, choices) => {
      const { code, messages, stderr } = await read(
        { surveys: surveys(230, "a", "b/ü"), choices },
        catalog(...ALL),
      );
      expect(errors(messages)).toEqual([]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(uuids(records(messages, "survey_responses"))).toEqual(trueUuids());
      expect(uuids(records(messages, "respondent_responses"))).toEqual(trueUuids());
      expect(attributeKeys(messages)).toEqual(trueAttributes());
      expectPolite();
    },
  );

  it("writes for each stream STARTED, RUNNING, states that count exactly, a last state, COMPLETE", async () => {
    const { messages } = await read({ surveys: surveys(1050, "a", "empty") }, catalog(...ALL));
    for (const [name] of ALL) {
      expect(statuses(messages, name)).toEqual(["STARTED", "RUNNING", "COMPLETE"]);
      const counted = states(messages, name).reduce((sum, state) => sum + state.sourceStats.recordCount, 0);
      expect(counted).toBe(records(messages, name).length);
      const own = messages.filter(
        ({ type, record, state, trace }) =>
          (type === "RECORD" && record.stream === name) ||
          (type === "STATE" && state.stream.stream_descriptor.name === name) ||
          (type === "TRACE" && trace.stream_status?.stream_descriptor.name === name),
      );
      expect(own.slice(-2).map(({ type }) => type)).toEqual(["STATE", "TRACE"]);
    }
    expect(states(messages, "survey_responses").length).toBeGreaterThan(2);
  });

  it("reads only what is new from the state of the run before, and the edge again", async () => {
    const first = await read({ surveys: surveys(120, "a", "b") }, catalog(...ALL));
    const before = trueUuids();
    const collected = ["a", "b"].flatMap((id) => sandbox!.service.collect(id, 4));
    const second = await read(
      undefined,
      catalog(...ALL),
      { lookback_window: "PT0S" },
      lastStates(first.messages),
    );
    const came = uuids(records(second.messages, "survey_responses"));
    expect(second.code).toBe(0);
    expect(came.filter((uuid) => !before.includes(uuid))).toEqual(collected.sort());
    expect(came.length - collected.length).toBeGreaterThanOrEqual(1);
    expect(came.length - collected.length).toBeLessThanOrEqual(6);
    expect(sandbox!.service.stats.byEndpoint).toMatchObject({ survey_responses: 2 });
    const responders = sandbox!.service.stats.byEndpoint as Record<string, number>;
    expect(responders.respondent_responses).toBeLessThanOrEqual(came.length);
  });

  it("finds with the lookback what came late, and not without", async () => {
    const late = async (lookback: string): Promise<boolean> => {
      const first = await read({ surveys: surveys(50, "a") }, catalog(["survey_responses"]));
      const [uuid] = sandbox!.service.collect("a", { count: 1, lateByMs: 300_000 });
      const settings = { lookback_window: lookback };
      const second = await read(
        undefined,
        catalog(["survey_responses"]),
        settings,
        lastStates(first.messages),
      );
      await sandbox!.close();
      return uuids(records(second.messages, "survey_responses")).includes(uuid!);
    };
    expect(await late("PT10M")).toBe(true);
    expect(await late("PT1M")).toBe(false);
  });

  it("goes on where a killed run stopped, whatever the moment", async () => {
    sandbox = await startSandbox({ surveys: surveys(4000, "a"), latencyMs: 2 });
    const { url, apiKey } = sandbox;
    const config = await folder.file("config.json", { base_url: url, api_key: apiKey, survey_ids: ["a"] });
    const streams = await folder.file("catalog.json", catalog(["survey_responses"]));
    const killed = await runBin(["read", "--config", config, "--catalog", streams], {
      onOutput: (child, soFar) => {
        if ((soFar.match(/"type":"STATE"/g) ?? []).length >= 2) child.kill("SIGKILL");
      },
    });
    expect(killed.signal).toBe("SIGKILL");
    const delivered = uuids(records(killed.messages, "survey_responses"));
    expect(delivered.length).toBeLessThan(4000);
    const lines = killed.stdout.split("\n").filter((line) => line.startsWith('{"type":"STATE"'));
    const state = await folder.file("state.jsonl", lines.join("\n"));
    sandbox.service.resetStats();
    const resumed = await runBin(["read", "--config", config, "--catalog", streams, "--state", state]);
    expect(resumed.code).toBe(0);
    const rest = uuids(records(resumed.messages, "survey_responses"));
    expect([...new Set([...delivered, ...rest])].sort()).toEqual(trueUuids());
    expect(rest.length).toBeLessThan(4000);
    expect(new Set(rest).size).toBe(rest.length);
  });

  it("ends a stream incomplete, and the others too, over a survey that is not there, and reads the rest", async () => {
    const settings = { survey_ids: ["a", "gone"] };
    const { code, messages } = await read({ surveys: surveys(120, "a") }, catalog(...ALL), settings);
    expect(code).toBe(1);
    for (const [name] of ALL) expect(statuses(messages, name)).toEqual(["STARTED", "RUNNING", "INCOMPLETE"]);
    expect(uuids(records(messages, "survey_responses"))).toEqual(trueUuids());
    expect(attributeKeys(messages)).toEqual(trueAttributes());
    expect(errors(messages)).toHaveLength(3);
    expect(errors(messages)[0]).toEqual({
      message:
        'Survey "gone" was not found (status 404). Remove it from survey_ids or correct the id. This does not affect the other surveys.',
      internal_message: "config/not_found",
      failure_type: "config_error",
      stream_descriptor: { name: "survey_responses" },
    });
  });

  it("counts respondents that are gone as deleted after a second answer, and stays complete", async () => {
    sandbox = await startSandbox({ surveys: surveys(60, "a") });
    const { service } = sandbox;
    const [gone = ""] = service.truth.respondents("a");
    service.remove({ respondents: [gone] });
    const asked = () => service.stats.byPath[`/v2/respondents/${gone}/attributes`];
    // A first read asks once more after a minute. One that is stopped before leaves it to the next.
    let watch: ReturnType<typeof setInterval> | undefined;
    let written = "";
    const stopOnceAllAnswered = (child: ChildProcess, soFar: string): void => {
      written = soFar;
      watch ??= setInterval(() => {
        const records = written.split('"type":"RECORD"').length - 1;
        if (asked() === 1 && records >= trueAttributes().length) child.kill("SIGTERM");
      }, 300);
    };
    const streams = catalog(["respondent_attributes"]);
    const first = await read(undefined, streams, {}, undefined, { onOutput: stopOnceAllAnswered });
    clearInterval(watch);
    expect([first.signal, asked()]).toEqual(["SIGTERM", 1]);
    expect(attributeKeys(first.messages)).toEqual(trueAttributes());
    const second = await read(undefined, streams, {}, lastStates(first.messages));
    expect(second.stdout).toContain("1 respondent was not found twice (status 404), while others were found");
    expect([second.code, asked()]).toEqual([0, 1]);
    const third = await read(undefined, streams, {}, lastStates(second.messages));
    expect(third.stdout).not.toContain("not found");
    expect([third.code, asked()]).toEqual([0, undefined]);
    for (const { messages } of [second, third])
      expect(statuses(messages, "respondent_attributes").at(-1)).toBe("COMPLETE");
  });

  it("leaves respondents open whose response is new, and asks for them once in each sync", async () => {
    sandbox = await startSandbox({ surveys: surveys(60, "a") });
    const { service } = sandbox;
    const respondent_uuid = "00000000-0000-4000-8000-00000000000b";
    const collected_at = new Date(Date.now() - 60_000).toISOString().replace("Z", "000Z");
    service.collect("a", [{ collected_at, respondent_uuid }]);
    service.addFaults({ on: `/respondents/${respondent_uuid}/`, reply: "status_404" });
    const streams = catalog(["respondent_responses"]);
    let state: unknown;
    for (let sync = 0; sync < 2; sync++) {
      const { code, stdout, messages } = await read(undefined, streams, {}, state);
      expect(stdout).toContain("It stays open in the state, and the next sync tries again.");
      expect([code, service.stats.byPath[`/v2/respondents/${respondent_uuid}/responses`]]).toEqual([0, 1]);
      state = lastStates(messages);
    }
  });

  it("keeps to start and end date, both inclusive, and to the named attributes", async () => {
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000000Z`;
    const attributes = [
      { name: "plan", value: "pro" },
      { name: "seats", value: "3" },
    ];
    const { messages } = await read(
      {
        surveys: [
          { id: "a", responses: [0, 1, 2, 3, 4].map((minute) => ({ collected_at: at(minute), attributes })) },
        ],
      },
      catalog(["survey_responses"]),
      { start_date: at(1), end_date: "2026-01-01T00:03:00Z", attributes: ["plan"] },
    );
    const rows = records(messages, "survey_responses");
    expect(rows.map(({ collected_at }) => collected_at)).toEqual([at(3), at(2), at(1)]);
    expect(rows.map((row) => row.attributes)).toEqual(Array(3).fill([{ name: "plan", value: "pro" }]));
  });

  it("reads a full refresh from the beginning whatever the state, and resumes one that was not finished", async () => {
    const streams = catalog(["survey_responses", "full_refresh"]);
    const first = await read({ surveys: surveys(100, "a") }, streams);
    expect(
      states(first.messages, "survey_responses").at(-1).stream.stream_state.full_refresh,
    ).toBeUndefined();
    const again = await read(undefined, streams, {}, lastStates(first.messages));
    expect(uuids(records(again.messages, "survey_responses"))).toEqual(trueUuids());
    const [state] = lastStates(first.messages);
    state.stream.stream_state.full_refresh = true;
    const resumed = await read(undefined, streams, {}, [state]);
    expect(records(resumed.messages, "survey_responses").length).toBeLessThan(50);
  });

  it("reads nothing and keeps one state from a state of the far future", async () => {
    const state = [
      {
        type: "STREAM",
        stream: {
          stream_descriptor: { name: "survey_responses" },
          stream_state: { version: 1, surveys: { a: [[null, "2999-01-01T00:00:00.000000Z"]] } },
        },
      },
    ];
    const { code, messages } = await read(
      { surveys: surveys(100, "a") },
      catalog(["survey_responses"]),
      {},
      state,
    );
    expect(errors(messages)).toEqual([]);
    expect([
      code,
      records(messages, "survey_responses"),
      states(messages, "survey_responses").length,
    ]).toEqual([0, [], 1]);
  });

  it("takes a hand-written collected_at for everything up to there", async () => {
    const state = [
      {
        type: "STREAM",
        stream: {
          stream_descriptor: { name: "survey_responses" },
          stream_state: { collected_at: "2026-01-01T00:02:00Z" },
        },
      },
    ];
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000000Z`;
    const { messages } = await read(
      { surveys: [{ id: "a", responses: [1, 2, 3].map((minute) => ({ collected_at: at(minute) })) }] },
      catalog(["survey_responses"]),
      { lookback_window: "PT0S" },
      state,
    );
    expect(records(messages, "survey_responses").map(({ collected_at }) => collected_at)).toEqual([
      at(3),
      at(2),
    ]);
  });

  it.each([
    ["nonsense", "it is neither one JSON document nor JSON lines (line 1)"],
    [[{ type: "GLOBAL", global: {} }], "a state of type GLOBAL in it is not a state of one stream"],
    [[{ type: "STREAM", stream: { stream_state: {} } }], "a state does not name its stream"],
    [
      [
        {
          stream: {
            stream_descriptor: { name: "survey_responses" },
            stream_state: { version: 2, surveys: {} },
          },
        },
      ],
      "its version is 2, and this program reads version 1",
    ],
    [
      [
        {
          stream: {
            stream_descriptor: { name: "survey_responses" },
            stream_state: { version: 1, surveys: { a: [["x", "y"]] } },
          },
        },
      ],
      "is not a pair of times",
    ],
  ])("refuses the broken state %j, and reads nothing", async (state, sentence) => {
    const { code, messages } = await read(
      { surveys: surveys(10, "a") },
      catalog(["survey_responses"]),
      {},
      state,
    );
    expect(code).toBe(1);
    expect(errors(messages)[0]).toMatchObject({ failure_type: "config_error" });
    expect(errors(messages)[0].message).toContain(sentence);
    expect(sandbox!.service.stats.requests).toBe(0);
  });

  it("tells a stream that it does not have, and reads the others", async () => {
    const { code, messages } = await read(
      { surveys: surveys(10, "a") },
      catalog(["surveys"], ["survey_responses"]),
    );
    expect(code).toBe(1);
    expect(errors(messages)).toMatchObject([
      { failure_type: "config_error", stream_descriptor: { name: "surveys" } },
    ]);
    expect(statuses(messages, "surveys")).toEqual(["INCOMPLETE"]);
    expect(statuses(messages, "survey_responses")).toEqual(["STARTED", "RUNNING", "COMPLETE"]);
  });

  it("reads respondents that only the configuration names", async () => {
    sandbox = await startSandbox({ surveys: surveys(80, "a") });
    const [person = ""] = sandbox.service.truth.respondents("a");
    const settings = { survey_ids: [], respondent_uuids: [person] };
    const first = await read(undefined, catalog(...ALL), settings);
    const theirs = sandbox.service.truth.responsesOf(person).map(({ uuid }) => uuid);
    expect(first.code).toBe(0);
    expect(uuids(records(first.messages, "respondent_responses"))).toEqual(theirs.sort());
    const attributes = records(first.messages, "respondent_attributes");
    expect(attributes.length).toBeGreaterThan(0);
    for (const { collected_at } of attributes) {
      expect(collected_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
      expect(Math.abs(Date.now() - Date.parse(collected_at))).toBeLessThan(60_000);
    }
    const [state] = states(first.messages, "respondent_responses").slice(-1);
    const { configured_respondents: read_to } = state.stream.stream_state;
    expect(Math.abs(Date.now() - Date.parse(read_to.collected_at))).toBeLessThan(60_000);
    expect(JSON.stringify(lastStates(first.messages))).not.toContain(person);
    const second = await read(undefined, catalog(...ALL), settings, lastStates(first.messages));
    expect(records(second.messages, "respondent_responses").length).toBeLessThanOrEqual(3);
  });

  it("never lets a link lead anywhere else, and says so", async () => {
    const elsewhere = await startSandbox({ surveys: surveys(10, "a") });
    try {
      const { code, messages } = await read(
        {
          surveys: surveys(100, "a"),
          faults: [
            {
              on: "survey_responses",
              nth: 1,
              reply: { kind: "link", to: `${elsewhere.url}/surveys/a/responses` },
            },
          ],
        },
        catalog(["survey_responses"]),
      );
      expect(code).toBe(1);
      expect(errors(messages)[0].message).toMatch(
        /^The service sent a link to the next page that leads to another list/,
      );
      expect(records(messages, "survey_responses")).toHaveLength(100);
      expect(elsewhere.service.stats.requests).toBe(0);
    } finally {
      await elsewhere.close();
    }
  });
});

describe("a respondent whom the configuration spells in capitals", () => {
  it("is read once, as the service writes them", async () => {
    sandbox = await startSandbox({ surveys: surveys(80, "a") });
    const [person = ""] = sandbox.service.truth.respondents("a");
    const settings = { respondent_uuids: [person.toUpperCase()] };
    const { messages } = await read(undefined, catalog(["respondent_attributes"]), settings);
    const paths = Object.keys(sandbox.service.stats.byPath).filter((path) =>
      path.toLowerCase().includes(person),
    );
    expect(paths).toEqual([`/v2/respondents/${person}/attributes`]);
    expect(messages.length).toBeGreaterThan(0);
  });
});
