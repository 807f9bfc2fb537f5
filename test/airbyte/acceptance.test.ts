import { Ajv } from "ajv";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { catalogStreams } from "../../connector/airbyte/catalog.ts";
import { STREAMS, type StreamName } from "../../connector/core/index.ts";
import {
  exampleSurveys,
  type Sandbox,
  type SurveyOptions,
  startSandbox,
  type TrueResponse,
} from "../../sandbox/index.ts";
import { expectedKeys, keyOf, keysByDefinition, WITH_CURSOR } from "../../scripts/expected-keys.ts";
import {
  catalog,
  createFolder,
  type Ended,
  errors,
  type Message,
  records,
  states,
  statuses,
} from "../command-line/bin.ts";
import { runWarm } from "../command-line/warm-bin.ts";

/*
 * What Airbyte's acceptance tests ask of a source, as tests that name the rule. The suite that runs Airbyte's own
 * code (npm run test:pyairbyte) asks for less: these also hold what the platform does with what it is given.
 */

/** The others are read whole each time: see snapshots.test.ts. */
const names = WITH_CURSOR;

let folder: Awaited<ReturnType<typeof createFolder>>;
let sandbox: Sandbox;

beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder.remove());
afterEach(() => sandbox.close());

/** Starts a service with two surveys of this many responses, and returns how to read it. */
async function service(count: number, settings: object = {}, respondents = Math.ceil(count / 3)) {
  const surveys = exampleSurveys(count, 7, 2).map((survey) => ({
    ...survey,
    responses: { ...survey.responses, respondents } as SurveyOptions["responses"],
  }));
  sandbox = await startSandbox({ surveys, limits: false });
  const config = await folder.file("config.json", {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
    attributes: ["plan", "email"],
    ...settings,
  });
  return async (syncMode: "full_refresh" | "incremental", state?: unknown): Promise<Ended> =>
    runWarm([
      ...["read", "--config", config],
      ...[
        "--catalog",
        await folder.file(
          "catalog.json",
          catalog(...names.map((name): [string, typeof syncMode] => [name, syncMode])),
        ),
      ],
      ...(state === undefined ? [] : ["--state", await folder.file("state.json", state)]),
    ]);
}

const keys = (messages: readonly Message[], stream: StreamName) =>
  records(messages, stream).map((record) => keyOf(record, STREAMS[stream].primaryKey));
const areAttributes = (stream: StreamName): boolean => STREAMS[stream].reads === "respondent attributes";
/** A record as each reading gives it: an attribute's `collected_at` is the time of its reading. */
const lasting = (stream: StreamName, record: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(areAttributes(stream) ? { ...record, collected_at: "read" } : record);
const lastStates = (messages: readonly Message[]) =>
  names.flatMap((name) => states(messages, name).slice(-1));

/** The schema with every object closed, so that a field it does not name is a fault: the platform would drop it. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return "properties" in copy ? { ...copy, additionalProperties: false } : copy;
}

describe("discovery", () => {
  test.each(catalogStreams().map((stream) => [stream.name, stream] as const))(
    "%s keeps the rules of a catalog",
    async (_, stream) => {
      sandbox = await startSandbox();
      const hasCursor = (names as string[]).includes(stream.name);
      expect(stream.supported_sync_modes).toEqual(["full_refresh", ...(hasCursor ? ["incremental"] : [])]);
      expect([stream.source_defined_cursor ?? false, stream.is_resumable]).toEqual([hasCursor, hasCursor]);
      const { properties = {}, ...schema } = stream.json_schema as {
        properties?: Record<string, { type: unknown }>;
      };
      expect(schema).toMatchObject({ type: "object", additionalProperties: true });
      for (const [key] of stream.source_defined_primary_key)
        expect(["string", "integer"]).toContain(properties[key!]?.type);
      if (!hasCursor) expect(stream).not.toHaveProperty("default_cursor_field");
      else
        expect(properties[stream.default_cursor_field![0]!]).toMatchObject({
          format: "date-time",
          airbyte_type: "timestamp_with_timezone",
        });
    },
  );

  test("no schema holds a reference, a combination or a false additionalProperties; every field is described", async () => {
    sandbox = await startSandbox();
    const visit = (node: Record<string, unknown>, path: string): void => {
      for (const keyword of ["$ref", "allOf", "anyOf", "oneOf", "not", "enum"])
        expect(node, path).not.toHaveProperty(keyword);
      expect(node.additionalProperties, path).not.toBe(false);
      const types = [node.type].flat();
      // In place of an answer, anything may be; all else is of one type, which every destination can store.
      const isAnswer = /\.answers\[\]\.(answer|answers|fields|action_performed)\b/.test(path);
      if (isAnswer) expect(types.length, path).toBeGreaterThan(5);
      else expect(types.length - Number(types.includes("null")), path).toBe(1);
      expect(node.description, path).toMatch(/^[A-Z].*\.$/);
      for (const [name, field] of Object.entries(node.properties ?? {})) visit(field, `${path}.${name}`);
      if (node.items !== undefined) visit(node.items as Record<string, unknown>, `${path}[]`);
    };
    for (const { name, json_schema } of catalogStreams()) visit(json_schema, name);
  });
});

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

  test("a state of a finished one does not shorten the next", async () => {
    const read = await service(100);
    const first = await read("full_refresh");
    const second = await read("full_refresh", lastStates(first.messages));
    for (const name of names) {
      expect(keys(second.messages, name).toSorted()).toEqual(keys(first.messages, name).toSorted());
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
    for (const name of names) {
      const again = keys(second.messages, name);
      const theirs = keysByDefinition(STREAMS[name], truth, isTheirs);
      expect(again, name).toEqual(expect.arrayContaining(keysByDefinition(STREAMS[name], truth, isNewest)));
      if (STREAMS[name].reads === "survey responses")
        expect(again.toSorted(), name).toEqual(keysByDefinition(STREAMS[name], truth, isNewest).toSorted());
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

  test("a state of the far future brings no records, and one state for each stream", async () => {
    const read = await service(100);
    const future = names.map((name) => ({
      type: "STREAM",
      stream: { stream_descriptor: { name }, stream_state: { collected_at: "2999-01-01T00:00:00.000000Z" } },
    }));
    const { messages, code } = await read("incremental", future);
    expect(code).toBe(0);
    expect(messages.filter(({ type }) => type === "RECORD")).toEqual([]);
    for (const name of names) expect(states(messages, name)).toHaveLength(1);
  });

  test("a state reads the same whether it is given as an array, as messages, or with nulls beside it", async () => {
    const read = await service(100, { lookback_window: "PT0S" });
    const first = await read("incremental");
    const given = lastStates(first.messages);
    const withNulls = given.map((state) => ({
      ...state,
      global: null,
      data: null,
      stream: { ...state.stream, stream_descriptor: { ...state.stream.stream_descriptor, namespace: null } },
    }));
    const asMessages = given.map((state) => JSON.stringify({ type: "STATE", state })).join("\n");
    const counts = [];
    for (const state of [given, withNulls, asMessages]) {
      const { messages } = await read("incremental", state);
      counts.push(names.map((name) => records(messages, name).length));
    }
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[2]).toEqual(counts[0]);
    const all = first.messages.filter(({ type }) => type === "RECORD").length;
    expect(counts[0]!.reduce((sum, count) => sum + count)).toBeLessThan(all / 4);
  });
});

describe("a bad catalog", () => {
  test("is reported in an error message, with a code that is not zero", async () => {
    sandbox = await startSandbox();
    const config = await folder.file("config.json", {
      base_url: sandbox.url,
      api_key: sandbox.apiKey,
      survey_ids: sandbox.service.truth.surveyIds(),
    });
    const bad = catalog(["a_stream_that_is_not_there"]);
    const { messages, code } = await runWarm([
      "read",
      "--config",
      config,
      "--catalog",
      await folder.file("bad.json", bad),
    ]);
    expect(code).toBe(1);
    expect(errors(messages)).toMatchObject([
      { failure_type: "config_error", message: expect.stringContaining("a_stream_that_is_not_there") },
    ]);
  });
});
