import {
  readStreams,
  STREAMS,
  type StreamName,
  type SyncOptions,
  type SyncProgress,
  type Timestamp,
} from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, HOUR } from "../support/sync-story.ts";
import { COUNT, inProcess, survey } from "./support/sandbox-sync.ts";

/* What is made of the number of responses that the list of surveys tells: progress, estimates, and what it will cost. */

/** One sync of two surveys of 60 responses, from no state, whose every event is seen. */
async function observed(options: Partial<SyncOptions> & { readonly names?: readonly StreamName[] } = {}) {
  const { names = ["survey_responses"], ...others } = options;
  const { client, warnings } = inProcess({ surveys: [survey("s1"), survey("s2")] });
  let progress: SyncProgress | undefined;
  const shares: SyncProgress["responses"][] = [];
  const counted: number[] = [];
  for await (const event of readStreams(client, {
    surveyIds: [],
    respondentUuids: [],
    itemsPerPage: 10,
    onStart: (started) => {
      progress = started;
    },
    ...others,
    streams: new Map(names.map((name) => [STREAMS[name], undefined])),
  })) {
    if (event.type === "counted") counted.push(event.responses);
    if (event.type === "records") shares.push(progress?.responses);
  }
  return { shares, counted, last: progress?.responses, logged: warnings };
}

describe("the share that was read", () => {
  it.each<[string, Partial<SyncOptions>]>([
    ["every survey", {}],
    ["named surveys", { surveyIds: ["s2", "s1"] }],
    ["a start date before all of them", { startDate: "2020-01-01T00:00:00.000000Z" as Timestamp }],
  ])("grows to the whole, which the list of surveys tells: %s", async (_, options) => {
    const { shares, counted, last } = await observed(options);
    expect(counted).toEqual([2 * COUNT]);
    const known = shares.filter((share) => share !== undefined);
    expect(known.length).toBeGreaterThanOrEqual(10);
    for (const { read, about } of known) expect([read <= about, about]).toEqual([true, 2 * COUNT]);
    expect(last).toEqual({ read: 2 * COUNT, about: 2 * COUNT });
  });

  it.each<[string, Parameters<typeof observed>[0]]>([
    [
      "responses before the start date are not read",
      { startDate: "2025-03-01T00:00:00.000000Z" as Timestamp },
    ],
    ["responses after the end date are not read", { endDate: "2025-03-01T00:00:00.000000Z" as Timestamp }],
    ["no responses are read", { names: ["survey_questions"] }],
    ["surveys are read in order", { surveyIds: ["s1"], inOrder: true }],
  ])("is not told if %s", async (_, options) => {
    expect(await observed(options)).toMatchObject({ counted: [], last: undefined });
  });

  it.each([0, 0.5, 1, 10, undefined])(
    "ends at what there was, if the service counts %s times that",
    async (counts) => {
      const connection = new Connection("survey_responses", { counts });
      for (let number = 0; number < 700; number++) connection.add(`r${number}`, number, number * HOUR);
      let progress: SyncProgress | undefined;
      const told = await connection.sync({ onStart: (started) => (progress = started) });
      expect(told.isComplete).toBe(true);
      expect(connection.missing()).toEqual([]);
      expect(progress?.responses).toEqual(counts === undefined ? undefined : { read: 700, about: 700 });
      await connection.sync({ onStart: (started) => (progress = started) });
      expect(progress?.responses, "a later sync reads what is new").toBeUndefined();
    },
  );
});

describe("what it will cost to ask for each respondent", () => {
  const isCost = (line: string): boolean => line.includes("Each respondent is asked for");

  it.each<[StreamName[], Partial<SyncOptions>, RegExp]>([
    [
      ["respondent_attributes"],
      {},
      /^info Each respondent is asked for \(respondent_attributes\)\. With about 120 responses these are up to 120 requests, which take 1 minute at 900 a minute\. A respondent who answered several times is asked for once, so it may take less\. Attributes that you name in the setting attributes come with the responses, without these requests\.$/,
    ],
    [
      ["respondent_responses", "respondent_attributes"],
      { surveyIds: ["s1", "s2"] },
      /\(respondent_responses, respondent_attributes\)\. With about 120 responses these are up to 240 requests/,
    ],
    [
      ["respondent_responses"],
      { surveyIds: ["s1"] },
      /up to 60 requests, which take 1 minute at 900 a minute\. A respondent .* less\.$/,
    ],
  ])("is told when the sync begins: %j, %j", async (names, options, expected) => {
    const { logged } = await observed({ names, ...options });
    expect(logged.filter(isCost)).toEqual([expect.stringMatching(expected)]);
  });

  it("is not told if nobody is asked for", async () => {
    const { logged } = await observed({ names: ["survey_responses", "respondent_responses"] });
    expect(logged.filter(isCost)).toEqual([]);
  });
});
