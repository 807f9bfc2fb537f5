import { parseStreamState, readStreams, STREAMS, type StreamName } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { createService } from "../../sandbox/index.ts";
import { createSimulatedClock } from "./support/clock.ts";
import { clientOf, simulatedHost } from "./support/host.ts";

const SURVEYS = ["s1", "s2", "s3", "s4", "s5", "s6", "s7"];

/** Seven surveys, each with responses enough for several pages, and the paths that a first sync asks for, in order. */
async function asked(streams: StreamName[], respondentUuids: readonly string[] = []) {
  const clock = createSimulatedClock();
  const paths: string[] = [];
  const sandbox = createService({
    clock,
    latencyMs: 50,
    onAnswer: ({ url }) => paths.push(url),
    surveys: SURVEYS.map((id, seed) => ({
      id,
      responses: {
        ...{ seed, count: 60, density: "even", respondents: 25 },
        ...{ from: "2025-01-01T00:00:00.000000Z", to: "2025-06-01T00:00:00.000000Z" },
      },
    })),
  });
  const events = readStreams(clientOf(simulatedHost(sandbox, clock)), {
    surveyIds: SURVEYS,
    respondentUuids,
    streams: new Map(streams.map((stream) => [STREAMS[stream], undefined])),
    itemsPerPage: 20,
  });
  for await (const event of events) if (event.type === "failure") throw event.error;
  const people = new Set(SURVEYS.flatMap((id) => [...sandbox.truth.respondents(id)]));
  return { paths, people };
}

describe("respondents (I6)", () => {
  it("nobody is asked for before a page has come, and a configured one after all surveys", async () => {
    const uuid = "00000000-0000-4000-8000-000000000001";
    const { paths } = await asked(["respondent_responses"], [uuid]);
    const firstPerson = paths.findIndex((path) => path.includes("/respondents/"));
    expect(firstPerson).toBeGreaterThan(0);
    expect(firstPerson).toBeLessThan(12);
    expect(paths.findIndex((path) => path.includes(uuid))).toBeGreaterThan(
      paths.findLastIndex((path) => path.includes("/surveys/")),
    );
  });

  it("each is read once for each stream, however many surveys they answered", async () => {
    const { paths, people } = await asked(["respondent_responses", "respondent_attributes"]);
    for (const person of people) {
      for (const list of ["responses", "attributes"]) {
        const firsts = paths.filter(
          (path) => path.startsWith(`/v2/respondents/${person}/${list}`) && !path.includes("start="),
        );
        expect(firsts).toHaveLength(1);
      }
    }
  });

  it("all attributes of one reading have one time, on however many pages they come", async () => {
    const clock = createSimulatedClock();
    const uuid = "00000000-0000-4000-8000-000000000001";
    const attributes = Array.from({ length: 7 }, (_, number) => ({ name: `a${number}`, value: "v" }));
    const sandbox = createService({
      ...{ clock, latencyMs: 5_000, surveys: [] },
      respondents: [{ uuid, attributes }],
    });
    const events = readStreams(clientOf(simulatedHost(sandbox, clock)), {
      ...{ surveyIds: [], respondentUuids: [uuid], itemsPerPage: 2 },
      streams: new Map([[STREAMS.respondent_attributes, undefined]]),
    });
    const times: unknown[] = [];
    for await (const event of events)
      if (event.type === "records") times.push(...event.records.map((record) => record.collected_at));
    expect(times).toHaveLength(7);
    expect(new Set(times).size).toBe(1);
  });

  it("an older response that appears late in another survey is read past a covered newer one", async () => {
    const clock = createSimulatedClock(Date.UTC(2026, 5, 1));
    const ann = "00000000-0000-4000-8000-00000000000a";
    const bob = "00000000-0000-4000-8000-00000000000b";
    const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, "0")}:00:00.000000Z`;
    const given = (uuid: string, hour: number, respondent: string) => ({
      ...{ uuid, collected_at: at(hour), respondent_uuid: respondent },
    });
    const sandbox = createService({
      clock,
      surveys: [
        { id: "a", responses: [given("a1", 9, ann), given("a2", 12, bob)] },
        { id: "b", responses: [given("b1", 10, bob)] },
      ],
    });
    const client = clientOf(simulatedHost(sandbox, clock));
    const read = async (state: unknown) => {
      const uuids: unknown[] = [];
      let last: unknown;
      const streams = new Map([
        [STREAMS.respondent_responses, parseStreamState(state, "respondent_responses")],
      ]);
      const events = readStreams(client, {
        ...{ surveyIds: ["a", "b"], respondentUuids: [], streams, lookbackMs: 9_000_000 },
      });
      for await (const event of events) {
        if (event.type === "records") uuids.push(...event.records.map((record) => record.uuid));
        if (event.type === "end") last = JSON.parse(JSON.stringify(event.state));
      }
      return { uuids, last };
    };
    const first = await read(undefined);
    expect(new Set(first.uuids)).toEqual(new Set(["a1", "a2", "b1"]));
    // The lookback of survey a now reaches down to half past ten: Ann's response at nine lies inside the coverage.
    sandbox.collect("a", [given("a3", 13, bob)]);
    const second = await read(first.last);
    sandbox.collect("b", [given("late", 8, ann)]);
    expect((await read(second.last)).uuids).toContain("late");
  });
});
