import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it, test } from "vitest";
import { STREAMS, type StreamName } from "../../../connector/core/index.ts";
import {
  exampleSurveys,
  expectedKeys,
  KEYED_STREAMS,
  keyOf,
  type SurveyOptions,
} from "../../../sandbox/index.ts";
import { kindOf } from "../../support/airbyte-platform.ts";
import { catalog, type Ended, type Message, records, runWarm, statuses } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, sandboxForTest } from "../../support/sandbox.ts";

/*
 * What Airbyte's acceptance tests ask of a source, as tests that name the rule. The suite that runs Airbyte's own
 * code (.ci/run pyairbyte) asks for less. What the platform does with what it is given: airbyte-platform.test.ts.
 */

/** The others are read whole each time. */
const names = KEYED_STREAMS;

/** Airbyte's own schema of the protocol, as data. CI names the file; elsewhere it may be missing. */
const reference = process.env.AIRBYTE_PROTOCOL_SCHEMA;
if (process.env.CI && !reference) {
  throw new Error(
    "AIRBYTE_PROTOCOL_SCHEMA must name Airbyte's protocol schema, so that messages are held against it.",
  );
}

const folder = testFolder();

/** Starts a service with two surveys of this many responses, and returns how to read it. */
async function service(count: number) {
  const surveys = exampleSurveys(count, 7, 2).map((survey) => ({
    ...survey,
    responses: { ...survey.responses, respondents: Math.ceil(count / 3) } as SurveyOptions["responses"],
  }));
  const started = await sandboxForTest({ surveys, limits: false });
  const config = configOf(started, { attributes: ["plan", "email"] });
  const read = async (syncMode: "full_refresh" | "incremental"): Promise<Ended> => {
    const selected = catalog(...names.map((name): [string, typeof syncMode] => [name, syncMode]));
    return runWarm(await folder.words("read", { config, catalog: selected }));
  };
  return { read, config, service: started.service };
}

const keys = (messages: readonly Message[], stream: StreamName) =>
  records(messages, stream).map((record) => keyOf(record, STREAMS[stream].primaryKey));
/** The schema with every object closed, so that a field it does not name is a fault: the platform would drop it. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return "properties" in copy ? { ...copy, additionalProperties: false } : copy;
}

describe("a read", () => {
  test("every stream brings all its records once, and some; each fits the schema, which names all there is", async () => {
    const { read, service: here } = await service(100);
    const { messages, code } = await read("full_refresh");
    expect(code).toBe(0);
    const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
    const ajv = new Ajv({ strict: false, formats: { "date-time": timestamp } });
    const expected = expectedKeys(here.truth);
    for (const name of names) {
      const valid = ajv.compile(closed(STREAMS[name].schema) as object);
      expect(keys(messages, name).length, `${name}: the sandbox's data must hold some`).toBeGreaterThan(0);
      expect(keys(messages, name).toSorted(), name).toEqual([...expected.get(name)!].toSorted());
      for (const record of records(messages, name))
        expect(valid(record), `${name} ${JSON.stringify(valid.errors)}`).toBe(true);
    }
    const { malformedRequests, byStatus, maxConcurrent } = here.stats;
    expect(malformedRequests).toEqual([]);
    expect(byStatus).not.toHaveProperty("429");
    expect(maxConcurrent).toBeLessThanOrEqual(5);
  });

  test("each stream is STARTED, RUNNING and COMPLETE", async () => {
    const { read } = await service(100);
    const { messages } = await read("incremental");
    for (const name of names) expect(statuses(messages, name)).toEqual(["STARTED", "RUNNING", "COMPLETE"]);
  });
});

it.runIf(reference)(
  "every line of any command is a message by Airbyte's own schema of the protocol",
  async () => {
    const schema = JSON.parse(readFileSync(reference!, "utf8"));
    const ajv = new Ajv({ strict: false, allErrors: true });
    ajv.addSchema({ ...schema, $id: "airbyte" });
    const isMessage = ajv.compile({ $ref: "airbyte#/definitions/AirbyteMessage" });
    const { config } = await service(20);
    const survey_ids = [...config.survey_ids, "none"];
    const good = await folder.file("good.json", { ...config, survey_ids });
    const broken = await folder.file("broken.json", {});
    const selected = catalog("survey_responses", ["respondent_responses", "full_refresh"], "surveys");
    const streams = await folder.file("streams.json", selected);
    const seen = new Set<string>();
    for (const words of [
      ["spec"],
      ["check", "--config", good],
      ["check", "--config", broken],
      ["discover", "--config", good],
      ["discover", "--config", broken],
      ["read", "--config", good, "--catalog", streams],
      ["read", "--config", good, "--catalog", broken],
    ]) {
      const { messages } = await runWarm(words);
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) {
        seen.add(kindOf(message));
        const line = JSON.stringify(message).slice(0, 300);
        expect(isMessage(message), `${line}: ${ajv.errorsText(isMessage.errors)}`).toBe(true);
      }
    }
    const traces = ["TRACE ERROR", "TRACE STREAM_STATUS"];
    const kinds = ["CATALOG", "CONNECTION_STATUS", "LOG", "RECORD", "SPEC", "STATE", ...traces];
    expect([...seen].toSorted()).toEqual(kinds);
  },
);
