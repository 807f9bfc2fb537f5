import type { StreamState } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, connectionOf, DAY, HOUR, personId, timestamp } from "../support/sync-story.ts";

/** What a state makes of the next sync: what it need not read again, and what a wrong clock does to it. */

const BOTH = ["survey_responses", "respondent_responses"] as const;
const REACHES_AHEAD: StreamState = { version: 1, surveys: { s: [[null, timestamp(13 * DAY)]] } };

describe.each(BOTH)("settings that change (%s)", (stream) => {
  /** 300 responses, an hour apart, by turns to surveys `s` and `t`, of 20 people. */
  function connectionOfTwo(): Connection {
    const connection = new Connection(stream);
    for (let number = 0; number < 300; number++)
      connection.add(`r${number}`, number % 20, number * HOUR, "st"[number % 2]);
    return connection;
  }

  it("a survey that is removed and added again resumes where it was", async () => {
    const connection = connectionOfTwo();
    const surveyIds = ["s", "t"];
    await connection.sync({ surveyIds, endDate: timestamp(200 * HOUR) });
    await connection.sync({ surveyIds: ["s"] });
    expect(connection.state!.surveys.t).toBeDefined();
    expect((await connection.sync({ surveyIds })).emitted).not.toContain("r1");
    await connection.recovers({ surveyIds });
  });

  it("a start date that moves back reads what lies before, and one that moves on reads nothing", async () => {
    const connection = connectionOfTwo();
    const from = (hour: number) => ({ surveyIds: ["s", "t"], startDate: timestamp(hour * HOUR) });
    await connection.sync(from(200));
    expect(connection.delivered.size).toBe(100);
    expect((await connection.sync(from(250))).requests).toBeLessThan(12);
    const back = await connection.sync(from(100));
    expect(connection.delivered.size).toBe(200);
    // People's lists were read down to the start date of then, so their stream starts over.
    expect(back.emitted.length).toBeLessThan(stream === "respondent_responses" ? 201 : 110);
    await connection.recovers(from(0));
  });
});

it("a start date that moves back: people's older responses to other surveys come, and those of configured people", async () => {
  const connection = connectionOf("respondent_responses", 20);
  // Nothing that lies between the two dates leads to the first of them.
  connection.add("elsewhere", 18, 12 * HOUR, "t");
  connection.add("of somebody configured", 30, 12 * HOUR, "t");
  const from = (hour: number) => ({ respondentUuids: [personId(30)], startDate: timestamp(hour * HOUR) });
  await connection.sync(from(15));
  expect(connection.delivered.size).toBe(6);
  await connection.sync(from(1));
  expect(connection.missing()).toEqual([]);
});

it.each(BOTH)(
  "a state above the present is cut there: what comes later is read (S12, %s)",
  async (stream) => {
    const connection = new Connection(stream);
    connection.state = REACHES_AHEAD;
    connection.add("old", 1, 9 * DAY);
    const { warnings } = await connection.sync();
    expect(warnings).toContainEqual(expect.stringContaining("reaches into the future"));
    connection.add("new", 2, 10 * DAY);
    await connection.sync();
    expect(connection.delivered).toContain("new");
  },
);

it("responses from the future do not keep a stream from advancing", async () => {
  const connection = connectionOf("respondent_responses", 300);
  for (let number = 1; number <= 110; number++) connection.add(`f${number}`, 1, 1000 * HOUR + number);
  const requests: number[] = [];
  for (let hour = 301; hour <= 303; hour++)
    requests.push((await connection.sync({ at: hour * HOUR, itemsPerPage: 10 })).requests);
  expect(connection.missing()).toEqual([]);
  expect(requests[2]).toBeLessThan(requests[0]! / 2);
});

it("state and requests do not grow with the number of syncs", async () => {
  const connection = new Connection("survey_responses");
  const requests: number[] = [];
  for (let hour = 1; hour <= 20; hour++) {
    for (let place = 1; place <= 8; place++)
      connection.add(`r${hour}-${place}`, place, (hour + place / 9) * HOUR);
    requests.push((await connection.sync({ at: (hour + 1) * HOUR })).requests);
  }
  expect(connection.missing()).toEqual([]);
  expect(connection.state!.surveys.s!.length).toBeLessThan(4);
  expect(requests.at(-1)).toBeLessThanOrEqual(requests[2]!);
});
