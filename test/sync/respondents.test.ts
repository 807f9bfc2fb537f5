import { readStreams, STREAMS, type StreamName } from "@survey-export/core";
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
  it("no respondent is asked for before every survey's newest page has come, not even a configured one", async () => {
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
});
