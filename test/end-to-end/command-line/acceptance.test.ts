import { Ajv } from "ajv";
import { afterEach, describe, expect, test } from "vitest";
import { STREAMS, type StreamName } from "../../../connector/core/index.ts";
import {
  exampleSurveys,
  expectedKeys,
  KEYED_STREAMS,
  keyOf,
  type Sandbox,
  type SurveyOptions,
  startSandbox,
  type TrueResponse,
} from "../../../sandbox/index.ts";
import {
  catalog,
  type Ended,
  lastStates,
  type Message,
  records,
  runWarm,
  statuses,
} from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";

/*
 * What Airbyte's acceptance tests ask of a source, as tests that name the rule. The suite that runs Airbyte's own
 * code (.ci/run pyairbyte) asks for less: these also hold what the platform does with what it is given.
 */

/** The others are read whole each time: see snapshots.test.ts. */
const names = KEYED_STREAMS;

const folder = testFolder();
let sandbox: Sandbox;

afterEach(() => sandbox.close());

/** Starts a service with two surveys of this many responses, and returns how to read it. */
async function service(count: number, settings: object = {}, respondents = Math.ceil(count / 3)) {
  const surveys = exampleSurveys(count, 7, 2).map((survey) => ({
    ...survey,
    responses: { ...survey.responses, respondents } as SurveyOptions["responses"],
  }));
  sandbox = await startSandbox({ surveys, limits: false });
  const config = {
    ...{ base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: sandbox.service.truth.surveyIds() },
    ...{ attributes: ["plan", "email"], ...settings },
  };
  return async (syncMode: "full_refresh" | "incremental", state?: unknown): Promise<Ended> => {
    const selected = catalog(...names.map((name): [string, typeof syncMode] => [name, syncMode]));
    return runWarm(await folder.words("read", { config, catalog: selected, state }));
  };
}

const keys = (messages: readonly Message[], stream: StreamName) =>
  records(messages, stream).map((record) => keyOf(record, STREAMS[stream].primaryKey));
const areAttributes = (stream: StreamName): boolean => STREAMS[stream].reads === "respondent attributes";
/** A record as each reading gives it: an attribute's `collected_at` is the time of its reading. */
const lasting = (stream: StreamName, record: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(areAttributes(stream) ? { ...record, collected_at: "read" } : record);
/** The schema with every object closed, so that a field it does not name is a fault: the platform would drop it. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return "properties" in copy ? { ...copy, additionalProperties: false } : copy;
}

describe("basic read", () => {
  test("every stream brings all its records once, and some; each fits the schema, which names all there is", async () => {
    const read = await service(100);
    const { messages, code } = await read("full_refresh");
    expect(code).toBe(0);
    const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
    const ajv = new Ajv({ strict: false, formats: { "date-time": timestamp } });
    const expected = expectedKeys(sandbox.service.truth);
    for (const name of names) {
      const valid = ajv.compile(closed(STREAMS[name].schema) as object);
      expect(keys(messages, name).length, `${name}: the sandbox's data must hold some`).toBeGreaterThan(0);
      expect(keys(messages, name).toSorted(), name).toEqual([...expected.get(name)!].toSorted());
      for (const record of records(messages, name))
        expect(valid(record), `${name} ${JSON.stringify(valid.errors)}`).toBe(true);
    }
  });

  test("every field that the schema names has a value in some record", async () => {
    const read = await service(100);
    const moods = Array.from({ length: 12 }, (_, place) => [`answers.${place}.mood`, "good"]);
    sandbox.service.addFaults({
      on: "any",
      reply: { kind: "items", which: "every", set: { mood: "good", ...Object.fromEntries(moods) } },
    });
    const { messages } = await read("full_refresh");
    for (const name of names) {
      const filled = new Set(
        records(messages, name).flatMap((record) =>
          Object.keys(record).filter((key) => record[key] !== null),
        ),
      );
      expect([...filled].toSorted(), name).toEqual(Object.keys(STREAMS[name].schema.properties).toSorted());
    }
  });

  test.each(["full_refresh", "incremental"] as const)(
    "statuses and states come in order, and counts are exact (%s)",
    async (syncMode) => {
      const read = await service(100);
      const { messages } = await read(syncMode);
      for (const name of names) {
        expect(statuses(messages, name)).toEqual(["STARTED", "RUNNING", "COMPLETE"]);
        const own = messages.filter(
          (message) =>
            message.record?.stream === name ||
            message.state?.stream.stream_descriptor.name === name ||
            message.trace?.stream_status?.stream_descriptor.name === name,
        );
        expect(own.slice(-2).map(({ type }) => type)).toEqual(["STATE", "TRACE"]);
        let since = 0;
        for (const { type, state } of own) {
          if (type === "RECORD") since += 1;
          if (type !== "STATE") continue;
          expect(state.sourceStats.recordCount).toBe(since);
          since = 0;
        }
      }
    },
  );
});

describe("full refresh", () => {
  test("two reads one after the other: all of the first is in the second, record for record, and attributes no older", async () => {
    const read = await service(100);
    const [first, second] = [(await read("full_refresh")).messages, (await read("full_refresh")).messages];
    for (const name of names) {
      const there = new Set(records(second, name).map((record) => lasting(name, record)));
      expect(records(first, name).filter((record) => !there.has(lasting(name, record)))).toEqual([]);
    }
    for (const name of names.filter(areAttributes)) {
      const times = (messages: readonly Message[]): string[] =>
        records(messages, name)
          .map(({ collected_at }) => collected_at)
          .toSorted();
      expect(times(second)[0]! >= times(first).at(-1)!, name).toBe(true);
    }
  });
});

describe("incremental", () => {
  test("a second read from the first one's state brings the newest responses and their people again, and no others", async () => {
    const read = await service(100, { lookback_window: "PT0S" });
    const first = await read("incremental");
    const given = lastStates(first.messages);
    const second = await read("incremental", given);
    expect(second.code).toBe(0);
    const { truth } = sandbox.service;
    const newest = truth.surveyIds().map((id) => [...truth.responses(id)].at(-1)!);
    const isNewest = (response: TrueResponse): boolean =>
      newest.some(({ survey_id, micros }) => response.survey_id === survey_id && response.micros === micros);
    const isTheirs = ({ respondent_uuid }: TrueResponse): boolean =>
      newest.some((each) => each.respondent_uuid === respondent_uuid);
    const [ofNewest, ofTheirs] = [expectedKeys(truth, isNewest), expectedKeys(truth, isTheirs)];
    for (const name of names) {
      const again = keys(second.messages, name);
      const theirs = [...ofTheirs.get(name)!];
      const newestKeys = [...ofNewest.get(name)!];
      expect(again, name).toEqual(expect.arrayContaining(newestKeys));
      if (STREAMS[name].reads === "survey responses")
        expect(again.toSorted(), name).toEqual(newestKeys.toSorted());
      else
        expect(
          again.filter((key) => !theirs.includes(key)),
          name,
        ).toEqual([]);
    }
  });

  test("whichever state a read goes on from, what came before it and what comes then is everything", async () => {
    const read = await service(400, { max_concurrent_requests: 3 }, 40);
    const { messages } = await read("incremental");
    const positions = messages.flatMap(({ type }, at) => (type === "STATE" ? [at] : []));
    expect(positions.length).toBeGreaterThan(names.length);
    const tried = positions.filter((_, at) => at % Math.ceil(positions.length / 4) === 0);
    for (const position of tried) {
      const before = messages.slice(0, position + 1);
      const { messages: after, code } = await read("incremental", lastStates(before));
      expect(code).toBe(0);
      for (const name of names) {
        const both = new Set([...keys(before, name), ...keys(after, name)]);
        expect(
          keys(messages, name).filter((key) => !both.has(key)),
          `${name} from line ${position}`,
        ).toEqual([]);
      }
    }
  }, 300_000);
});
