import { describe, expect, it } from "vitest";
import type { Sandbox, SandboxOptions } from "../../../sandbox/index.ts";
import {
  catalog,
  type Ended,
  errors,
  lastStates,
  records,
  runWarm,
  states,
  statuses,
  warnings,
} from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, sandboxForTest, surveyOf } from "../../support/sandbox.ts";

const folder = testFolder();
let sandbox: Sandbox;

const surveys = (count: number, ...ids: string[]): NonNullable<SandboxOptions["surveys"]> =>
  ids.map((id, at) => surveyOf(id, count, { seed: 7 + at, respondents: Math.ceil(count / 4) }));

/** Reads from a sandbox that is made for this, or from the one before. */
async function read(
  options: SandboxOptions | undefined,
  streams: ReturnType<typeof catalog>,
  settings: object = {},
  state?: unknown,
) {
  if (options) sandbox = await sandboxForTest(options);
  sandbox.service.resetStats();
  const config = configOf(sandbox, settings);
  return runWarm(await folder.words("read", { config, catalog: streams, state }));
}

describe("read", () => {
  it("keeps to start and end date, both inclusive, and to the named attributes", async () => {
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000000Z`;
    const attributes = [
      { name: "plan", value: "pro" },
      { name: "seats", value: "3" },
    ];
    const responses = [0, 1, 2, 3, 4].map((minute) => ({ collected_at: at(minute), attributes }));
    const settings = { start_date: at(1), end_date: "2026-01-01T00:03:00Z", attributes: ["plan"] };
    const { messages } = await read(
      { surveys: [{ id: "a", responses }] },
      catalog("survey_responses"),
      settings,
    );
    const rows = records(messages, "survey_responses");
    expect(rows.map(({ collected_at }) => collected_at)).toEqual([at(3), at(2), at(1)]);
    expect(rows.map((row) => row.attributes)).toEqual(Array(3).fill([{ name: "plan", value: "pro" }]));
  });

  it("reads a full refresh from the beginning whatever the state, and resumes one that was not finished", async () => {
    const streams = catalog(["survey_responses", "full_refresh"]);
    const first = await read({ surveys: surveys(100, "a") }, streams);
    const last = states(first.messages, "survey_responses").at(-1);
    expect(last.stream.stream_state.full_refresh).toBeUndefined();
    const again = await read(undefined, streams, {}, lastStates(first.messages));
    expect(records(again.messages, "survey_responses")).toHaveLength(100);
    const [state] = lastStates(first.messages);
    state.stream.stream_state.full_refresh = true;
    const resumed = await read(undefined, streams, {}, [state]);
    expect(records(resumed.messages, "survey_responses").length).toBeLessThan(50);
  });

  it("refuses a state that cannot be used, and reads nothing", async () => {
    const stream_state = { version: 1, surveys: { a: [["x", "y"]] } };
    const state = [{ stream: { stream_descriptor: { name: "survey_responses" }, stream_state } }];
    const streams = catalog("survey_responses");
    const { code, messages } = await read({ surveys: surveys(10, "a") }, streams, {}, state);
    expect(code).toBe(1);
    expect(errors(messages)).toMatchObject([
      { failure_type: "config_error", message: expect.stringContaining("is not a pair of times") },
    ]);
    expect(sandbox.service.stats.requests).toBe(0);
  });

  it.each([
    ["survey_responses, survey_answers", "respondent_responses"],
    ["survey_responses, survey_answers", "survey_response"],
    ["survey_answers", "survey_responses"],
  ])("warns of a state file without the streams %s: it has %s", async (missing, name) => {
    const state = [{ type: "STREAM", stream: { stream_descriptor: { name }, stream_state: {} } }];
    // One that each sync reads whole needs no state.
    const streams = catalog("survey_responses", "survey_answers", "surveys");
    const { code, messages } = await read({ surveys: surveys(5, "a") }, streams, {}, state);
    expect(code).toBe(0);
    expect(warnings(messages)).toEqual([
      `A stream without a state is read from its start, and the state file (--state) has none for: ${missing}. Pass the last state of every stream, under its name, unless it is new in the catalog. [state_missing]`,
    ]);
    const full = catalog(["survey_responses", "full_refresh"]);
    expect(warnings((await read(undefined, full, {}, state)).messages)).toEqual([]);
  });

  it("reads nothing for a start date in the future, or a catalog without a stream, and says why", async () => {
    const settings = { start_date: "2999-01-01T00:00:00Z" };
    const future = await read({ surveys: surveys(5, "a") }, catalog("survey_responses"), settings);
    const none = await read(undefined, catalog());
    expect(warnings(future.messages)).toEqual([expect.stringContaining("[doubtful_setting]")]);
    expect(warnings(none.messages)).toEqual([expect.stringContaining("[nothing_to_read]")]);
    for (const { code, messages } of [future, none])
      expect([code, records(messages, "survey_responses")]).toEqual([0, []]);
  });

  it("reads every listed survey but those that are excluded", async () => {
    const settings = { survey_ids: [], excluded_survey_ids: ["c"] };
    const { code, messages } = await read(
      { surveys: surveys(5, "a", "b", "c") },
      catalog("survey_responses"),
      settings,
    );
    expect([code, warnings(messages)]).toEqual([0, []]);
    const readFrom = records(messages, "survey_responses").map(({ survey_id }) => survey_id);
    expect(readFrom.toSorted()).toEqual([..."aaaaabbbbb"]);
  });

  it("reads survey streams of the chosen surveys, and respondent streams of the chosen respondents", async () => {
    const streams = ["survey_responses", "respondent_responses", "respondent_attributes"] as const;
    const service = { surveys: surveys(60, "a", "b") };
    const all = await read(service, catalog(...streams));
    const [somebody] = records(all.messages, "respondent_responses").map((each) => each.respondent_uuid);
    const settings = { respondent_uuids: [somebody] };
    const of = ({ messages }: Ended, stream: string, name: string) =>
      records(messages, stream).map((record) => String(record[name]));
    for (const [survey_ids, read_] of [
      [[], "ab"],
      [["b"], "b"],
    ] as const) {
      const ended = await read(service, catalog(...streams), { ...settings, survey_ids });
      expect([ended.code, warnings(ended.messages)]).toEqual([0, []]);
      expect([...new Set(of(ended, "survey_responses", "survey_id"))].toSorted().join("")).toBe(read_);
      for (const stream of ["respondent_responses", "respondent_attributes"]) {
        const due = records(all.messages, stream).filter((each) => each.respondent_uuid === somebody);
        expect(due.length).toBeGreaterThan(0);
        expect(of(ended, stream, "respondent_uuid")).toEqual(due.map(() => somebody));
      }
    }
  });

  it("tells a stream that it does not have, by a quotation: short, on one line, without the key", async () => {
    const apiKey = "PLANTED-k3y-9f2c";
    const names = ["answers", "\u0007".repeat(300), "a\u202eb\nc", `key ${apiKey}`];
    const chosen = catalog(...names);
    const { code, messages, stdout } = await read({ apiKey, surveys: surveys(5, "a") }, chosen);
    expect(code).toBe(1);
    const shown = ["answers", `${"\\u0007".repeat(49)}…`, "a\\u202eb\\nc", "key ****"];
    expect(errors(messages).map((error) => error.stream_descriptor.name)).toEqual(shown);
    for (const name of shown) expect(statuses(messages, name)).toEqual(["INCOMPLETE"]);
    expect(stdout).not.toContain(apiKey);
  });
});

it("reads the named streams without a catalog", async () => {
  sandbox = await sandboxForTest({ surveys: surveys(30, "a") });
  const words = await folder.words("read", { config: configOf(sandbox) });
  const { code, messages } = await runWarm([...words, "--streams", "survey_responses,surveys"]);
  expect(code).toBe(0);
  expect(records(messages, "survey_responses")).toHaveLength(30);
  expect([...lastStates(messages).keys()].length).toBe(2);
});
