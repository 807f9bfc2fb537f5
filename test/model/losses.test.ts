import type { HttpResponse } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { HEALTHY } from "../support/list-service.ts";
import { answering, COMPLETE, type Connection, connectionOf, DAY, page } from "../support/sync-story.ts";

/*
 * Losses of earlier versions. A service errs for a while and answers well again: a guard that believes such an answer
 * loses data permanently, and nobody is told.
 */

it("a hole is read again if the service reads the bounds of a request to milliseconds, though it shows more (I12)", async () => {
  const connection = connectionOf("respondent_attributes", 500, {
    at: (person) => person * 600 + (person % 7) * 0.000123,
    reads: "milliseconds",
  });
  connection.breaks((person) => person % 100 === 50);
  for (let sync = 0; sync < 2; sync++) await connection.sync();
  expect(connection.missing()).toHaveLength(5);
  await connection.recovers();
});

describe("a response that appears late, and within the lookback, comes (I5)", () => {
  const AT = 10 * DAY;

  /** Two responses to a page: at 5 and 650 seconds before the sync begins, and older ones. */
  function connectionOfFour(): Connection {
    const connection = connectionOf("survey_responses", 2);
    connection.add("young", 3, AT - 5);
    connection.add("old", 4, AT - 650);
    return connection;
  }

  it("though the page that lacks it took 100 seconds, and is dated at its end", async () => {
    const connection = connectionOfFour();
    connection.latencyMs = 100_000;
    const made = connection.service.answer("/surveys/s/responses?items_per_page=100", HEALTHY);
    // After 30 seconds, 590 seconds late.
    connection.add("late", 5, AT - 560);
    connection.script = () => made;
    await connection.sync({ at: AT });
    await connection.recovers();
  });

  it("though it appears between two pages: above the second one, and not yet on the first one", async () => {
    const connection = connectionOfFour();
    let requests = 0;
    connection.script = () => {
      if (++requests !== 2) return undefined;
      connection.add("late", 5, AT - 590);
      return { ...answering(429), headers: { "retry-after": "100" } };
    };
    await connection.sync({ at: AT, itemsPerPage: 2, inOrder: true });
    expect({ requests, missing: connection.missing() }).toEqual({ requests: 4, missing: ["late"] });
    await connection.recovers();
  });
});

it("the oldest responses are deleted while they are read: the rest comes, and a quiet sync follows", async () => {
  for (let purgeAt = 4; purgeAt < 40; purgeAt += 3) {
    const connection = connectionOf("survey_responses", 1000, { at: (number) => number * 60 });
    connection.latencyMs = 50;
    let pages = 0;
    connection.script = () => {
      if (++pages === purgeAt) connection.service.responses.splice(400);
      return undefined;
    };
    const synced = await connection.sync({ itemsPerPage: 20 });
    expect(synced).toMatchObject(COMPLETE);
    await connection.recovers({ itemsPerPage: 20 });
  }
});

describe("a page that hides what follows, once, loses nothing", () => {
  /** Answers request `number` for a page of the survey that is not the last one otherwise. */
  function answerOnce(
    connection: Connection,
    number: number,
    spoilt: (data: unknown[], next: string) => HttpResponse,
  ) {
    connection.latencyMs = 50;
    let told = false;
    connection.script = (path) => {
      if (!path.startsWith("/surveys/s/")) return undefined;
      const { data, pagination_data } = JSON.parse(connection.service.answer(path, connection.faults).body);
      if (!pagination_data.has_more || --number > 0 || told) return undefined;
      told = true;
      return spoilt(data, pagination_data.next_url);
    };
    return () => told;
  }
  const ends = (data: unknown[]) => page(data);
  const isEmpty = (_: unknown[], next: string) =>
    answering(200, JSON.stringify({ data: [], pagination_data: { has_more: true, next_url: next } }));
  const minutes = { at: (number: number) => number * 60 };

  it.each([
    { responses: 250, number: 1 },
    { responses: 250, number: 2 },
    { responses: 1000, number: 9, inOrder: true },
    { responses: 1000, number: 1, inOrder: true },
    { responses: 1000, number: 1 },
  ])(
    "an end that is told by request $number of $responses responses",
    async ({ responses, number, ...how }) => {
      const connection = connectionOf("survey_responses", responses, minutes);
      const isTold = answerOnce(connection, number, ends);
      expect(await connection.sync(how)).toMatchObject(COMPLETE);
      expect([isTold(), connection.missing()]).toEqual([true, []]);
    },
  );

  it.each([
    ["an end", ends],
    ["an empty page that promises more", isEmpty],
  ])("%s, in whatever part of a list that is cut", async (_, spoilt) => {
    let count = 0;
    for (let number = 1; number < 50; number += 2) {
      const connection = connectionOf("response_key_snapshots", 1000, minutes);
      const isTold = answerOnce(connection, number, spoilt);
      const { records } = await connection.sync({ itemsPerPage: 20 });
      if (isTold()) count++;
      expect(records.map(({ number_of_keys }) => number_of_keys)).toEqual([1000]);
    }
    expect(count).toBeGreaterThan(20);
  });
});

it("empty pages of a service that filters after it cuts its pages are followed: what lies below them comes", async () => {
  const connection = connectionOf("survey_responses", 500, { at: (number) => number * 60 });
  // The responses from 200 to 449 are not shown: two pages are empty, and one is short.
  connection.script = (path) => {
    if (!path.startsWith("/surveys/s/")) return undefined;
    const { data, pagination_data } = JSON.parse(connection.service.answer(path, connection.faults).body);
    const shown = data.filter(({ response }: { response: { uuid: string } }) => {
      const number = Number(response.uuid.slice(1));
      return number < 200 || number >= 450;
    });
    return answering(200, JSON.stringify({ data: shown, pagination_data }));
  };
  expect(await connection.sync()).toMatchObject(COMPLETE);
  expect(connection.missing(), "what is not shown at all").toHaveLength(250);
});

it("links that cannot be followed end a list at a timestamp with more responses than a page holds, and say so", async () => {
  const connection = connectionOf("survey_responses", 0);
  for (let number = 0; number < 250; number++) connection.add(`r${number}`, number, DAY);
  connection.script = (path) => {
    const { body, ...answer } = connection.service.answer(path, connection.faults);
    return { ...answer, body: body.replace(/"next_url":"[^"]*/, "$&#") };
  };
  const refused = await connection.sync();
  expect(refused).toMatchObject({ isComplete: false, codes: ["refused_link"] });
  expect(refused.requests).toBeLessThan(10);
  await connection.recovers();
});
