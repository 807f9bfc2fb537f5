import { describe, expect, it } from "vitest";
import { answering, Connection, personId, personOf } from "./support/connection.ts";

const HOUR = 3600;

/** Persons 1 to `people`, one response each, an hour apart. */
function connectionOf(people: number): Connection {
  const connection = new Connection("respondent_responses");
  for (let person = 1; person <= people; person++) connection.add(`r${person}`, person, person * HOUR);
  return connection;
}

function fails(connection: Connection, status: number, isFailing: (person: number) => boolean): void {
  connection.script = (path) => (isFailing(personOf(path) ?? Number.NaN) ? answering(status) : undefined);
}

const everybody = (): boolean => true;
const missingPeople = (connection: Connection): number[] =>
  connection.missing().map((uuid) => Number(uuid.slice(1)));
/** Requests without those that the client sent again. */
const distinct = (paths: readonly string[]): number => new Set(paths).size;

describe.each([403, 422, 500])("people who answer %i for good (I6)", (status) => {
  it.each([
    ["ten neighbours", 600, (person: number) => person > 540 && person <= 550],
    ["fourteen neighbours", 600, (person: number) => person > 540 && person <= 554],
    ["the newest hundred", 600, (person: number) => person > 500],
    ["the oldest hundred", 600, (person: number) => person <= 100],
  ])(
    "%s: everybody else comes in the first sync, and they come when they can be read",
    async (_, people, isFailing) => {
      const connection = connectionOf(people);
      fails(connection, status, isFailing);
      const synced = await connection.sync((people + 1) * HOUR);
      expect(synced.isComplete).toBe(false);
      expect(missingPeople(connection).filter((person) => !isFailing(person))).toEqual([]);
      for (const hour of [2, 3]) {
        connection.add(`r${people + hour}`, people + hour, (people + hour) * HOUR - 60);
        const quiet = await connection.sync((people + hour) * HOUR);
        expect(distinct(quiet.paths)).toBeLessThanOrEqual(80);
        expect(missingPeople(connection).filter((person) => !isFailing(person))).toEqual([]);
      }
      connection.script = undefined;
      expect((await connection.sync((people + 4) * HOUR)).isComplete).toBe(true);
      expect(connection.missing()).toEqual([]);
    },
  );

  it("everybody of the first ten of forty surveys: the people of the others come in the first sync", async () => {
    const connection = new Connection("respondent_responses");
    const surveyIds = Array.from({ length: 40 }, (_, survey) => `s${survey}`);
    for (let person = 0; person < 200; person++)
      connection.add(`r${person}`, person, (person + 1) * HOUR, `s${Math.floor(person / 5)}`);
    fails(connection, status, (person) => person < 50);
    expect((await connection.sync(201 * HOUR, { surveyIds })).isComplete).toBe(false);
    expect(connection.delivered.size).toBe(150);
    connection.script = undefined;
    expect((await connection.sync(202 * HOUR, { surveyIds })).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });

  it("everybody: the stream ends quickly, and the next sync has everything", async () => {
    const connection = connectionOf(1500);
    fails(connection, status, everybody);
    const failed = await connection.sync(1501 * HOUR);
    expect(failed.isComplete).toBe(false);
    expect(failed.failures.length).toBeLessThan(20);
    expect(distinct(failed.paths)).toBeLessThan(80);
    expect(failed.requests).toBeLessThan(250);
    expect(failed.tookS).toBeLessThan(900);
    connection.script = undefined;
    expect(await connection.sync(1502 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
  });
});

it.each(["<html>", '{"data":[]}', ""])(
  "twelve whose pages cannot be read (%j) keep nobody else from being read",
  async (body) => {
    const connection = connectionOf(600);
    const isBroken = (person: number): boolean => person > 540 && person <= 552;
    connection.script = (path) => (isBroken(personOf(path) ?? 0) ? { ...answering(200), body } : undefined);
    expect((await connection.sync(601 * HOUR)).isComplete).toBe(false);
    expect(connection.delivered.size).toBe(588);
    connection.script = undefined;
    expect((await connection.sync(602 * HOUR)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  },
);

it("ten surveys of forty that answer 500 keep the others from nothing", async () => {
  const connection = new Connection("survey_responses");
  const surveyIds = Array.from({ length: 40 }, (_, survey) => `s${survey}`);
  for (let number = 0; number < 200; number++)
    connection.add(`r${number}`, 1, (number + 1) * HOUR, `s${Math.floor(number / 5)}`);
  connection.script = (path) => (/^\/surveys\/s\d\//.test(path) ? answering(500) : undefined);
  expect((await connection.sync(201 * HOUR, { surveyIds })).isComplete).toBe(false);
  expect(connection.delivered.size).toBe(150);
});

it.each(["respondent_responses", "respondent_attributes"] as const)(
  "one who cannot be read holds no page that shows them (%s)",
  async (stream) => {
    const people = Array.from({ length: 951 }, (_, person) => [personId(person), 1] as const);
    const connection = new Connection(stream, undefined, new Map(people));
    // Person 0 is on each of 20 pages; the others are there once.
    for (let number = 0; number < 1000; number++)
      connection.add(
        `r${number}`,
        number % 20 === 0 ? 0 : number - Math.ceil(number / 20) + 1,
        number * HOUR,
      );
    fails(connection, 403, (person) => person === 0);
    const first = await connection.sync(1001 * HOUR, { itemsPerPage: 50 });
    expect(first.isComplete).toBe(false);
    expect(connection.delivered.size).toBe(950);
    expect(first.paths.filter((path) => personOf(path) === 0).length).toBeLessThan(5);
    expect((await connection.sync(1002 * HOUR, { itemsPerPage: 50 })).requests).toBeLessThanOrEqual(70);
    connection.script = undefined;
    expect((await connection.sync(1003 * HOUR, { itemsPerPage: 50 })).isComplete).toBe(true);
    expect(connection.delivered.size).toBe(stream === "respondent_responses" ? 1000 : 951);
  },
);

describe("people who cannot be read for many syncs", () => {
  it.each([
    ["300 neighbours of 500", 500, (person: number) => person > 100 && person <= 400],
    ["every second of 600", 600, (person: number) => person % 2 === 0],
    ["1,000 neighbours of 1,200", 1200, (person: number) => person > 100 && person <= 1100],
  ])("%s: a quiet sync tries about fifty, in turn; those who recover come", async (_, people, isFailing) => {
    const connection = connectionOf(people);
    fails(connection, 403, isFailing);
    await connection.sync((people + 1) * HOUR);
    expect(missingPeople(connection).every(isFailing)).toBe(true);
    expect(JSON.stringify(connection.state).length).toBeLessThan(10_000);
    fails(connection, 403, (person) => isFailing(person) && person % 20 !== 0);
    let syncs = 0;
    while (missingPeople(connection).some((person) => person % 20 === 0)) {
      const { requests } = await connection.sync((people + 2 + syncs) * HOUR);
      expect(requests).toBeLessThanOrEqual(80);
      expect(++syncs).toBeLessThan(40);
    }
    connection.script = undefined;
    expect((await connection.sync((people + 50) * HOUR)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });
});
