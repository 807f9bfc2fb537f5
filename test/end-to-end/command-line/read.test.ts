import { afterEach, describe, expect, it } from "vitest";
import {
  DIALECTS,
  type DialectName,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from "../../../sandbox/index.ts";
import {
  catalog,
  errors,
  lastStates,
  type Message,
  records,
  runWarm,
  states,
  statuses,
  warnings,
} from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { surveyOf } from "../../support/sandbox.ts";

const ALL: [string][] = [["survey_responses"], ["respondent_responses"], ["respondent_attributes"]];

const folder = testFolder();
let sandbox: Sandbox | undefined;
afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
});

const surveys = (count: number, ...ids: string[]): NonNullable<SandboxOptions["surveys"]> =>
  ids.map((id, at) => surveyOf(id, count, { seed: 7 + at, respondents: Math.ceil(count / 4) }));

/** Reads from a sandbox that is made for this, or from the one before. */
async function read(
  options: SandboxOptions | undefined,
  streams: ReturnType<typeof catalog>,
  settings: object = {},
  state?: unknown,
) {
  if (options) sandbox = await startSandbox(options);
  const { url, apiKey, service } = sandbox!;
  service.resetStats();
  const config = { base_url: url, api_key: apiKey, survey_ids: service.truth.surveyIds(), ...settings };
  return runWarm(await folder.words("read", { config, catalog: streams, state }));
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
/** Nothing refused, nothing malformed, each respondent asked once for each stream. */
function expectPolite(): void {
  const { stats } = sandbox!.service;
  expect(stats.malformedRequests).toEqual([]);
  expect(stats.byStatus[429] ?? 0).toBe(0);
  expect(stats.maxConcurrent).toBeLessThanOrEqual(5);
}

describe("read", () => {
  it.each(Object.keys(DIALECTS) as DialectName[])(
    "delivers everything once, of all streams, from a service that speaks %s",
    async (dialect) => {
      const { code, messages, stderr } = await read(
        { surveys: surveys(230, "a", "b/ü"), dialect },
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

  it("refuses a state that cannot be used, and reads nothing", async () => {
    const stream_state = { version: 1, surveys: { a: [["x", "y"]] } };
    const state = [{ stream: { stream_descriptor: { name: "survey_responses" }, stream_state } }];
    const { code, messages } = await read(
      { surveys: surveys(10, "a") },
      catalog(["survey_responses"]),
      {},
      state,
    );
    expect(code).toBe(1);
    expect(errors(messages)).toMatchObject([
      { failure_type: "config_error", message: expect.stringContaining("is not a pair of times") },
    ]);
    expect(sandbox!.service.stats.requests).toBe(0);
  });

  it.each([
    ["survey_responses, survey_answers", "respondent_responses"],
    ["survey_responses, survey_answers", "survey_response"],
    ["survey_answers", "survey_responses"],
  ])("warns of a state file without the streams %s: it has %s", async (missing, name) => {
    const state = [{ type: "STREAM", stream: { stream_descriptor: { name }, stream_state: {} } }];
    const streams = catalog(["survey_responses"], ["survey_answers"]);
    const { code, messages } = await read({ surveys: surveys(5, "a") }, streams, {}, state);
    expect([code, warnings(messages)]).toEqual([
      0,
      [
        `A stream without a state is read from its start, and the state file (--state) has none for: ${missing}. Pass the last state of every stream, under its name, unless it is new in the catalog. [state_missing]`,
      ],
    ]);
    const full = catalog(["survey_responses", "full_refresh"]);
    expect(warnings((await read(undefined, full, {}, state)).messages)).toEqual([]);
  });

  it.each([
    [
      "a start date in the future",
      ["survey_responses"],
      { start_date: "2999-01-01T00:00:00Z" },
      "start_date is in the future, so no responses are read until then. Correct it if that is not meant. [start_date_in_future]",
    ],
    [
      "a catalog without a stream",
      [],
      {},
      "The configured catalog (--catalog) selects no stream, so nothing was read. Add each stream that you want to read, as discover prints it. [no_streams]",
    ],
  ])("reads nothing for %s, and says why", async (_, streams, settings, sentence) => {
    const selected = catalog(...streams.map((name): [string] => [name]));
    const { code, messages } = await read({ surveys: surveys(5, "a") }, selected, settings);
    expect([code, warnings(messages), messages.filter(({ type }) => type === "RECORD")]).toEqual([
      0,
      [sentence],
      [],
    ]);
  });

  it("tells a stream that it does not have, and reads the others if there are some", async () => {
    const alone =
      'The configured catalog asks for stream "surveys", which this source does not have. Refresh the source\'s schema, or remove the stream.';
    for (const [streams, message] of [
      [[["surveys"]], alone],
      [[["surveys"], ["survey_responses"]], `${alone} This does not affect the other streams.`],
    ] as const) {
      await sandbox?.close();
      const { code, messages } = await read(
        { surveys: surveys(10, "a") },
        catalog(...streams.map(([name]): [string] => [name])),
      );
      expect(code).toBe(1);
      expect(errors(messages)).toMatchObject([
        { message, failure_type: "config_error", stream_descriptor: { name: "surveys" } },
      ]);
      expect(statuses(messages, "surveys")).toEqual(["INCOMPLETE"]);
      expect(statuses(messages, "survey_responses")).toEqual(
        streams.length === 1 ? [] : ["STARTED", "RUNNING", "COMPLETE"],
      );
    }
  });

  it("names a stream in every message as a quotation: short, on one line, without the key", async () => {
    const apiKey = "PLANTED-k3y-9f2c";
    const names = ["surveys", "\u0007".repeat(300), "a\u202eb\nc", `key ${apiKey}`];
    const chosen = catalog(...names.map((name): [string] => [name]));
    const { messages, stdout } = await read({ apiKey, surveys: surveys(5, "a") }, chosen);
    const traced = (type: string) =>
      messages
        .filter(({ trace }) => trace?.type === type)
        .map(({ trace }) => (trace.error ?? trace.stream_status).stream_descriptor.name);
    const shown = ["surveys", `${"\\u0007".repeat(49)}…`, "a\\u202eb\\nc", "key ****"];
    expect(traced("ERROR")).toEqual(shown);
    expect(traced("STREAM_STATUS")).toEqual(shown);
    expect(stdout).not.toContain(apiKey);
  });
});
