import { createHash } from "node:crypto";
import {
  createRecordTreatment,
  type HttpResponse,
  type StreamName,
  type Timestamp,
} from "@survey-export/core";
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
import { EPOCH_MS, timestampAt } from "./support/list-service.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const BOTH = ["respondent_responses", "respondent_attributes"] as const;
const LOOKS_LIKE_AN_OUTAGE = expect.stringContaining("looks like an outage");

/** Persons 1 to `people`, one attribute and one response each, an hour apart. */
function connectionOf(people: number, stream: StreamName = "respondent_responses"): Connection {
  const attributes = new Map(Array.from({ length: 2000 }, (_, person) => [personId(person), 1]));
  const connection = new Connection(stream, PLAIN, attributes);
  for (let person = 1; person <= people; person++) connection.add(`r${person}`, person, person * HOUR);
  return connection;
}

/** The people of whom `isOf` says so get this answer. */
function answers(connection: Connection, isOf: (person: number) => boolean, answer: HttpResponse): void {
  connection.script = (path) => (isOf(personOf(path) ?? Number.NaN) ? answer : undefined);
}

const twice = (keys: readonly unknown[]): unknown[] =>
  keys.filter((key, place) => keys.indexOf(key) !== place);

/** Numbers of the people of whom the stream has delivered nothing. */
function missingPeople(connection: Connection, people: number): number[] {
  const names = [...connection.delivered].map((key) =>
    key.startsWith("r") ? Number(key.slice(1)) : Number(key.slice(24, 36)),
  );
  return Array.from({ length: people }, (_, place) => place + 1).filter((person) => !names.includes(person));
}

describe("a record comes from where it is (a)", () => {
  it("a response to a configured survey looks as its person's list shows it", async () => {
    const ofSurvey = new Connection("respondent_responses");
    const ofPerson = new Connection("respondent_responses");
    for (const connection of [ofSurvey, ofPerson]) {
      for (let number = 0; number < 9; number++) connection.add(`r${number}`, 1, number * HOUR);
      connection.script = (path) => {
        const answer = connection.service.answer(path, connection.faults);
        const attributes =
          personOf(path) === undefined ? '"attributes":[{"id":1,"value":"v"}]' : '"attributes":[]';
        return { ...answer, body: answer.body.replaceAll('"attributes":[]', attributes) };
      };
    }
    const { records } = await ofSurvey.sync(DAY);
    const theirs = await ofPerson.sync(DAY, { surveyIds: [], respondentUuids: [personId(1)] });
    expect(records).toHaveLength(9);
    expect(records).toEqual(theirs.records);
  });

  it("a response to another survey comes from its person's list, once", async () => {
    const connection = new Connection("respondent_responses");
    // The last of three surveys is not configured.
    for (let number = 0; number < 900; number++)
      connection.add(`r${number}`, number % 44, number * 900, `s${number % 3}`);
    const options = { surveyIds: ["s0", "s1"], itemsPerPage: 25, respondentUuids: [personId(3)] };
    const synced = await connection.sync(901 * 900, options);
    expect(synced).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
    expect(twice(synced.emitted)).toEqual([]);
  });

  it("an item of a person's list that names no survey is left out, with a warning", async () => {
    const connection = connectionOf(20);
    connection.script = (path) =>
      personOf(path) === undefined
        ? undefined
        : connection.altered(path, (items) => items.map(({ response }) => ({ response })));
    const { emitted, warnings, isComplete } = await connection.sync(21 * HOUR);
    expect([emitted.length, isComplete]).toEqual([20, true]);
    expect(warnings).toContainEqual(expect.stringContaining("names no survey"));
  });
});

describe("everybody is read once in a sync and stream (b)", () => {
  it.each(BOTH)(
    "however many pages show them, and whether or not the configuration names them (%s)",
    async (stream) => {
      const connection = connectionOf(0, stream);
      for (let number = 0; number < 900; number++)
        connection.add(`r${number}`, number % 45, number * 900, `s${number % 2}`);
      const options = {
        surveyIds: ["s0", "s1"],
        respondentUuids: [personId(3), personId(99)],
        itemsPerPage: 25,
      };
      const { paths } = await connection.sync(901 * 900, options);
      expect(twice(paths.filter((path) => personOf(path) !== undefined))).toEqual([]);
    },
  );

  it.each([
    ["10 s after", 10, true],
    ["just less than the lookback before", -595, true],
    ["an hour before", -HOUR, false],
  ])(
    "what came %s their reading began, in a survey that was read later, leaves a hole: the rest comes in the next sync",
    async (_, afterS, comesNext) => {
      const connection = new Connection("respondent_responses");
      connection.latencyMs = 30_000;
      const surveyIds = Array.from({ length: 120 }, (_, survey) => `s${survey}`);
      // The newest one of each survey is another person's: the lookback of the next sync shows nobody else again.
      for (let person = 0; person < 120; person++) {
        connection.add(`r${person}`, person, 9 * DAY, `s${person}`);
        // Their own lists do not look as if they lagged.
        connection.add(`other ${person}`, person, 10 * DAY + 30, "not configured");
        connection.add(`last ${person}`, 200 + person, 9 * DAY + HOUR, `s${person}`);
      }
      let first: { readonly person: number; readonly beganS: number } | undefined;
      let isAnswered = false;
      connection.script = (path) => {
        const person = personOf(path);
        const survey = /^\/surveys\/(s\d+)\//.exec(path)?.[1];
        if (person !== undefined && person < 200) first ??= { person, beganS: connection.nowS - 30 };
        if (survey === undefined || first === undefined || isAnswered || connection.nowS < first.beganS + 700)
          return undefined;
        isAnswered = true;
        connection.add("elsewhere", first.person, first.beganS + afterS - 1, "not configured");
        connection.add("leads there", first.person, first.beganS + afterS, survey);
        connection.add("newer", 500, connection.nowS - 2, survey);
        return undefined;
      };
      await connection.sync(10 * DAY, { surveyIds });
      expect(isAnswered && connection.delivered.has("leads there")).toBe(true);
      expect(connection.delivered.has("elsewhere")).toBe(false);
      connection.script = undefined;
      await connection.sync(10 * DAY + HOUR, { surveyIds });
      expect(connection.delivered.has("elsewhere")).toBe(comesNext);
      expect((await connection.sync(10 * DAY + 2 * HOUR, { surveyIds })).requests).toBeLessThan(250);
    },
  );
});

describe("a person who answers 404 is not there (c)", () => {
  it.each([
    ["half of 652", 652, 326, (person: number) => person % 2 === 0],
    ["1,000 next to each other", 1500, 1000, (person: number) => person > 400 && person <= 1400],
  ])(
    "%s: one sync, complete, one request each, one warning, and no request later",
    async (_, people, deleted, isDeleted) => {
      for (const stream of BOTH) {
        const connection = connectionOf(people, stream);
        answers(connection, isDeleted, NOT_FOUND);
        const synced = await connection.sync((people + 1) * HOUR);
        expect(synced).toMatchObject({ isComplete: true, failures: [] });
        expect(synced.warnings.filter((each) => each.includes("404"))).toEqual([
          expect.stringContaining(`${deleted.toLocaleString("en")} respondents were not found`),
        ]);
        expect(synced.requests).toBeLessThan(people + people / 100 + 8);
        const lost = stream === "respondent_attributes" ? deleted : 0;
        expect(missingPeople(connection, people)).toHaveLength(lost);
        expect((await connection.sync((people + 2) * HOUR)).requests).toBeLessThan(5);
      }
    },
  );

  it.each([
    [8, true],
    [300, false],
  ])(
    "but if nobody is found, %i people are asked for again; ten or more are an outage",
    async (people, isComplete) => {
      for (const stream of BOTH) {
        const connection = connectionOf(people, stream);
        answers(connection, (person) => person > 0, NOT_FOUND);
        for (const hour of [1, 2]) {
          const synced = await connection.sync((people + hour) * HOUR);
          const failures = isComplete ? [] : [LOOKS_LIKE_AN_OUTAGE];
          expect(synced).toMatchObject({ isComplete, failures });
          expect(synced.tookS).toBeLessThan(60);
        }
        connection.script = undefined;
        expect((await connection.sync((people + 3) * HOUR)).isComplete).toBe(true);
        expect(missingPeople(connection, people)).toEqual([]);
        expect((await connection.sync((people + 4) * HOUR)).requests).toBeLessThan(5);
      }
    },
  );

  it("until somebody is found: those of the pages before are asked for again, and no others", async () => {
    const connection = connectionOf(300, "respondent_attributes");
    // The first page has the newest hundred.
    answers(connection, (person) => person > 200, NOT_FOUND);
    expect(await connection.sync(301 * HOUR, { inOrder: true })).toMatchObject({
      isComplete: true,
      failures: [],
    });
    connection.script = undefined;
    expect((await connection.sync(302 * HOUR)).requests).toBeLessThan(105);
    expect(missingPeople(connection, 300)).toEqual([]);
  });

  it.each(["keep", "hash", "omit"] as const)(
    "in the same way if identifiers are treated (%s)",
    async (respondent_identifiers) => {
      const treatment = createRecordTreatment({ respondent_identifiers }, (text) =>
        createHash("sha256").update(text).digest("hex"),
      );
      const connection = connectionOf(100);
      answers(connection, (person) => person === 10, NOT_FOUND);
      const synced = await connection.sync(101 * HOUR, { treatment });
      expect([synced.isComplete, synced.requests, connection.missing()]).toEqual([true, 101, []]);
    },
  );

  it("people who appear later than their responses come when they answer again", async () => {
    const connection = connectionOf(50, "respondent_attributes");
    await connection.sync(51 * HOUR);
    for (let person = 51; person <= 150; person++) connection.add(`r${person}`, person, 52 * HOUR + person);
    answers(connection, (person) => person > 51, NOT_FOUND);
    await connection.sync(53 * HOUR);
    expect(missingPeople(connection, 150)).toHaveLength(99);
    connection.script = undefined;
    for (let person = 51; person <= 150; person++)
      connection.add(`again ${person}`, person, 54 * HOUR + person);
    await connection.sync(55 * HOUR);
    expect(missingPeople(connection, 150)).toEqual([]);
    // Those of the lookback.
    expect((await connection.sync(56 * HOUR)).requests).toBeLessThan(110);
  });
});

describe("around a person whose list fails a hole stays (d)", () => {
  it.each([
    [9, true],
    [10, false],
  ])(
    "%i who fail: complete with one warning, or incomplete with one failure from ten on",
    async (count, isComplete) => {
      for (const status of [403, 422, 500]) {
        const connection = connectionOf(300, "respondent_attributes");
        answers(connection, (person) => person % 30 === 0 && person <= 30 * count, answering(status));
        const synced = await connection.sync(301 * HOUR);
        expect([synced.isComplete, synced.failures.length]).toEqual([isComplete, isComplete ? 0 : 1]);
        const [told] = isComplete ? synced.warnings : synced.failures;
        expect(told).toContain(`${count} respondents`);
        expect(missingPeople(connection, 300)).toHaveLength(count);
        const requestsOfOne = synced.paths.filter((path) => personOf(path) === 30);
        expect(requestsOfOne.length).toBeLessThanOrEqual(4);
        const quiet = await connection.sync(302 * HOUR);
        expect(new Set(quiet.paths).size).toBeLessThanOrEqual(2 * count + 2);
        connection.script = undefined;
        expect((await connection.sync(303 * HOUR)).isComplete).toBe(true);
        expect(missingPeople(connection, 300)).toEqual([]);
        expect((await connection.sync(304 * HOUR)).requests).toBeLessThan(5);
      }
    },
  );

  it.each(["<html>", '{"data":[]}', ""])("also if what came cannot be read as a page (%j)", async (body) => {
    const connection = connectionOf(100, "respondent_attributes");
    answers(connection, (person) => person === 50, { ...answering(200), body });
    expect((await connection.sync(101 * HOUR)).isComplete).toBe(true);
    connection.script = undefined;
    await connection.sync(102 * HOUR);
    expect(missingPeople(connection, 100)).toEqual([]);
  });

  it("everybody: the stream ends soon, the responses come all the same, and the next sync has the others", async () => {
    const connection = connectionOf(1500);
    for (let person = 1; person <= 1500; person++)
      connection.add(`t${person}`, person, person * HOUR - 60, "t");
    answers(connection, (person) => person > 0, answering(500));
    const failed = await connection.sync(1501 * HOUR);
    expect([failed.isComplete, failed.failures.length]).toEqual([false, 1]);
    expect(failed.requests).toBeLessThan(150);
    expect(failed.tookS).toBeLessThan(900);
    expect(connection.delivered.size).toBe(1500);
    connection.script = undefined;
    expect(await connection.sync(1502 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(1503 * HOUR)).requests).toBeLessThan(5);
  });

  it("one on each of 20 pages is asked for once, and holds back nobody else", async () => {
    const connection = connectionOf(0, "respondent_attributes");
    for (let number = 0; number < 1000; number++)
      connection.add(`r${number}`, number % 20 === 0 ? 1000 : number, number * HOUR);
    answers(connection, (person) => person === 1000, answering(403));
    const first = await connection.sync(1001 * HOUR, { itemsPerPage: 50 });
    expect(connection.delivered.size).toBe(950);
    expect(first.paths.filter((path) => personOf(path) === 1000)).toHaveLength(1);
    expect((await connection.sync(1002 * HOUR, { itemsPerPage: 50 })).requests).toBeLessThanOrEqual(55);
    connection.script = undefined;
    await connection.sync(1003 * HOUR, { itemsPerPage: 50 });
    expect(connection.delivered.size).toBe(951);
  });
});

describe("a list of responses that lags behind the survey leaves a hole (d)", () => {
  /** Person 5 has an older response, and others to a survey that is not configured. */
  function connectionOfLagging(hidden: readonly string[], startDate = 0) {
    const connection = connectionOf(30);
    connection.add("elsewhere", 5, 5 * HOUR - 60, "t");
    connection.add("newest elsewhere", 5, 5 * HOUR + 60, "t");
    connection.script = (path) =>
      personOf(path) === 5
        ? connection.altered(path, (items) => items.filter(({ response }) => !hidden.includes(response.uuid)))
        : undefined;
    return { connection, startDate: timestampAt(startDate * SECOND) as Timestamp };
  }

  it.each([
    ["empty", ["r5", "elsewhere", "newest elsewhere"]],
    ["without its newest", ["r5", "newest elsewhere"]],
  ])(
    "%s for two syncs: what it lacked comes when it is there, and its person is asked for in each sync",
    async (_, hidden) => {
      const { connection } = connectionOfLagging(hidden);
      for (const hour of [40, 41]) {
        const synced = await connection.sync(hour * HOUR);
        expect(synced).toMatchObject({ isComplete: true, failures: [] });
        expect(synced.warnings).toContainEqual(
          expect.stringContaining("lack a response that a survey shows"),
        );
      }
      connection.script = undefined;
      await connection.sync(42 * HOUR);
      expect(connection.missing()).toEqual([]);
      expect((await connection.sync(43 * HOUR)).requests).toBeLessThan(5);
    },
  );

  it("its newest response counts wherever it lies: before the start date, too", async () => {
    const { connection, startDate } = connectionOfLagging(["nothing"], 5 * HOUR);
    connection.script = (path) => {
      if (personOf(path) !== 5) return undefined;
      return connection.altered(path, (items) =>
        items
          .map((item) =>
            item.response.uuid === "r5"
              ? {
                  ...item,
                  response: { ...item.response, collected_at: timestampAt(5 * HOUR * SECOND - 900_000) },
                }
              : item,
          )
          .filter(({ response }) => response.uuid !== "newest elsewhere"),
      );
    };
    const synced = await connection.sync(40 * HOUR, { startDate });
    expect(synced.warnings).toEqual([]);
    expect(
      (await connection.sync(41 * HOUR, { startDate })).paths.filter((path) => personOf(path) === 5),
    ).toEqual([]);
  });

  it.each([
    [18, true],
    [22, false],
  ])(
    "of 40 lists, %i that lag: an outage only if they are ten, and more than the good ones",
    async (lagging, isComplete) => {
      const connection = connectionOf(40);
      answers(connection, (person) => person % 20 < lagging / 2, page([]));
      const synced = await connection.sync(50 * HOUR);
      expect(synced).toMatchObject({ isComplete, failures: isComplete ? [] : [LOOKS_LIKE_AN_OUTAGE] });
      connection.script = undefined;
      expect((await connection.sync(51 * HOUR)).isComplete).toBe(true);
      expect((await connection.sync(52 * HOUR)).requests).toBeLessThan(5);
    },
  );

  it("a stream that has stopped asking is incomplete, and asks for the others in the next sync", async () => {
    const connection = connectionOf(1000);
    for (let person = 1; person <= 1001; person++)
      connection.add(`x${person}`, person, person * HOUR - 60, "t");
    answers(connection, (person) => person <= 500, page([]));
    const options = { respondentUuids: [personId(1001)] };
    expect((await connection.sync(1100 * HOUR, options)).isComplete).toBe(false);
    connection.script = undefined;
    expect((await connection.sync(1101 * HOUR, options)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(1102 * HOUR, options)).requests).toBeLessThan(5);
  });

  it("lists that show whole seconds do not lag", async () => {
    const connection = new Connection("respondent_responses", { ...PLAIN, peopleShow: "seconds" });
    for (let number = 0; number < 400; number++)
      connection.add(`r${number}`, number % 40, number * 1000 + (number % 7) / 7);
    const first = await connection.sync(200 * HOUR, { itemsPerPage: 20 });
    expect(first).toMatchObject({ isComplete: true, failures: [], warnings: [] });
    expect((await connection.sync(201 * HOUR, { itemsPerPage: 20 })).requests).toBeLessThan(10);
  });

  it("people with lists of several pages do not lag", async () => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 100;
    for (let number = 1; number <= 3000; number++)
      connection.add(`r${number}`, number % 3, 12 * HOUR + number * 12);
    expect(await connection.sync(23 * HOUR)).toMatchObject({ isComplete: true, warnings: [] });
    connection.add("new", 50, 23 * HOUR + 60);
    expect((await connection.sync(24 * HOUR)).requests).toBeLessThan(40);
  });
});

it("a kiosk's list of 5,000 responses is read once in each sync in which it answers", async () => {
  const connection = new Connection("respondent_responses");
  for (let number = 0; number < 5000; number++) connection.add(`r${number}`, 1, number * 60);
  const first = await connection.sync(5001 * 60);
  expect(connection.missing()).toEqual([]);
  expect(first.requests).toBeLessThanOrEqual(2 * 50 + 10);
  connection.add("new", 1, 5001 * 60 + 1800);
  const { emitted, requests } = await connection.sync(5001 * 60 + HOUR);
  expect(emitted).toContain("new");
  expect(emitted.length).toBeLessThan(20);
  expect(requests).toBeLessThanOrEqual(52);
});

describe("responses that name nobody count as read (f)", () => {
  it.each(BOTH)(
    "200 of 1,000: complete, with a warning that counts them, and no request later (%s)",
    async (stream) => {
      const connection = connectionOf(1000, stream);
      const nameless = connection.service.responses.filter((_, place) => place % 5 === 0);
      connection.faults = {
        ...connection.faults,
        unreadable: new Map(nameless.map(({ uuid }) => [uuid, "respondent"])),
      };
      const first = await connection.sync(1001 * HOUR);
      expect(first).toMatchObject({ isComplete: true, failures: [] });
      expect(first.warnings).toContainEqual(expect.stringContaining("200"));
      expect(missingPeople(connection, 1000)).toHaveLength(200);
      expect((await connection.sync(1002 * HOUR)).requests).toBeLessThan(5);
    },
  );

  it.each([
    [9, true],
    [50, false],
  ])("if all of %i do, ten or more, the stream is incomplete once", async (count, isComplete) => {
    for (const stream of BOTH) {
      const connection = connectionOf(count, stream);
      const unreadable = new Map(
        connection.service.responses.map(({ uuid }) => [uuid, "respondent" as const]),
      );
      connection.faults = { ...connection.faults, unreadable };
      expect((await connection.sync((count + 1) * HOUR)).isComplete).toBe(isComplete);
      const second = await connection.sync((count + 2) * HOUR);
      expect([second.isComplete, second.requests < 5]).toEqual([true, true]);
    }
  });
});

describe("people whom the configuration names (h)", () => {
  const THREE = [personId(1), personId(2), personId(3)];

  /** Three people with ten responses each, a day apart, to a survey that is not configured. */
  function connectionOfThree(): Connection {
    const connection = connectionOf(0);
    for (let number = 0; number < 30; number++)
      connection.add(`r${number}`, 1 + (number % 3), (1 + Math.floor(number / 3)) * DAY + number, "t");
    return connection;
  }

  it("are read like surveys: what was delivered comes no more, but for the lookback", async () => {
    const connection = connectionOfThree();
    const options = { respondentUuids: THREE };
    expect((await connection.sync(20 * DAY, options)).emitted).toHaveLength(30);
    connection.add("new", 2, 20 * DAY + HOUR, "t");
    connection.add("late", 1, 10 * DAY - 300, "t");
    expect((await connection.sync(21 * DAY, options)).emitted).toEqual(
      expect.arrayContaining(["new", "late"]),
    );
    const third = await connection.sync(22 * DAY, options);
    expect(third.emitted.length).toBeLessThan(5);
    expect(third.requests).toBeLessThan(6);
  });

  it("are in the state of responses, in lower case, and only those who are configured now", async () => {
    const connection = connectionOfThree();
    await connection.sync(20 * DAY, { respondentUuids: THREE.map((uuid) => uuid.toUpperCase()) });
    expect(Object.keys(connection.state!.respondents!)).toEqual(THREE);
    await connection.sync(21 * DAY, { respondentUuids: THREE.slice(1) });
    expect(Object.keys(connection.state!.respondents!)).toEqual(THREE.slice(1));
    expect((await connection.sync(22 * DAY, { respondentUuids: THREE })).emitted).toEqual(
      expect.arrayContaining(["r0", "r27"]),
    );
  });

  it("are read again if their list failed midway in one sync, and was empty in the next", async () => {
    const connection = connectionOf(3);
    for (let number = 0; number < 9; number++) connection.add(`t${number}`, 1, number * HOUR, "t");
    const options = { respondentUuids: [personId(1)], itemsPerPage: 2 };
    let pages = 0;
    connection.script = (path) => (personOf(path) === 1 && pages++ > 0 ? answering(500) : undefined);
    expect((await connection.sync(40 * HOUR, options)).isComplete).toBe(false);
    connection.script = (path) => (personOf(path) === 1 ? page([]) : undefined);
    expect((await connection.sync(41 * HOUR, options)).warnings).toContainEqual(
      expect.stringContaining("lack a response that a survey shows"),
    );
    connection.script = undefined;
    await connection.sync(42 * HOUR, options);
    expect(connection.missing()).toEqual([]);
  });

  it("are asked for once, at the time when a page leads to them, over the same gaps", async () => {
    const connection = connectionOfThree();
    await connection.sync(20 * DAY, { respondentUuids: THREE });
    connection.add("shown", 2, 20 * DAY + HOUR);
    connection.add("new", 2, 20 * DAY + 2 * HOUR, "t");
    const { paths, emitted } = await connection.sync(21 * DAY, { respondentUuids: THREE });
    expect(paths.filter((path) => personOf(path) === 2)).toHaveLength(1);
    expect(emitted).toEqual(expect.arrayContaining(["shown", "new"]));
    expect(emitted.length).toBeLessThan(8);
  });

  it("give what comes while a sync goes on in the next one", async () => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 30_000;
    const respondentUuids = Array.from({ length: 200 }, (_, person) => personId(person));
    for (let person = 0; person < 200; person++) connection.add(`r${person}`, person, DAY + person, "t");
    connection.script = (path) => {
      const person = personOf(path);
      if (person !== undefined && person % 10 === 0)
        connection.add(`during ${person}`, (person * 7) % 200, connection.nowS - 0.5, "t");
      return undefined;
    };
    expect((await connection.sync(10 * DAY, { respondentUuids })).isComplete).toBe(true);
    connection.script = undefined;
    await connection.sync(11 * DAY, { respondentUuids });
    expect(connection.missing()).toEqual([]);
  });

  it.each([403, 500])(
    "whose lists fail (%i): each is told, one is enough for an incomplete stream, and the next sync has theirs",
    async (status) => {
      const connection = connectionOfThree();
      answers(connection, (person) => person === 2, answering(status));
      const failed = await connection.sync(20 * DAY, { respondentUuids: THREE });
      expect([failed.isComplete, failed.failures.length, failed.emitted.length]).toEqual([false, 1, 20]);
      connection.script = undefined;
      expect((await connection.sync(21 * DAY, { respondentUuids: THREE })).isComplete).toBe(true);
      expect(connection.missing()).toEqual([]);
    },
  );

  it.each([
    [3, 0, true],
    [120, 50, true],
    [120, 0, false],
  ])(
    "%i who answer 404 beside %i others are a warning, unless they are ten and nobody is found",
    async (count, others, isComplete) => {
      const connection = connectionOf(others);
      answers(connection, (person) => person > 1000, NOT_FOUND);
      const respondentUuids = Array.from({ length: count }, (_, number) => personId(1001 + number));
      const synced = await connection.sync(51 * HOUR, { respondentUuids });
      expect(synced).toMatchObject({ isComplete, failures: isComplete ? [] : [LOOKS_LIKE_AN_OUTAGE] });
      for (const person of respondentUuids)
        connection.service.add({ uuid: person, person, survey: "t", at: 9 });
      connection.script = undefined;
      await connection.sync(52 * HOUR, { respondentUuids });
      expect(connection.missing()).toEqual([]);
    },
  );

  it.each(["abcdef00-0000-4000-8000-0000000000fe", "ABCDEF00-0000-4000-8000-0000000000FE"])(
    "are one person, however the configuration and the service write their id (%s)",
    async (person) => {
      const connection = new Connection("respondent_responses");
      for (let number = 0; number < 250; number++)
        connection.service.add({
          uuid: `r${number}`,
          person,
          survey: number < 200 ? "t" : "s",
          at: number * 600 * SECOND,
        });
      const respondentUuids = [person.toLowerCase(), person.toUpperCase()];
      const synced = await connection.sync(5 * DAY, { respondentUuids });
      expect(connection.missing()).toEqual([]);
      expect(twice(synced.emitted)).toEqual([]);
      expect(synced.paths.filter((path) => path.startsWith("/respondents/"))).toHaveLength(3);
    },
  );

  it("give their attributes in each sync, with the time of reading", async () => {
    const connection = connectionOf(2, "respondent_attributes");
    for (const day of [10, 11]) {
      const { records } = await connection.sync(day * DAY, { respondentUuids: THREE });
      expect(records.length).toBeGreaterThanOrEqual(3);
      for (const { collected_at } of records)
        expect(Math.abs(Date.parse(String(collected_at)) - EPOCH_MS - day * DAY * 1000)).toBeLessThan(60_000);
    }
  });
});

it("all attributes of one reading have one time, on however many pages they come", async () => {
  const connection = new Connection("respondent_attributes", PLAIN, new Map([[personId(1), 7]]));
  connection.latencyMs = 5000;
  const { records } = await connection.sync(DAY, { respondentUuids: [personId(1)], itemsPerPage: 2 });
  expect(records).toHaveLength(7);
  expect(new Set(records.map(({ collected_at }) => collected_at)).size).toBe(1);
});

it("nobody is asked for before a page has come, people come while surveys are read, and configured ones after them", async () => {
  const connection = new Connection("respondent_responses");
  const surveyIds = Array.from({ length: 100 }, (_, survey) => `s${survey}`);
  for (let person = 0; person < 500; person++)
    connection.add(`r${person}`, person, (person + 1) * HOUR, `s${person % 100}`);
  const { paths } = await connection.sync(501 * HOUR, { surveyIds, respondentUuids: [personId(999)] });
  const first = paths.findIndex((path) => personOf(path) !== undefined);
  expect([first > 0, first < 12]).toEqual([true, true]);
  expect(paths.findIndex((path) => personOf(path) === 999)).toBeGreaterThan(
    paths.findLastIndex((path) => path.startsWith("/surveys/")),
  );
});
