import { readStreams, STREAMS, type StreamName } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { createService, type Fault } from "../../sandbox/index.ts";
import { createSimulatedClock } from "./support/clock.ts";
import { Connection, personOf } from "./support/connection.ts";
import { clientOf, simulatedHost } from "./support/host.ts";

const SURVEYS = 15;
const EACH = 250;

/** A first sync of two streams of fifteen surveys, while something fails for good. */
async function readWith(...faults: Fault[]) {
  const clock = createSimulatedClock();
  const surveyIds = Array.from({ length: SURVEYS }, (_, survey) => `s${survey + 1}`);
  const sandbox = createService({
    ...{ clock, latencyMs: 50 },
    surveys: surveyIds.map((id, seed) => ({
      id,
      responses: {
        ...{ seed, count: EACH, density: "even", respondents: 30 },
        ...{ from: "2025-01-01T00:00:00.000000Z", to: "2025-06-01T00:00:00.000000Z" },
      },
    })),
  });
  sandbox.addFaults(...faults);
  const counts = new Map<StreamName, number>();
  const complete = new Map<StreamName, boolean>();
  const failures = new Map<StreamName, string[]>();
  const names = ["survey_responses", "respondent_attributes"] as const;
  for await (const event of readStreams(clientOf(simulatedHost(sandbox, clock)), {
    ...{ surveyIds, respondentUuids: [] },
    streams: new Map(names.map((name) => [STREAMS[name], undefined])),
  })) {
    if (event.type === "records")
      counts.set(event.stream, (counts.get(event.stream) ?? 0) + event.records.length);
    if (event.type === "failure")
      failures.set(event.stream, [...(failures.get(event.stream) ?? []), event.error.message]);
    if (event.type === "end") complete.set(event.stream, event.complete);
  }
  return { counts, complete, failures, requests: sandbox.stats.requests };
}

describe("an endpoint that fails for good", () => {
  it.each([403, 500])("ends the stream that reads it (status %i), and no other", async (status) => {
    const { counts, complete, failures } = await readWith({
      on: "respondent_attributes",
      reply: { kind: "status", status },
    });
    expect([...complete].filter(([, isComplete]) => !isComplete)).toEqual([["respondent_attributes", false]]);
    expect(counts.get("survey_responses")).toBe(SURVEYS * EACH);
    const messages = failures.get("respondent_attributes")!;
    expect(messages.length).toBeLessThan(20);
  });
});

it("surveys that are refused end no other survey, whichever they are", async () => {
  const { counts, complete } = await readWith({
    on: "/surveys/s(1|2|3|4|5|6|7|8|9|10|11|12)/",
    reply: { kind: "status", status: 403 },
  });
  expect(complete.get("survey_responses")).toBe(false);
  expect(counts.get("survey_responses")).toBe(3 * EACH);
});

it("a service that answers every survey with 500 ends the run", async () => {
  const { failures, requests } = await readWith({ on: "any", reply: "status_500" });
  expect(failures.get("survey_responses")!.length).toBeLessThanOrEqual(SURVEYS + 1);
  expect(requests).toBeLessThan(15 * 8);
});

it("surveys are not read to their end for a stream that was given up", async () => {
  const connection = new Connection("respondent_responses");
  for (let number = 0; number < 3000; number++) connection.add(`r${number}`, number, number * 10);
  const down = { status: 500, headers: {}, body: "" };
  connection.script = (path) => (personOf(path) === undefined ? undefined : down);
  const { isComplete, requests } = await connection.sync(36_000, { itemsPerPage: 10 });
  expect(isComplete).toBe(false);
  expect(requests).toBeLessThan(300);
});
