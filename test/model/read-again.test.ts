import type { StateSnapshot, StreamName } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { syncInProcess } from "../support/sync.ts";
import {
  COMPLETE,
  Connection,
  connectionOf,
  DAY,
  HOUR,
  NOT_FOUND,
  timestamp,
} from "../support/sync-story.ts";

import { inProcess, survey } from "./support/sandbox-sync.ts";

/* What comes again, and what does not (I5). The random histories prove that nothing is lost. */

/** The lookback of these stories, in seconds. */
const LOOKBACK = 600;

describe("a survey that ended in a burst", () => {
  it.each(["survey_responses", "respondent_responses", "respondent_attributes"] as const)(
    "costs one request a sync, brings nothing and asks for nobody (%s)",
    async (stream) => {
      const connection = connectionOf(stream, 2000, { at: (number) => DAY + number * 0.15 });
      expect(await connection.sync({ at: 25 * DAY })).toMatchObject(COMPLETE);
      for (let sync = 0; sync < 2; sync++)
        expect(await connection.sync()).toMatchObject({ ...COMPLETE, requests: 1, emitted: [] });
    },
  );

  it("is complete when its newest people were deleted since they were read", async () => {
    const connection = connectionOf("respondent_attributes", 50);
    await connection.sync();
    connection.answersOf((person) => person > 30, NOT_FOUND);
    expect(await connection.sync()).toMatchObject({ ...COMPLETE, requests: 1 });
  });
});

describe("a stream of which nothing is new", () => {
  const ids = ["s1", "s2", "s3", "s4"];

  /** How many states each of these streams has in a sync of surveys that they have read before. `also`: a stream that reads all. */
  async function statesOf(names: readonly StreamName[], also: readonly StreamName[] = []) {
    const { client, replica } = inProcess({ surveys: ids.map(survey) });
    const of = { surveyIds: [], respondentUuids: [] };
    await syncInProcess(client, replica, { ...of, streams: names });
    const states = new Map<StreamName, Set<StateSnapshot>>(names.map((name) => [name, new Set()]));
    let pages = 0;
    await syncInProcess(client, replica, {
      ...of,
      streams: [...names, ...also],
      onEvent(event) {
        if (event.type !== "records") return undefined;
        pages++;
        states.get(event.stream)?.add(event.state);
        return undefined;
      },
    });
    expect(pages).toBeGreaterThanOrEqual(ids.length * names.length);
    return [...states.values()].map(({ size }) => size);
  }

  // The text of a state of thousands of surveys is long, and an adapter writes each state that differs.
  it("has one state in a whole sync", async () => {
    expect(await statesOf(["survey_responses", "survey_answers", "respondent_responses"])).toEqual([1, 1, 1]);
  });

  it("has one state while another stream reads everything", async () => {
    expect(await statesOf(["survey_responses"], ["survey_answers"])).toEqual([1]);
  });
});

describe("a response that grows", () => {
  it.each([
    ["before it is as old as the lookback", LOOKBACK - 200, 1],
    ["later than that", LOOKBACK + 200, 0],
  ])("%s brings its later answer: %i s after its time", async (_, growsAt, added) => {
    const connection = new Connection("survey_answers");
    connection.add("r1", 1, DAY);
    const [response] = connection.service.responses;
    const before = (await connection.sync({ at: DAY + 100 })).records.length;
    await connection.sync({ at: DAY + growsAt - 50 });
    connection.service.grow(response!);
    const { records } = await connection.sync({ at: DAY + growsAt + 50 });
    expect(records.length).toBe(added === 1 ? before + 1 : 0);
    expect((await connection.sync({ at: 2 * DAY })).records.length).toBe(added === 1 ? before + 1 : 0);
    expect((await connection.sync()).records).toEqual([]);
  });
});

describe("what appears above the newest response comes, however late", () => {
  it("what a service shows only after an outage of its own", async () => {
    const connection = connectionOf("survey_responses", 10);
    await connection.sync({ at: DAY });
    for (let number = 11; number <= 20; number++) connection.add(`r${number}`, 1, 11 * HOUR + number);
    expect((await connection.sync({ at: 2 * DAY })).emitted).toHaveLength(10);
  });

  it("also below one from the future", async () => {
    const connection = connectionOf("respondent_responses", 10, { person: () => 1 });
    connection.add("future", 1, 9 * DAY);
    await connection.sync({ at: DAY });
    connection.add("r11", 1, 11 * HOUR);
    expect((await connection.sync({ at: DAY + HOUR })).emitted).toEqual(["future", "r11"]);
  });

  it("also if the newest one was deleted after it was covered", async () => {
    const connection = connectionOf("survey_responses", 10);
    await connection.sync({ at: DAY });
    connection.service.remove("r10");
    expect((await connection.sync()).emitted).toEqual([]);
    connection.add("r11", 11, 10 * HOUR + 1);
    expect((await connection.sync()).emitted).toEqual(["r11"]);
    expect(await connection.sync()).toMatchObject({ requests: 1, emitted: [] });
  });

  it("one of the same second, if the service shows no more", async () => {
    const connection = connectionOf("survey_responses", 10, { shows: "seconds" });
    await connection.sync({ at: 10 * HOUR + LOOKBACK + 3.5 });
    connection.add("r11", 11, 10 * HOUR + 1.9);
    expect((await connection.sync({ at: 10 * HOUR + LOOKBACK + 3.6 })).emitted).toEqual(["r11"]);
    expect((await connection.sync()).emitted).toEqual(["r11"]);
    expect((await connection.sync()).emitted).toEqual([]);
  });
});

it("what is given up: later than the lookback, and below a response that was seen", async () => {
  const connection = connectionOf("survey_responses", 10);
  await connection.sync({ at: DAY });
  connection.add("late", 11, 10 * HOUR - 1);
  connection.add("twin", 11, 10 * HOUR);
  expect((await connection.sync()).emitted).toEqual([]);
});

describe("the lookback changes", () => {
  it.each([
    [0, 0],
    [HOUR, 3],
    [100 * DAY, 100],
  ])("%i s: of a response every 20 minutes %i come again in the next sync", async (lookback, count) => {
    const connection = connectionOf("survey_responses", 100, { at: (number) => number * 1200 });
    const options = { lookbackMs: lookback * 1000 };
    await connection.sync({ at: 100 * 1200 + 30, ...options });
    expect((await connection.sync({ at: 100 * 1200 + 60, ...options })).emitted).toHaveLength(count);
  });

  it("raised, it counts from then on; lowered, what it had omitted comes once more", async () => {
    const connection = connectionOf("survey_responses", 100, { at: (number) => number * 1200 });
    await connection.sync({ at: 101 * 1200, lookbackMs: HOUR * 1000 });
    expect((await connection.sync({ lookbackMs: 100 * DAY * 1000 })).emitted).toHaveLength(3);
    expect((await connection.sync({ lookbackMs: 0 })).emitted).toHaveLength(3);
    expect((await connection.sync({ lookbackMs: 0 })).emitted).toEqual([]);
  });
});

describe("a state", () => {
  it("of before, with the newest timestamp as a point, resumes where its intervals end", async () => {
    const connection = connectionOf("survey_responses", 100);
    const [end, newest] = [timestamp(95 * HOUR - LOOKBACK), timestamp(95 * HOUR)];
    connection.state = {
      version: 1,
      surveys: {
        s: [
          [null, end],
          [newest, newest],
        ],
      },
    };
    const expected = [95, 96, 97, 98, 99, 100].map((number) => `r${number}`);
    expect((await connection.sync()).emitted.toSorted()).toEqual(expected.toSorted());
    expect(connection.state!.surveys.s).toHaveLength(1);
  });

  it("written by hand is read from a lookback before its time", async () => {
    const connection = connectionOf("survey_responses", 10);
    connection.state = { collected_at: timestamp(9 * HOUR + LOOKBACK - 1) } as never;
    expect((await connection.sync()).emitted).toEqual(["r10", "r9"]);
  });
});

it("without a Date the newest response stands for the present, so its lookback comes again", async () => {
  const connection = connectionOf("survey_responses", 10, { hasDate: false, at: (number) => number * 300 });
  connection.clockAheadS = 50 * DAY;
  await connection.sync({ at: 10 * DAY });
  for (let sync = 0; sync < 2; sync++) expect((await connection.sync()).emitted).toEqual(["r10", "r9", "r8"]);
});
