import type { HttpResponse, StreamName, Timestamp } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import {
  answering,
  Connection,
  NOT_FOUND,
  PLAIN,
  page,
  personId,
  personOf,
  SECOND,
} from "./support/connection.ts";
import { timestampAt } from "./support/list-service.ts";

/*
 * A service errs for a while and answers well again. A guard that believes such an answer loses data for ever, and
 * nobody is told. Each story ends with healthy syncs that have delivered everything.
 */

const HOUR = 3600;

/** Persons 1 to `people`, one response each, an hour apart. */
function connectionOf(people: number, stream: StreamName = "respondent_responses"): Connection {
  const attributes = new Map(
    Array.from({ length: Math.max(500, people + 1) }, (_, person) => [personId(person), 1]),
  );
  const connection = new Connection(stream, PLAIN, attributes);
  for (let person = 1; person <= people; person++) connection.add(`r${person}`, person, person * HOUR);
  return connection;
}

/** The people of whom `isOf` says so get this answer. */
function answers(connection: Connection, isOf: (person: number) => boolean, answer: HttpResponse): void {
  connection.script = (path) => (isOf(personOf(path) ?? Number.NaN) ? answer : undefined);
}

/** A healthy sync: everything has been delivered after it, and the sync after that has nothing to do. */
async function heals(connection: Connection, nowS: number, options: object = {}): Promise<void> {
  connection.script = undefined;
  expect(await connection.sync(nowS, options)).toMatchObject({ isComplete: true, failures: [] });
  expect(connection.missing()).toEqual([]);
  expect((await connection.sync(nowS + HOUR, options)).requests).toBeLessThan(10);
}

describe("one 404 after a failure closes nothing (c)", () => {
  it.each([
    ["their list failed", answering(500)],
    ["their list was empty", page([])],
  ])("beside others who are found: %s in the sync before", async (_, before) => {
    const connection = connectionOf(100);
    answers(connection, (person) => person === 50, before);
    await connection.sync(101 * HOUR);
    answers(connection, (person) => person === 50, NOT_FOUND);
    connection.add("new", 101, 102 * HOUR);
    await connection.sync(103 * HOUR);
    expect(connection.missing()).toEqual([]);
    await heals(connection, 104 * HOUR);
  });

  it.each(["respondent_responses", "respondent_attributes"] as const)(
    "if nobody is found in that sync, they are asked for again (%s)",
    async (stream) => {
      const connection = connectionOf(100, stream);
      connection.add("elsewhere", 50, 50 * HOUR - 60, "t");
      answers(connection, (person) => person === 50, answering(500));
      await connection.sync(101 * HOUR);
      answers(connection, (person) => person === 50 || person === 100, NOT_FOUND);
      expect((await connection.sync(102 * HOUR)).isComplete).toBe(true);
      connection.script = undefined;
      await connection.sync(103 * HOUR);
      expect(connection.delivered).toContain(
        stream === "respondent_responses" ? "elsewhere" : `${personId(50)} 1`,
      );
    },
  );
});

describe("many people who answer 404 for a while lose no response to a configured survey (a, c)", () => {
  it("a fifth of 2,000, for five minutes of a first sync", async () => {
    const connection = connectionOf(2000);
    connection.latencyMs = 2000;
    let beganS: number | undefined;
    connection.script = (path) => {
      beganS ??= connection.nowS;
      const isMissing = connection.nowS < beganS + 300 && (personOf(path) ?? 1) % 5 === 0;
      return isMissing ? NOT_FOUND : undefined;
    };
    expect(await connection.sync(2001 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
    await heals(connection, 2002 * HOUR);
  });

  it("100 whose responses an import shows before they appear themselves", async () => {
    const connection = connectionOf(300);
    await connection.sync(301 * HOUR);
    for (let person = 301; person <= 400; person++) connection.add(`r${person}`, person, 301 * HOUR + person);
    answers(connection, (person) => person > 300, NOT_FOUND);
    for (const minute of [10, 12]) await connection.sync(301 * HOUR + minute * 60);
    expect(connection.missing()).toEqual([]);
    connection.script = undefined;
    expect(await connection.sync(303 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
  });
});

describe("what a person's list holds says nothing about a survey's responses (a)", () => {
  it.each([
    ["lacks its middle", (uuid: string) => Number(uuid.slice(1)) % 3 === 1],
    ["lacks all but the newest", (uuid: string) => uuid !== "r29"],
  ])("a list that %s", async (_, isHidden) => {
    const connection = new Connection("respondent_responses");
    for (let number = 0; number < 30; number++) connection.add(`r${number}`, 1, number * HOUR);
    connection.script = (path) =>
      personOf(path) === undefined
        ? undefined
        : connection.altered(path, (items) => items.filter(({ response }) => !isHidden(response.uuid)));
    await connection.sync(31 * HOUR);
    expect(connection.missing()).toEqual([]);
    await heals(connection, 32 * HOUR);
  });

  it("a list that lacks the newer one of two responses of one second", async () => {
    const connection = new Connection("respondent_responses");
    connection.add("older", 1, HOUR + 0.1);
    connection.add("newer", 1, HOUR + 0.9);
    connection.add("last", 2, 2 * HOUR);
    connection.script = (path) =>
      personOf(path) === 1
        ? connection.altered(path, (items) => items.filter(({ response }) => response.uuid !== "newer"))
        : undefined;
    await connection.sync(10 * HOUR);
    expect(connection.missing()).toEqual([]);
    await heals(connection, 11 * HOUR);
  });

  it("a list that lacks one of two responses at the start date itself", async () => {
    const connection = new Connection("respondent_responses");
    for (const uuid of ["one", "other"]) connection.add(uuid, 1, HOUR);
    const startDate = timestampAt(HOUR * SECOND) as Timestamp;
    connection.script = (path) =>
      personOf(path) === 1
        ? connection.altered(path, (items) => items.filter(({ response }) => response.uuid !== "one"))
        : undefined;
    await connection.sync(10 * HOUR, { startDate });
    expect(connection.missing()).toEqual([]);
    await heals(connection, 11 * HOUR, { startDate });
  });
});

it("a hole is read again if the service reads the bounds of a request to milliseconds, though it shows more (g)", async () => {
  const connection = connectionOf(0, "respondent_attributes");
  for (let person = 1; person < 500; person++)
    connection.add(`r${person}`, person, person * 60 + (person % 7) * 0.000123);
  let isRefused = (person: number): boolean => person % 100 === 50;
  connection.script = (path) => {
    if (isRefused(personOf(path) ?? 0)) return answering(403);
    const rounded = path.replaceAll(/((?:start|end)=[^&]*\.\d{3})\d{3}Z/g, "$1000Z");
    return connection.service.answer(rounded, connection.faults);
  };
  for (const hour of [10, 11]) await connection.sync(hour * HOUR);
  isRefused = () => false;
  await connection.sync(12 * HOUR);
  for (const person of [50, 150, 250, 350, 450])
    expect(connection.delivered).toContain(`${personId(person)} 1`);
  expect((await connection.sync(13 * HOUR)).requests).toBeLessThan(16);
});

describe("an end of a list that is told once, and wrongly, loses nothing that others have shown below it (g)", () => {
  const COUNT = 2000;
  const [PAGES, itemsPerPage] = [50, 40];
  const LATENCY_S = 0.05;

  function connectionOfPages(stream: StreamName): Connection {
    const connection = new Connection(stream);
    for (let number = 1; number <= COUNT; number++) connection.add(`r${number}`, number % 20, number * 60);
    connection.latencyMs = 1000 * LATENCY_S;
    return connection;
  }

  /** Request `number` for a page of the survey says that nothing follows. */
  function endsAt(connection: Connection, number: number) {
    let lie: { readonly atS: number; readonly last: string } | undefined;
    const tops: string[] = [];
    connection.script = (path) => {
      const { data } = JSON.parse(connection.service.answer(path, connection.faults).body);
      const [top, last] = [data.at(0), data.at(-1)].map((item) => item?.response.collected_at);
      if (top !== undefined && (lie === undefined || connection.nowS < lie.atS + LATENCY_S / 2))
        tops.push(top);
      if (lie !== undefined || number-- > 0 || last === undefined) return undefined;
      lie = { atS: connection.nowS, last };
      return page(data);
    };
    /** Whether something below it was shown by then, or at the same moment: nothing else can show the lie. */
    return { isRefuted: () => tops.some((top) => lie !== undefined && top < lie.last) };
  }

  it("wherever it is told", async () => {
    let refuted = 0;
    for (let number = 1; number < PAGES; number += 2) {
      const connection = connectionOfPages("survey_responses");
      const lie = endsAt(connection, number);
      await connection.sync(COUNT * 60 + HOUR, { itemsPerPage });
      if (!lie.isRefuted()) continue;
      refuted++;
      connection.script = undefined;
      expect((await connection.sync(COUNT * 60 + 2 * HOUR, { itemsPerPage })).isComplete).toBe(true);
      expect([number, connection.missing().length]).toEqual([number, 0]);
      expect((await connection.sync(COUNT * 60 + 3 * HOUR, { itemsPerPage })).requests).toBeLessThan(5);
    }
    expect(refuted).toBeGreaterThan(12);
  });

  it("and no snapshot says that the survey was read whole without it", async () => {
    for (let number = 1; number < PAGES; number += 2) {
      const connection = connectionOfPages("response_key_snapshots");
      const lie = endsAt(connection, number);
      const { records } = await connection.sync(COUNT * 60 + HOUR, { itemsPerPage });
      if (lie.isRefuted()) for (const record of records) expect(record.number_of_keys).toBe(COUNT);
    }
  });
});
