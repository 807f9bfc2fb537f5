import { createHash } from "node:crypto";
import { createRecordTreatment, KEEP_ALL } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, NOT_FOUND, PLAIN, page, personId, personOf, type Synced } from "./support/connection.ts";

const HOUR = 3600;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("people who were deleted in bulk (I6)", () => {
  it.each([
    ["every third of 450", 450, (person: number) => person <= 450 && person % 3 === 0],
    ["every third of 900", 900, (person: number) => person <= 900 && person % 3 === 0],
    ["120 next to each other", 400, (person: number) => person > 100 && person <= 220],
    ["1,000 next to each other", 1500, (person: number) => person > 400 && person <= 1400],
  ])("%s keep nobody else from being read, and the stream completes", async (_, people, isDeleted) => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 1000;
    for (let person = 1; person <= people; person++) connection.add(`r${person}`, person, person * HOUR);
    connection.script = (path) => (isDeleted(personOf(path) ?? Number.NaN) ? NOT_FOUND : undefined);
    const missed = () =>
      connection.service.responses.filter(
        ({ uuid, person }) => !isDeleted(Number(person.slice(24))) && !connection.delivered.has(uuid),
      );
    let now = (people + 1) * HOUR;
    let syncs = 1;
    while (!(await connection.sync(now)).isComplete) {
      expect(missed()).toEqual([]);
      now += HOUR;
      connection.add(`new ${syncs}`, people + syncs, now - 60);
      expect(++syncs).toBeLessThan(16);
    }
    expect(missed()).toEqual([]);
  });

  it.each([false, true])(
    "half of 500, whom the configuration names (%s): the stream completes",
    async (areNamed) => {
      const connection = new Connection("respondent_responses");
      for (let person = 1; person <= 500; person++) connection.add(`r${person}`, person, person * HOUR);
      connection.script = (path) => {
        const person = personOf(path) ?? 1;
        return person <= 500 && person % 2 === 0 ? NOT_FOUND : undefined;
      };
      const respondentUuids = areNamed
        ? Array.from({ length: 250 }, (_, place) => personId(2 * place + 2))
        : [];
      let synced: Synced | undefined;
      for (let hour = 501; hour <= 506; hour++) {
        connection.add(`new ${hour}`, 1001 + 2 * hour, hour * HOUR);
        synced = await connection.sync((hour + 1) * HOUR, { respondentUuids, itemsPerPage: 10 });
      }
      expect(synced).toMatchObject({ isComplete: true, failures: [] });
    },
  );

  it.each([
    ["the first three of six surveys and the last one", 6, [0, 1, 2, 5]],
    ["the first four of twenty surveys and the last two", 20, [0, 1, 2, 3, 18, 19]],
  ])("everybody of %s: the people of the others are read", async (_, surveys, deleted) => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 200;
    for (let number = 0; number < 100 * surveys; number++)
      connection.add(`r${number}`, number, (number + 1) * 60, `s${Math.floor(number / 100)}`);
    const isDeleted = (person: number): boolean => deleted.includes(Math.floor(person / 100));
    connection.script = (path) => (isDeleted(personOf(path) ?? Number.NaN) ? NOT_FOUND : undefined);
    const surveyIds = Array.from({ length: surveys }, (_, survey) => `s${survey}`);
    await connection.sync(200 * HOUR, { surveyIds });
    expect(connection.delivered.size).toBe(100 * (surveys - deleted.length));
  });

  it("the last one of each of 150 quiet surveys, whom the lookback finds again and again: the stream completes", async () => {
    const people = new Map(Array.from({ length: 600 }, (_, person) => [personId(person), 1]));
    const connection = new Connection("respondent_attributes", PLAIN, people);
    connection.latencyMs = 200;
    for (let survey = 0; survey < 300; survey++) {
      connection.add(`older ${survey}`, 300 + survey, survey * HOUR + 60, `s${survey}`);
      connection.add(`last ${survey}`, survey, survey * HOUR + 3000, `s${survey}`);
    }
    const isDeleted = (person: number): boolean => person < 300 && person % 2 === 0;
    connection.script = (path) => (isDeleted(personOf(path) ?? Number.NaN) ? NOT_FOUND : undefined);
    const surveyIds = Array.from({ length: 300 }, (_, survey) => `s${survey}`);
    const complete: unknown[] = [];
    for (let sync = 0; sync < 6; sync++) {
      complete.push((await connection.sync((2000 + sync) * HOUR, { surveyIds })).isComplete);
    }
    expect(complete.slice(-3)).toEqual([true, true, true]);
    expect(connection.delivered.size).toBe(450);
  });

  it("the oldest hundred are not an outage: everybody was asked for", async () => {
    const connection = new Connection("respondent_attributes");
    for (let person = 1; person <= 300; person++) connection.add(`r${person}`, person, person * HOUR);
    connection.script = (path) => ((personOf(path) ?? 101) <= 100 ? NOT_FOUND : undefined);
    expect(await connection.sync(301 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
  });

  it.each([
    ["no outage beside 50 others", 50, true],
    ["an outage if nobody else was found", 0, false],
  ])("120 who are only configured are %s", async (_, others, isComplete) => {
    const connection = new Connection("respondent_responses");
    for (let person = 1; person <= others; person++) connection.add(`r${person}`, person, person);
    connection.script = (path) => ((personOf(path) ?? 0) > 1000 ? NOT_FOUND : undefined);
    const respondentUuids = Array.from({ length: 120 }, (_, number) => personId(1001 + number));
    const synced = await connection.sync(HOUR, { respondentUuids });
    expect(synced.isComplete).toBe(isComplete);
    expect(synced.failures).toHaveLength(isComplete ? 0 : 1);
    expect(connection.delivered.size).toBe(others);
  });
});

describe("a respondent who is not found for one sync, with an older response and a recent one", () => {
  const NOW = 100 * HOUR;

  /** Delivers everything in later syncs, when the respondent is found again. */
  async function recover(connection: Connection, options: object): Promise<void> {
    connection.script = undefined;
    for (let hour = 1; hour <= 3; hour++) {
      connection.add(`later ${hour}`, 600 + hour, NOW + hour * HOUR - 600);
      await connection.sync(NOW + hour * HOUR, options);
    }
  }

  it("gets the recent one, found on a later page after they counted as deleted", async () => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 5000;
    const options = { surveyIds: ["old", "s"], itemsPerPage: 5 };
    connection.add("old", 1, NOW - 48 * HOUR, "old");
    connection.add("s old", 2, NOW - 48 * HOUR);
    await connection.sync(NOW - 24 * HOUR, options);
    connection.add("recent", 1, NOW - 2 * HOUR);
    connection.add("new", 3, NOW - 2 * HOUR, "old");
    for (let number = 0; number < 600; number++)
      connection.add(`r${number}`, 10 + number, NOW - 6500 + number * 10);
    connection.script = (path) => (personOf(path) === 1 ? NOT_FOUND : undefined);
    await connection.sync(NOW, options);
    await recover(connection, options);
    expect(connection.delivered).toContain("recent");
  });

  it("gets the recent one, although the state may not name them", async () => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 500;
    const treatment = createRecordTreatment({ respondent_identifiers: "hash" }, sha256);
    const options = { surveyIds: ["old", "s"], treatment };
    connection.add("old", 1, NOW - 48 * HOUR, "old");
    connection.add("x", 2, NOW - 47 * HOUR, "old");
    connection.add("recent", 1, NOW - HOUR);
    for (let number = 0; number < 5; number++)
      connection.add(`r${number}`, 10 + number, NOW - HOUR + number * 600 + 30);
    connection.script = (path) => (personOf(path) === 1 ? NOT_FOUND : undefined);
    await connection.sync(NOW, options);
    await recover(connection, options);
    expect(connection.delivered).toContain("recent");
  });
});

describe("an outage of the respondents' lists", () => {
  it("is reported once, and loses nobody", async () => {
    const connection = new Connection("respondent_responses");
    for (let person = 1; person <= 600; person++) connection.add(`r${person}`, person, person * HOUR);
    connection.script = (path) => (personOf(path) === undefined ? undefined : NOT_FOUND);
    const failed = await connection.sync(601 * HOUR);
    expect(failed).toMatchObject({
      isComplete: false,
      failures: [expect.stringContaining("looks like an outage")],
    });
    expect(failed.requests).toBeLessThan(1300);
    connection.script = undefined;
    expect((await connection.sync(602 * HOUR)).isComplete).toBe(true);
    expect(connection.delivered.size).toBe(600);
  });

  it.each([
    ["keep", KEEP_ALL],
    ["hash", createRecordTreatment({ respondent_identifiers: "hash" }, sha256)],
  ] as const)("is reported if few people are left to try, too (identifiers: %s)", async (_, treatment) => {
    const connection = new Connection("respondent_responses");
    for (let person = 1; person <= 150; person++) connection.add(`r${person}`, person, person * HOUR);
    connection.script = (path) => (personOf(path) === undefined ? undefined : NOT_FOUND);
    expect((await connection.sync(151 * HOUR, { treatment })).isComplete).toBe(false);
  });
});

it.each([90, 110])(
  "%i responses from the future, ten a page, do not keep a stream from advancing",
  async (future) => {
    const connection = new Connection("respondent_responses");
    for (let person = 1; person <= 300; person++) connection.add(`r${person}`, person, person * 60);
    for (let number = 1; number <= future; number++)
      connection.add(`future ${number}`, 1, 100 * HOUR + number);
    const requests: number[] = [];
    for (let hour = 6; hour <= 8; hour++)
      requests.push((await connection.sync(hour * HOUR, { itemsPerPage: 10 })).requests);
    expect(connection.state!.surveys.s).toBeDefined();
    expect(requests[2]).toBeLessThan(requests[0]! / 2);
  },
);

describe("a respondent's list that lacks the response which led to it", () => {
  const STREAM = "respondent_responses";

  it("is read again until it holds it, while that is less than a day old", async () => {
    const connection = new Connection(STREAM);
    connection.add("r1", 1, HOUR - 600);
    connection.add("r2", 2, HOUR);
    connection.script = (path) => (personOf(path) === 2 ? page([]) : undefined);
    await connection.sync(HOUR + 60);
    connection.add("r3", 3, 2 * HOUR);
    await connection.sync(2 * HOUR + 60);
    connection.script = undefined;
    await connection.sync(3 * HOUR);
    expect([...connection.delivered].sort()).toEqual(["r1", "r2", "r3"]);
  });

  it("is read again if the newer of two responses is missing", async () => {
    const connection = new Connection(STREAM);
    connection.add("r1", 1, HOUR);
    connection.add("r2", 2, HOUR + 60);
    connection.add("r3", 2, 2 * HOUR);
    connection.add("r4", 4, 3 * HOUR);
    connection.script = (path) => {
      if (personOf(path) !== 2) return undefined;
      const whole = connection.service.answer(path, connection.faults);
      const { data } = JSON.parse(whole.body);
      return page(data.filter(({ response }: { response: { uuid: string } }) => response.uuid !== "r3"));
    };
    await connection.sync(3 * HOUR + 60);
    connection.script = undefined;
    await connection.sync(4 * HOUR);
    expect(connection.delivered).toContain("r3");
  });

  it.each([
    [5, 400],
    [100, 3000],
  ])("is not seen in people of several pages (page size %i, %i responses)", async (itemsPerPage, count) => {
    const connection = new Connection(STREAM);
    connection.latencyMs = 100;
    for (let number = 1; number <= count; number++)
      connection.add(`r${number}`, number % 3, 12 * HOUR + (number * 10 * HOUR) / count);
    await connection.sync(23 * HOUR, { itemsPerPage });
    connection.add("new", 50, 23 * HOUR + 60);
    expect((await connection.sync(24 * HOUR, { itemsPerPage })).requests).toBeLessThan(20);
  });

  it("does not confirm a respondent who was not found before", async () => {
    const connection = new Connection(STREAM);
    for (let person = 1; person <= 9; person++) connection.add(`r${person}`, person, person * 1000);
    connection.script = (path) => (personOf(path) === 3 ? NOT_FOUND : undefined);
    await connection.sync(3 * HOUR);
    connection.script = (path) => (personOf(path) === 3 ? page([]) : undefined);
    await connection.sync(4 * HOUR);
    connection.script = undefined;
    await connection.sync(5 * HOUR);
    expect(connection.delivered).toContain("r3");
  });
});

it("the older responses of somebody who was not found are not lost if identifiers are hashed from then on", async () => {
  const connection = new Connection("respondent_responses");
  for (let person = 1; person <= 20; person++) connection.add(`r${person}`, person, person * 100);
  connection.add("older", 7, 350);
  connection.script = (path) => (personOf(path) === 7 ? NOT_FOUND : undefined);
  await connection.sync(3 * HOUR);
  connection.script = undefined;
  const treatment = createRecordTreatment({ respondent_identifiers: "hash" }, sha256);
  await connection.sync(4 * HOUR, { treatment }, () => true);
  await connection.sync(5 * HOUR, { treatment });
  expect([...connection.delivered]).toEqual(expect.arrayContaining(["r7", "older"]));
});

describe("state and requests do not grow with the number of syncs", () => {
  it.each([false, true])("if lists close with an empty page: %s", async (closesEmpty) => {
    const connection = new Connection("survey_responses", { ...PLAIN, closesEmpty });
    const requests: number[] = [];
    for (let hour = 1; hour <= 20; hour++) {
      for (let place = 1; place <= 8; place++)
        connection.add(`r${hour}-${place}`, place, (hour + place / 9) * HOUR);
      const synced = await connection.sync((hour + 1) * HOUR);
      expect(synced.isComplete).toBe(true);
      requests.push(synced.requests);
    }
    expect(connection.delivered.size).toBe(160);
    expect(connection.state!.surveys.s!.length).toBeLessThan(4);
    expect(requests.at(-1)).toBeLessThanOrEqual(requests[2]!);
  });

  it("if 150 of the newest responses name nobody: the people of the older ones are read once", async () => {
    const connection = new Connection("respondent_attributes");
    for (let number = 1; number <= 600; number++) connection.add(`r${number}`, number, 60 * number);
    const nameless = connection.service.responses.slice(0, 150);
    const unreadable = new Map(nameless.map(({ uuid }) => [uuid, "respondent" as const]));
    connection.faults = { ...connection.faults, unreadable };
    const requests: number[] = [];
    for (let hour = 11; hour <= 13; hour++) requests.push((await connection.sync(hour * HOUR)).requests);
    expect(requests[0]).toBeGreaterThan(450);
    expect(Math.max(...requests.slice(1))).toBeLessThan(20);
  });

  it("if many items cannot be read", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 3000; number++) connection.add(`r${number}`, 1, number);
    const unreadable = connection.service.responses.filter((_, place) => place % 5 === 2);
    connection.faults = {
      ...connection.faults,
      unreadable: new Map(unreadable.map(({ uuid }) => [uuid, "uuid"])),
    };
    await connection.sync(HOUR);
    expect(JSON.stringify(connection.state).length).toBeLessThan(10_000);
    expect(connection.delivered.size).toBe(2400);
  });
});

it("a service that shows timestamps rounded to the nearest millisecond is read whole (S7)", async () => {
  const connection = new Connection("survey_responses", { ...PLAIN, shows: "nearest millisecond" });
  connection.latencyMs = 20;
  for (let number = 1; number <= 3000; number++)
    connection.add(`r${number}`, 1, ((number * 7919) % 2_000_000) / 1_000_000);
  expect(await connection.sync(HOUR, { itemsPerPage: 20 })).toMatchObject({ isComplete: true, failures: [] });
  expect(connection.delivered.size).toBe(3000);
});
