import { createHash } from "node:crypto";
import { createRecordTreatment, type StreamName } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, NOT_FOUND, PLAIN, page, personId, personOf } from "./support/connection.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const LOOKS_LIKE_AN_OUTAGE = expect.stringContaining("looks like an outage");

/** Persons 1 to `people`, one response each, an hour apart. */
function connectionOf(people: number, stream: StreamName = "respondent_responses"): Connection {
  const attributes = new Map(Array.from({ length: people + 1 }, (_, person) => [personId(person), 1]));
  const connection = new Connection(stream, PLAIN, attributes);
  for (let person = 1; person <= people; person++) connection.add(`r${person}`, person, person * HOUR);
  return connection;
}

/** These people answer 404. */
function deletes(connection: Connection, isDeleted: (person: number) => boolean): void {
  connection.script = (path) => (isDeleted(personOf(path) ?? Number.NaN) ? NOT_FOUND : undefined);
}

/** These responses are left out of their people's lists, in the middle of their pages. */
function hides(connection: Connection, isHidden: (uuid: string) => boolean): void {
  connection.script = (path) =>
    personOf(path) === undefined
      ? undefined
      : connection.altered(path, (items) => items.filter(({ response }) => !isHidden(response.uuid)));
}

const isPerson = (path: string): boolean => personOf(path) !== undefined;

describe("a sync in which no list can be right is not a loss (I6)", () => {
  it.each([
    ["empty lists", page([])],
    ["404", NOT_FOUND],
  ])(
    "%s from everybody, two days later: the stream fails, and the next sync has everything",
    async (_, answer) => {
      const connection = connectionOf(1000);
      connection.script = (path) => (isPerson(path) ? answer : undefined);
      const failed = await connection.sync(1000 * HOUR + 2 * DAY);
      expect(failed).toMatchObject({ isComplete: false, failures: [LOOKS_LIKE_AN_OUTAGE] });
      expect(failed.requests).toBeLessThan(2100);
      connection.script = undefined;
      expect(await connection.sync(1001 * HOUR + 2 * DAY)).toMatchObject({ isComplete: true, failures: [] });
      expect(connection.missing()).toEqual([]);
    },
  );

  it("two such syncs of eight people, who are too few for an outage: the third has everything", async () => {
    const connection = connectionOf(8);
    connection.script = (path) => (isPerson(path) ? NOT_FOUND : undefined);
    for (const hour of [1, 2]) await connection.sync(3 * DAY + hour * HOUR);
    connection.script = undefined;
    await connection.sync(3 * DAY + 3 * HOUR);
    expect(connection.missing()).toEqual([]);
  });

  it.each(["keep", "hash"] as const)(
    "an outage that begins after the fifth person deletes nobody (identifiers: %s)",
    async (respondent_identifiers) => {
      const connection = connectionOf(300);
      const treatment = createRecordTreatment({ respondent_identifiers }, sha256);
      let asked = 0;
      connection.script = (path) => (isPerson(path) && ++asked > 5 ? NOT_FOUND : undefined);
      await connection.sync(300 * HOUR + 3 * DAY, { treatment });
      connection.script = undefined;
      await connection.sync(301 * HOUR + 3 * DAY, { treatment });
      expect(connection.missing()).toEqual([]);
    },
  );
});

it("an outage deletes nobody whose late response the lookback shows (I6)", async () => {
  const connection = connectionOf(20);
  await connection.sync(20 * HOUR + 60);
  connection.add("late", 77, 20 * HOUR - 30);
  connection.add("new", 78, 20 * HOUR + 2 * DAY - 60);
  connection.script = (path) => (isPerson(path) ? NOT_FOUND : undefined);
  await connection.sync(20 * HOUR + 2 * DAY);
  connection.script = undefined;
  await connection.sync(21 * HOUR + 2 * DAY);
  expect(connection.missing()).toEqual([]);
});

describe("people who were deleted in bulk (I6)", () => {
  it.each([
    ["respondent_responses", "half of 652", 652, 326, (person: number) => person % 2 === 0],
    ["respondent_attributes", "half of 652", 652, 326, (person: number) => person % 2 === 0],
    ["respondent_responses", "the oldest half of 600", 600, 300, (person: number) => person <= 300],
    ["respondent_responses", "the newest half of 600", 600, 300, (person: number) => person > 300],
    ["respondent_responses", "1,500 of 3,000", 3000, 1500, (person: number) => person % 2 === 0],
  ] as const)(
    "%s, %s: one sync, complete, at most one more request each",
    async (stream, _, people, deleted, isDeleted) => {
      const connection = connectionOf(people, stream);
      deletes(connection, isDeleted);
      const now = people * HOUR + 2 * DAY;
      const synced = await connection.sync(now);
      expect(synced).toMatchObject({ isComplete: true, failures: [] });
      expect(connection.delivered.size).toBe(people - deleted);
      expect(synced.requests).toBeLessThan(people + people / 100 + deleted + 25);
      expect(synced.warnings).toContainEqual(expect.stringMatching(new RegExp(deleted.toLocaleString("en"))));
      expect((await connection.sync(now + HOUR)).requests).toBeLessThan(10);
    },
  );

  it("one of fifty, in syncs that are killed every ten minutes: everybody else comes, and the stream completes", async () => {
    const connection = connectionOf(2500);
    connection.latencyMs = 3000;
    const isDeleted = (person: number) => person % 50 === 25;
    deletes(connection, isDeleted);
    let now = 2500 * HOUR + 2 * DAY;
    let syncs = 0;
    let isComplete: boolean | undefined;
    while (!isComplete && ++syncs < 8) {
      let beganMs: number | undefined;
      ({ isComplete } = await connection.sync(now, {}, (_, nowMs) => {
        beganMs ??= nowMs;
        return nowMs - beganMs >= 600_000;
      }));
      now += 660;
    }
    expect(isComplete).toBe(true);
    expect(connection.missing().every((uuid) => isDeleted(Number(uuid.slice(1))))).toBe(true);
    expect((await connection.sync(now)).requests).toBeLessThan(10);
  });
});

describe("a person who answers 404 (I6)", () => {
  it("is asked again in the same sync, a minute later: somebody who is there by then is read", async () => {
    const connection = connectionOf(30);
    let firstAt: number | undefined;
    connection.script = (path) => {
      if (personOf(path) !== 7) return undefined;
      firstAt ??= connection.nowS;
      return connection.nowS - firstAt < 60 ? NOT_FOUND : undefined;
    };
    expect(await connection.sync(10 * DAY)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
  });

  it("is asked once in each sync while the response is younger than a day, and read if they are there again", async () => {
    const connection = connectionOf(100);
    const now = 101 * HOUR;
    deletes(connection, (person) => person === 98);
    for (let hour = 0; hour < 8; hour++) {
      const synced = await connection.sync(now + hour * HOUR);
      expect(synced).toMatchObject({ isComplete: true, failures: [] });
      expect(synced.paths.filter((path) => personOf(path) === 98)).toHaveLength(1);
    }
    connection.script = undefined;
    expect((await connection.sync(now + 9 * HOUR)).emitted).toContain("r98");
  });

  it("is asked no more after a second 404 that is more than a day younger than the response", async () => {
    const connection = connectionOf(100);
    deletes(connection, (person) => person === 98);
    await connection.sync(101 * HOUR);
    const second = await connection.sync(101 * HOUR + 2 * DAY);
    expect(second.paths.filter((path) => personOf(path) === 98)).toHaveLength(1);
    expect(second.tookS).toBeLessThan(60);
    const third = await connection.sync(102 * HOUR + 2 * DAY);
    expect(third.paths.filter((path) => personOf(path) === 98)).toEqual([]);
  });

  it("is treated alike if identifiers are kept, hashed and omitted", async () => {
    const outcomes: unknown[] = [];
    for (const respondent_identifiers of ["keep", "hash", "omit"] as const) {
      const connection = connectionOf(100);
      const treatment = createRecordTreatment({ respondent_identifiers }, sha256);
      deletes(connection, (person) => person === 10 || person === 98);
      const first = await connection.sync(101 * HOUR, { treatment });
      expect(first.warnings.join()).not.toContain("the next sync asks once more");
      connection.script = undefined;
      const second = await connection.sync(102 * HOUR, { treatment });
      outcomes.push([
        first.isComplete,
        first.requests,
        second.isComplete,
        second.requests,
        connection.missing(),
      ]);
      expect(second.emitted).toContain("r98");
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
  });
});

describe("a person's list that lacks the response which led to it (I6)", () => {
  it("is never accepted, however old the response is, and what it held is emitted", async () => {
    const connection = connectionOf(50);
    connection.add("newer", 20, 60 * HOUR);
    hides(connection, (uuid) => uuid === "newer");
    for (let day = 10; day < 15; day++) {
      const synced = await connection.sync(day * DAY);
      expect(synced).toMatchObject({ isComplete: true, failures: [] });
      expect(synced.requests).toBeLessThan(day === 10 ? 60 : 10);
      expect(connection.missing()).toEqual(["newer"]);
    }
    connection.script = undefined;
    await connection.sync(15 * DAY);
    expect(connection.missing()).toEqual([]);
  });

  it("is an outage only if more lists lack their leads than hold them", async () => {
    for (const [hidden, isComplete] of [
      [18, true],
      [22, false],
    ] as const) {
      const connection = connectionOf(40);
      hides(connection, (uuid) => Number(uuid.slice(1)) % 20 < hidden / 2);
      const synced = await connection.sync(10 * DAY);
      expect(synced).toMatchObject({ isComplete, failures: isComplete ? [] : [LOOKS_LIKE_AN_OUTAGE] });
      connection.script = undefined;
      expect((await connection.sync(11 * DAY)).isComplete).toBe(true);
      expect(connection.missing()).toEqual([]);
    }
  });

  it.each([100, 25])(
    "comes whole after two syncs of lists that were cut to their newest dozen (page size %i)",
    async (itemsPerPage) => {
      const connection = new Connection("respondent_responses");
      for (let number = 0; number < 600; number++) connection.add(`r${number}`, number % 30, number * HOUR);
      connection.script = (path) => {
        const person = personOf(path);
        if (person === undefined) return undefined;
        const newest = connection.service.responses.filter((each) => each.person === personId(person));
        const kept = new Set(newest.slice(0, 12).map(({ uuid }) => uuid));
        const { data } = JSON.parse(
          connection.altered(path, (items) => items.filter(({ response }) => kept.has(response.uuid))).body,
        );
        return page(data);
      };
      for (const hour of [700, 701]) {
        await connection.sync(hour * HOUR, { itemsPerPage });
        expect(connection.delivered.size).toBe(360);
      }
      connection.script = undefined;
      expect((await connection.sync(702 * HOUR, { itemsPerPage })).isComplete).toBe(true);
      expect(connection.missing()).toEqual([]);
    },
  );
});

it("people's lists that show whole seconds are good lists", async () => {
  const connection = new Connection("respondent_responses");
  for (let number = 0; number < 400; number++)
    connection.add(`r${number}`, number % 40, number * 1000 + (number % 7) / 7);
  connection.script = (path) => {
    if (!isPerson(path)) return undefined;
    const answer = connection.service.answer(path, connection.faults);
    return { ...answer, body: answer.body.replaceAll(/(collected_at":"[^"]*)\.\d{6}Z/g, "$1.000000Z") };
  };
  const first = await connection.sync(200 * HOUR, { itemsPerPage: 20 });
  expect(first).toMatchObject({ isComplete: true, failures: [] });
  expect(connection.missing()).toEqual([]);
  expect((await connection.sync(201 * HOUR, { itemsPerPage: 20 })).requests).toBeLessThan(10);
});

it.each([
  ["not_found", { not_found: [[personId(3), "2026-01-01T03:00:00.000000Z"]] }],
  ["respondents", { respondents: { [personId(3)]: [[null, "2026-01-02T00:00:00.000000Z"]] } }],
])("a stream whose state holds %s starts over", async (_, held) => {
  const connection = connectionOf(20);
  connection.state = {
    version: 1,
    surveys: { s: [[null, "2026-01-02T00:00:00.000000Z"]] },
    ...held,
  } as never;
  await connection.sync(10 * DAY);
  expect(connection.missing()).toEqual([]);
  expect(connection.state).not.toHaveProperty("not_found");
  expect(connection.state).not.toHaveProperty("respondents");
});
