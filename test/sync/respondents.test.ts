import {
  createRecordTreatment,
  parseStreamState,
  readStreams,
  STREAMS,
  type StreamName,
  type StreamState,
  type Timestamp,
} from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { createService } from "../../sandbox/index.ts";
import { createSimulatedClock } from "../simulation/clock.ts";
import { clientOf, simulatedHost } from "../simulation/host.ts";

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
  it("no respondent is asked for before every survey's newest response has come, not even a configured one", async () => {
    const { paths } = await asked(["respondent_responses"], ["00000000-0000-4000-8000-000000000001"]);
    const firstPerson = paths.findIndex((path) => path.includes("/respondents/"));
    const before = new Set(paths.slice(0, firstPerson).map((path) => path.split("?")[0]));
    expect([...before].sort()).toEqual(SURVEYS.map((id) => `/v2/surveys/${id}/responses`));
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

  it.each([
    ["respondent_responses", ["a1"], true],
    ["respondent_attributes", [1], false],
  ] as const)(
    "one whom an earlier sync did not find is asked for again, whatever the end date is now (%s)",
    async (name, delivered, staysNoted) => {
      const clock = createSimulatedClock(Date.UTC(2026, 5, 1));
      const ann = "00000000-0000-4000-8000-00000000000a";
      const day = (number: number) => `2026-01-0${number}T00:00:00.000000Z` as Timestamp;
      const sandbox = createService({
        clock,
        surveys: [
          {
            id: "a",
            responses: [1, 3].map((number) => ({
              ...{ uuid: `a${number}`, collected_at: day(number), respondent_uuid: ann },
            })),
          },
        ],
      });
      sandbox.describe({ uuid: ann, attributes: [{ id: 1, name: "plan", value: "free" }] });
      const client = clientOf(simulatedHost(sandbox, clock));
      const state = { version: 1, surveys: { a: [[null, day(3)]] }, not_found: [[ann, day(1)]] };
      const read = async (endDate: Timestamp | undefined) => {
        const keys: unknown[] = [];
        let notes: unknown;
        const streams = new Map([[STREAMS[name], parseStreamState(state, name)]]);
        const events = readStreams(client, { surveyIds: ["a"], respondentUuids: [], streams, endDate });
        for await (const event of events) {
          if (event.type === "records") keys.push(...event.records.map((record) => record.uuid ?? record.id));
          if (event.type === "end") notes = event.state.toJSON().not_found;
        }
        return { keys, notes };
      };
      expect(await read(day(2))).toEqual({
        keys: delivered,
        notes: staysNoted ? state.not_found : undefined,
      });
      expect((await read(undefined)).notes).toBeUndefined();
    },
  );

  it.each([
    ["keep", true],
    ["omit", false],
  ] as const)(
    "a configured one whose response comes after they were not found is asked for again before it is covered (identifiers: %s)",
    async (respondent_identifiers, isNoted) => {
      const clock = createSimulatedClock(Date.UTC(2026, 5, 1));
      const [ann, bob] = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"];
      const paths: string[] = [];
      const sandbox = createService({
        clock,
        // Two pages take longer than the minute between the two requests for a respondent who was not found.
        latencyMs: 40_000,
        onAnswer: ({ url }) => paths.push(url),
        faults: [{ on: `/respondents/${ann}/`, reply: "status_404" }],
        surveys: [
          {
            id: "a",
            responses: [9, 8, 7, 6, 5, 4].map((hour) => ({
              ...{ uuid: `a${hour}`, collected_at: `2026-05-31T0${hour}:00:00.000000Z` },
              respondent_uuid: hour === 4 ? ann : bob,
            })),
          },
        ],
      });
      const events = readStreams(clientOf(simulatedHost(sandbox, clock), { maxConcurrentRequests: 2 }), {
        ...{ surveyIds: ["a"], respondentUuids: [ann], itemsPerPage: 1 },
        streams: new Map([[STREAMS.respondent_attributes, undefined]]),
        treatment: createRecordTreatment({ respondent_identifiers }, String),
      });
      let state: StreamState | undefined;
      for await (const event of events) if (event.type === "end") state = event.state.toJSON();
      expect(paths.findLastIndex((path) => path.includes(ann))).toBeGreaterThan(
        paths.findLastIndex((path) => path.includes("/surveys/")),
      );
      expect(state?.not_found?.map(([uuid]) => uuid)).toEqual(isNoted ? [ann] : undefined);
      const [oldest] = state?.surveys.a ?? [];
      expect(oldest?.[0] === null).toBe(isNoted);
    },
  );
});
