import { STREAMS } from "@survey-export/core";
import { describe, expect, test } from "vitest";
import { exampleSurveys, type SandboxOptions } from "../../../sandbox/index.ts";
import { kindOf, MESSAGE_DEMANDS, READ_DEMANDS, whatPlatformDoes } from "../../support/airbyte-platform.ts";
import {
  catalog,
  type Ended,
  lastStates,
  type Message,
  runBin,
  runWarm,
  signalAtFirstRecord,
} from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, sandboxForTest } from "../../support/sandbox.ts";

/*
 * What Airbyte's platform demands beyond the schema of its protocol (test/support/airbyte-platform.ts), of real runs that write
 * each kind of message. Every other run of the program in these tests is held to the demands on a message, too: see
 * `messagesOf` in test/support/bin.ts.
 */

const folder = testFolder();
const ALL = Object.keys(STREAMS);

/** A read of a sandbox of its own. */
interface Scenario {
  readonly options?: SandboxOptions;
  readonly settings?: object;
  /** By default, all that there are. */
  readonly streams?: readonly (string | readonly [name: string, syncMode: "full_refresh" | "incremental"])[];
  /** Whether it is a second one, with the states of the first. */
  readonly isSecond?: boolean;
  readonly signal?: NodeJS.Signals;
  readonly code: number | null;
  /** What `kindsIn` must find, so that it tests what it is here for. */
  readonly writes?: readonly string[];
}

const surveys = exampleSurveys(30, 5, 2);
const paused = { kind: "status", status: 429, retryAfter: 1 } as const;
const EVERY_SURVEY = { survey_ids: [] };

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a first sync of every survey": { settings: EVERY_SURVEY, code: 0, writes: ["TRACE ESTIMATE"] },
  "a sync that finds nothing new": { settings: EVERY_SURVEY, isSecond: true, code: 0 },
  "a first sync of named surveys": { code: 0, writes: ["TRACE ESTIMATE"] },
  "a full refresh": {
    settings: EVERY_SURVEY,
    streams: ALL.map((name) => [name, "full_refresh"] as const),
    code: 0,
    writes: ["TRACE ESTIMATE"],
  },
  "surveys without a response": {
    options: { surveys: [{ id: "empty", responses: [] }] },
    settings: EVERY_SURVEY,
    code: 0,
  },
  "a survey that is not there": { settings: { survey_ids: ["none", surveys[0]!.id] }, code: 1 },
  "a stream that is not there": { streams: ["survey_responses", "answers"], code: 1 },
  "a rate limit that is reached": {
    options: { surveys, faults: [{ on: "survey_responses", nth: 1, reply: paused }] },
    code: 0,
    writes: ["RATE_LIMITED"],
  },
  "a key that is refused": { settings: { api_key: "no-such-key" }, code: 1 },
  "a setting that is wrong": { settings: { items_per_page: 0 }, code: 1 },
  "a stop in the middle": {
    options: { surveys: exampleSurveys(400, 5, 2), latencyMs: 20 },
    signal: "SIGTERM",
    code: null,
  },
};

/** The kinds of messages that a run wrote, and the reasons of its statuses. */
const kindsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => [
    kindOf(message),
    ...(message.trace?.stream_status?.reasons ?? []).map(({ type }: { readonly type: string }) => type),
  ]);

async function play({ options = { surveys }, settings, streams = ALL, isSecond, signal }: Scenario) {
  const sandbox = await sandboxForTest({ limits: false, ...options });
  const given = { config: configOf(sandbox, settings), catalog: catalog(...streams) };
  const read = async (state?: unknown): Promise<Ended> => {
    const words = await folder.words("read", { ...given, state });
    return signal ? runBin(words, signalAtFirstRecord(signal)) : runWarm(words);
  };
  const first = await read();
  return isSecond ? read(lastStates(first.messages)) : first;
}

describe("Airbyte's platform takes all that is written by", () => {
  test.each(Object.entries(SCENARIOS))("%s", async (_, scenario) => {
    const { messages, code } = await play(scenario);
    expect(code).toBe(scenario.code);
    expect(kindsIn(messages)).toEqual(expect.arrayContaining([...(scenario.writes ?? [])]));
    expect(messages.map(whatPlatformDoes).filter(Boolean)).toEqual([]);
    const names = (scenario.streams ?? ALL).map((stream) =>
      typeof stream === "string" ? stream : stream[0],
    );
    for (const { demand, isMet } of READ_DEMANDS)
      expect(isMet({ messages, code, streams: names }), demand).toBe(true);
  });

  test.each([
    ["spec", "SPEC", {}],
    ["discover", "CATALOG", {}],
    ["check", "CONNECTION_STATUS", {}],
    ["check", "CONNECTION_STATUS", { api_key: "no-such-key" }],
    ["check", "CONNECTION_STATUS", { items_per_page: 0 }],
  ] as const)("%s: one %s, and the code 0 (%j)", async (command, kind, settings) => {
    const sandbox = await sandboxForTest({ surveys });
    const words =
      command === "spec" ? ["spec"] : await folder.words(command, { config: configOf(sandbox, settings) });
    const { messages, code } = await runWarm(words);
    expect(code).toBe(0);
    expect(messages.filter(({ type }) => type === kind)).toHaveLength(1);
    expect(messages.map(whatPlatformDoes).filter(Boolean)).toEqual([]);
  });
});

/** A message of each kind that the platform takes. */
const VALID: Readonly<Record<string, Message>> = {
  RECORD: {
    type: "RECORD",
    record: {
      stream: "surveys",
      data: { id: "a", collected_at: "2026-01-01T00:00:00.000000Z" },
      emitted_at: 1,
    },
  },
  STATE: {
    type: "STATE",
    state: {
      type: "STREAM",
      stream: { stream_descriptor: { name: "surveys" }, stream_state: { version: 1, surveys: {} } },
      sourceStats: { recordCount: 1 },
    },
  },
  "TRACE ERROR": {
    type: "TRACE",
    trace: {
      type: "ERROR",
      emitted_at: 1,
      error: {
        message: "It failed.",
        failure_type: "config_error",
        internal_message: "config/x",
        stack_trace: "at x",
      },
    },
  },
  "TRACE STREAM_STATUS": {
    type: "TRACE",
    trace: {
      type: "STREAM_STATUS",
      emitted_at: 1,
      stream_status: {
        stream_descriptor: { name: "surveys" },
        status: "RUNNING",
        reasons: [{ type: "RATE_LIMITED", rate_limited: { quota_reset: 2 } }],
      },
    },
  },
  "TRACE ESTIMATE": {
    type: "TRACE",
    trace: {
      type: "ESTIMATE",
      emitted_at: 1,
      estimate: { type: "STREAM", name: "surveys", row_estimate: 264, byte_estimate: 264_000 },
    },
  },
  LOG: { type: "LOG", log: { level: "INFO", message: "Reading" } },
  CONNECTION_STATUS: { type: "CONNECTION_STATUS", connectionStatus: { status: "SUCCEEDED" } },
  SPEC: { type: "SPEC", spec: { connectionSpecification: {}, documentationUrl: "https://example.com" } },
  CATALOG: {
    type: "CATALOG",
    catalog: {
      streams: [
        {
          name: "surveys",
          json_schema: { properties: {} },
          supported_sync_modes: ["full_refresh"],
          default_cursor_field: ["collected_at"],
          source_defined_primary_key: [["id"]],
        },
      ],
    },
  },
};

/** The message with another value at a path. An undefined field is not there. */
function changed(message: Message, path: string, value: unknown): Message {
  const copy = structuredClone(message);
  const names = path.split(".");
  const last = names.pop()!;
  // biome-ignore lint/suspicious/noExplicitAny: a path into a message of any kind
  const place = names.reduce((inside: any, name) => inside[name], copy);
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

describe("each demand", () => {
  test.each(MESSAGE_DEMANDS)("on a message refuses one that breaks it: $of $demand", (demand) => {
    expect(whatPlatformDoes(VALID[demand.of]!)).toBeUndefined();
    const broken = changed(VALID[demand.of]!, ...demand.brokenBy);
    expect(demand.isMet(broken)).toBe(false);
    expect(whatPlatformDoes(broken)).toContain("otherwise");
  });

  const record = VALID.RECORD!;
  const state = VALID.STATE!;
  const error = (emitted_at: number) => changed(VALID["TRACE ERROR"]!, "trace.emitted_at", emitted_at);
  const status = (status: string, name = "surveys") =>
    changed(
      changed(
        changed(VALID["TRACE STREAM_STATUS"]!, "trace.stream_status.reasons", undefined),
        "trace.stream_status.status",
        status,
      ),
      "trace.stream_status.stream_descriptor.name",
      name,
    );
  const pause = VALID["TRACE STREAM_STATUS"]!;
  const good = [status("STARTED"), pause, status("RUNNING"), pause, record, state, status("COMPLETE")];
  /** For each demand on a read, by its sentence: what breaks it. */
  const broken: Readonly<Record<string, readonly [messages: readonly Message[], code: number]>> = {
    "Records and states are of streams of the catalog.": [
      [...good, changed(record, "record.stream", "other")],
      0,
    ],
    "Only streams of the catalog are COMPLETE.": [[...good, status("COMPLETE", "other")], 0],
    "A state counts the records of its stream since the one before.": [
      [status("STARTED"), record, record, state, status("COMPLETE")],
      0,
    ],
    "A state comes before COMPLETE, and no record between them.": [
      [status("STARTED"), status("COMPLETE")],
      0,
    ],
    "After COMPLETE or INCOMPLETE nothing comes of a stream.": [[...good, status("RUNNING")], 0],
    "A stream runs, or has a record, between two pauses for the rate limit.": [
      [pause, pause, record, state, status("COMPLETE")],
      0,
    ],
    "The exit code is 0 if, and only if, every stream of the catalog is COMPLETE.": [
      [status("STARTED"), record, state, status("INCOMPLETE")],
      0,
    ],
    "A run that fails by itself has an error.": [[status("STARTED"), record, state, status("INCOMPLETE")], 1],
    "Errors come in the order of their times: the first one decides whether there is another attempt.": [
      [error(2), error(1)],
      1,
    ],
    "A read writes records, states, traces and log lines, and nothing else.": [[...good, VALID.SPEC!], 0],
  };

  test.each(READ_DEMANDS)("on a read refuses one that breaks it: $demand", ({ demand, isMet }) => {
    const [messages, code] = broken[demand]!;
    expect(isMet({ messages: good, streams: ["surveys"], code: 0 })).toBe(true);
    expect(isMet({ messages, streams: ["surveys"], code })).toBe(false);
  });
});
