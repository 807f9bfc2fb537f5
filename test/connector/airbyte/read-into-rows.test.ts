import { type Message, SurveyExportError, say } from "@survey-export/core";
import { beforeEach, expect, it } from "vitest";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import {
  MessageWriter,
  type ReadResponses,
  type RowWriter,
} from "../../../connector/airbyte/message-writer.ts";
import { read } from "../../../connector/airbyte/read.ts";
import { createService } from "../../../sandbox/index.ts";
import { createSimulatedClock, type SimulatedClock } from "../../support/clock.ts";
import { ORIGIN, simulatedHost } from "../../support/host.ts";

const REFUSED = new SurveyExportError("config", "invalid_configuration", say`The file cannot be written.`);

/** Takes rows, and fails as a test says. */
class Rows implements RowWriter {
  readonly lost = new Map<string, number>();
  /** The responses that each page named, by stream. */
  readonly responses: Record<string, string[]> = {};
  taken = 0;
  waitsFor: Message | undefined;
  /** Called before rows are taken. */
  onRecords: (stream: string) => Promise<void> = async () => {};
  commit: () => Promise<void> = async () => {};

  async records(stream: string, records: readonly unknown[], { responses }: ReadResponses): Promise<boolean> {
    await this.onRecords(stream);
    this.taken += records.length;
    this.responses[stream] = [...(this.responses[stream] ?? []), ...responses];
    return false;
  }

  /** The last state of each stream. */
  readonly states: Record<string, unknown> = {};

  async state(stream: string, state: string): Promise<void> {
    this.states[stream] = JSON.parse(state);
  }
}

let clock: SimulatedClock;
let rows: Rows;
let notices: string[];
let drawn: string[];
beforeEach(() => {
  clock = createSimulatedClock();
  rows = new Rows();
  notices = [];
  drawn = [];
});

/** A read of two responses, of which the older one has no answers. */
function readTwo(signal = new AbortController().signal, more: object = {}): Promise<boolean> {
  const fields = { answers: [] };
  const sandbox = createService({
    clock,
    limits: false,
    surveys: [
      {
        id: "welcome",
        responses: [
          { uuid: "r1", collected_at: "2025-01-01T10:00:00.000001Z", fields },
          { uuid: "r2", collected_at: "2025-01-01T11:00:00.000002Z" },
        ],
      },
    ],
  });
  const settings = { base_url: `${ORIGIN}/v2`, api_key: sandbox.apiKey, survey_ids: ["welcome"], ...more };
  const names = ["survey_responses", "survey_answers"];
  return read(
    new MessageWriter({ write: async () => {} }, clock, (notice) => notices.push(notice), rows),
    {
      configuration: requireConfiguration(settings),
      selected: names.map((name) => ({ name, syncMode: "incremental" })),
      states: new Map(),
    },
    { clock, createTransport: () => simulatedHost(sandbox, clock).transport, createHash: () => String },
    signal,
    (line) => void drawn.push(line),
  );
}

it("names each response of a page, also one that has no answers, so that its old ones can go", async () => {
  expect(await readTwo()).toBe(true);
  expect(rows.responses).toEqual({ survey_responses: ["r2", "r1"], survey_answers: ["r2", "r1"] });
});

it("whose write fails are covered by no state (I1)", async () => {
  rows.onRecords = async (stream) => {
    if (stream === "survey_responses" && rows.responses[stream]) throw REFUSED;
  };
  expect(await readTwo(undefined, { items_per_page: 1 })).toBe(false);
  expect(rows.responses.survey_responses).toEqual(["r2"]);
  expect(rows.states, "that of the other stream is whole").toEqual({
    survey_answers: { version: 1, surveys: { welcome: [] } },
  });
});

it("that are not kept in the end is an error, once, and does not count them", async () => {
  rows.commit = () => {
    rows.lost.set("survey_answers", rows.taken - 2).set("survey_responses", 1);
    return Promise.reject(REFUSED);
  };
  expect(await readTwo()).toBe(false);
  expect(notices.filter((notice) => notice.startsWith("ERROR"))).toEqual([
    "ERROR The file cannot be written. [invalid_configuration]",
  ]);
  expect(notices.at(-1)).toMatch(
    /^INFO Failed after .*\. 1 record was delivered\. The next sync resumes from the last state\.$/,
  );
});

it("that are not kept is an error also if the read was stopped; the stop itself is none", async () => {
  const stop = new AbortController();
  const reason = new Error("stopped by SIGTERM");
  rows.onRecords = () => {
    stop.abort(reason);
    return Promise.reject(reason);
  };
  rows.commit = () => Promise.reject(reason);
  expect(await readTwo(stop.signal)).toBe(false);
  expect(notices).toEqual([expect.stringMatching(/^INFO Stopped before the end, /)]);

  notices = [];
  const second = new AbortController();
  rows.onRecords = async () => second.abort(reason);
  rows.commit = () => Promise.reject(REFUSED);
  expect(await readTwo(second.signal)).toBe(false);
  expect(notices.filter((notice) => notice.startsWith("ERROR"))).toHaveLength(1);
});

it("shows that the rows wait for another program, and not that the service is silent", async () => {
  rows.onRecords = async () => {
    rows.waitsFor = say`waiting for another program`;
    await clock.sleep(40_000);
    rows.waitsFor = undefined;
  };
  expect(await readTwo()).toBe(true);
  const waiting = drawn.filter((line) => line.startsWith("waiting for another program · "));
  expect(waiting.length).toBeGreaterThan(20);
  expect(drawn.filter((line) => line.includes("no good answer"))).toEqual([]);
});
