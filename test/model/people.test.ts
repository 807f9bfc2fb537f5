import { createHash } from "node:crypto";
import { createRecordTreatment } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { EPOCH_MS } from "../support/list-service.ts";
import {
  answering,
  COMPLETE,
  Connection,
  connectionOf,
  DAY,
  FAILED_ONCE,
  HOUR,
  isOfPerson,
  NOT_FOUND,
  page,
  personId,
  personOf,
  timestamp,
} from "../support/sync-story.ts";

const BOTH = ["respondent_responses", "respondent_attributes"] as const;
const LOOKS_LIKE_AN_OUTAGE = expect.stringContaining("looks like an outage");

describe("a record comes from where it is (I6)", () => {
  it("a response to a configured survey looks as its person's list shows it", async () => {
    const read = async (surveyIds: string[], respondentUuids: string[]) => {
      const connection = connectionOf("respondent_responses", 9, { person: () => 1 });
      connection.script = (path) => {
        if (personOf(path) !== undefined) return undefined;
        const answer = connection.service.answer(path, connection.faults);
        return { ...answer, body: answer.body.replaceAll('"attributes":[]', '"attributes":[{"id":1}]') };
      };
      return (await connection.sync({ surveyIds, respondentUuids })).records;
    };
    const records = await read(["s"], []);
    expect(records).toHaveLength(9);
    expect(records).toEqual(await read([], [personId(1)]));
  });

  it("an item of a person's list that names no survey is omitted, with a warning", async () => {
    const connection = connectionOf("respondent_responses", 20);
    connection.alters(isOfPerson, (items) => items.map(({ response }) => ({ response })));
    const { emitted, warnings, isComplete } = await connection.sync();
    expect(emitted).toHaveLength(20);
    expect(isComplete).toBe(true);
    expect(warnings).toContainEqual(expect.stringContaining("names no survey"));
  });
});

describe("everybody is read once in a sync and stream (I10)", () => {
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
        connection.add("newer", 500, connection.nowS - 32, survey);
        return undefined;
      };
      await connection.sync({ at: 10 * DAY, surveyIds });
      expect(connection.delivered.has("leads there")).toBe(true);
      expect(connection.delivered.has("elsewhere")).toBe(false);
      connection.heals();
      await connection.sync({ surveyIds });
      expect(connection.delivered.has("elsewhere")).toBe(comesNext);
    },
  );
});

describe("a person who answers 404 is not there (I11)", () => {
  const hashed = createRecordTreatment({ respondent_identifiers: "hash" }, (text) =>
    createHash("sha256").update(text).digest("hex"),
  );

  it.each([
    ["half of 652", "respondent_attributes", 652, {}, (person: number) => person % 2 === 0],
    ["400 next to each other", "respondent_responses", 600, {}, (person: number) => person > 200],
    ["one whose id is hashed", "respondent_responses", 100, { treatment: hashed }, (n: number) => n === 10],
  ] as const)(
    "%s: one sync, complete, two requests for each who is gone, one warning, and no request later (%s)",
    async (_, stream, people, options, isDeleted) => {
      const connection = connectionOf(stream, people);
      const deleted = connection.service.responses.filter((_, place) => isDeleted(people - place));
      connection.answersOf(isDeleted, NOT_FOUND);
      const synced = await connection.sync({ inOrder: true, ...options });
      expect(synced).toMatchObject(COMPLETE);
      expect(synced.warnings.filter((each) => each.includes("404"))).toEqual([
        expect.stringMatching(new RegExp(`${deleted.length} respondents? (was|were) not found`)),
      ]);
      // Before the second one, somebody else is asked for on each page.
      expect(synced.requests).toBeLessThan(people + deleted.length + 2 * (people / 100) + 12);
      expect(connection.missing()).toHaveLength(stream === "respondent_attributes" ? deleted.length : 0);
    },
  );

  it.each([
    [8, 20],
    [300, 200],
  ])(
    "if nobody is found, that looks like an outage, and all are asked for again: %i people, at most %i requests",
    async (people, most) => {
      for (const stream of BOTH) {
        const connection = connectionOf(stream, people);
        connection.answersOf((person) => person > 0, NOT_FOUND);
        for (let sync = 0; sync < 2; sync++) {
          const synced = await connection.sync();
          expect(synced).toMatchObject({ isComplete: false, failures: [LOOKS_LIKE_AN_OUTAGE] });
          expect(synced.requests).toBeLessThanOrEqual(most);
          expect(synced.tookS).toBeLessThan(60);
        }
        await connection.recovers();
      }
    },
  );

  it.each([1, 8])("for a spell of %i s, nobody is lost who answers after it", async (seconds) => {
    const connection = connectionOf("respondent_attributes", 900);
    connection.latencyMs = 50;
    let begins = Number.POSITIVE_INFINITY;
    let asked = 0;
    connection.script = (path) => {
      if (personOf(path) === undefined) return undefined;
      if (++asked === 400) begins = connection.nowS;
      return connection.nowS >= begins && connection.nowS < begins + seconds ? NOT_FOUND : undefined;
    };
    expect(await connection.sync()).toMatchObject({ ...COMPLETE, warned: [] });
    expect(connection.missing()).toEqual([]);
  });

  it("is not believed by what was found before, but was only answered after", async () => {
    const connection = connectionOf("respondent_attributes", 2);
    let asked = 0;
    // The one is found by a request that was sent with the other's.
    connection.answers((path) => personOf(path) === 2 && asked++ === 0, NOT_FOUND);
    expect(await connection.sync()).toMatchObject({ ...COMPLETE, warned: [] });
    expect(connection.missing()).toEqual([]);
  });
});

describe("around a person whose list fails a hole stays (I12)", () => {
  it.each([
    [9, answering(403)],
    [9, answering(200, "<html>")],
    [10, answering(422)],
    [10, answering(500)],
  ])(
    "%i who fail: complete with one warning, or incomplete with one failure from ten on",
    async (count, answer) => {
      const connection = connectionOf("respondent_attributes", 300);
      connection.answersOf((person) => person % 30 === 0 && person <= 30 * count, answer);
      const synced = await connection.sync();
      expect(synced).toMatchObject(count < 10 ? COMPLETE : FAILED_ONCE);
      expect([...synced.warnings, ...synced.failures]).toEqual([
        expect.stringContaining(`${count} respondents`),
      ]);
      expect(connection.missing()).toHaveLength(count);
      expect(synced.paths.filter((path) => personOf(path) === 30).length).toBeLessThanOrEqual(4 + 2);
      expect(new Set((await connection.sync()).paths).size).toBeLessThanOrEqual(2 * count + 2);
      await connection.recovers();
    },
  );

  it("everybody: after fifty nobody else is asked for, the responses come all the same, and the next sync has the others", async () => {
    const connection = connectionOf("respondent_responses", 1500);
    for (let person = 1; person <= 1500; person++)
      connection.add(`t${person}`, person, person * HOUR - 60, "t");
    connection.answersOf((person) => person > 0, answering(500));
    const failed = await connection.sync();
    expect(failed).toMatchObject(FAILED_ONCE);
    expect(failed.requests).toBeLessThan(250);
    expect(failed.tookS).toBeLessThan(900);
    expect(connection.delivered.size).toBe(1500);
    await connection.recovers();
  });
});

describe("a list of responses that lags behind the survey leaves a hole (I12)", () => {
  it("of everybody: an outage, the responses come, and the next sync asks for all", async () => {
    const connection = connectionOf("respondent_responses", 1500);
    connection.answersOf((person) => person > 0, page([]));
    const lagging = await connection.sync();
    expect(lagging).toMatchObject({ isComplete: false, failures: [LOOKS_LIKE_AN_OUTAGE] });
    expect(connection.delivered.size).toBe(1500);
    await connection.recovers();
  });

  it("for two syncs: what it lacked comes when it is there", async () => {
    const connection = connectionOf("respondent_responses", 30);
    connection.add("elsewhere", 5, 5 * HOUR - 60, "t");
    connection.add("newest elsewhere", 5, 5 * HOUR + 60, "t");
    connection.alters(
      (path) => personOf(path) === 5,
      (items) => items.filter(({ response }) => response.uuid === "elsewhere"),
    );
    for (let sync = 0; sync < 2; sync++) {
      const synced = await connection.sync();
      expect(synced).toMatchObject(COMPLETE);
      expect(synced.warnings).toContainEqual(expect.stringMatching(/lacks? a response that a survey shows/));
    }
    await connection.recovers();
  });

  it.each([
    [18, COMPLETE],
    [22, { isComplete: false, failures: [LOOKS_LIKE_AN_OUTAGE] }],
  ])(
    "of 40 lists, %i that lag: an outage only if they are ten, and more than the good ones",
    async (lagging, told) => {
      const connection = connectionOf("respondent_responses", 40);
      connection.answersOf((person) => person % 20 < lagging / 2, page([]));
      expect(await connection.sync()).toMatchObject(told);
      await connection.recovers();
    },
  );
});

it("a kiosk's list of 5,000 responses is read once in each sync in which it answers", async () => {
  const connection = connectionOf("respondent_responses", 5000, { person: () => 1, at: (n) => n * 60 });
  expect((await connection.sync()).requests).toBeLessThanOrEqual(2 * 50 + 10);
  expect(connection.missing()).toEqual([]);
  connection.add("new", 1, connection.nowS + 1800);
  const { emitted, requests } = await connection.sync();
  expect(emitted).toContain("new");
  expect(emitted.length).toBeLessThan(20);
  expect(requests).toBeLessThanOrEqual(52);
});

describe("responses that name nobody count as read", () => {
  it.each([
    [1000, 200],
    [9, 9],
    [50, 50],
  ])("of %i responses, %i: a warning, since accounts may be anonymous", async (all, nameless) => {
    for (const stream of BOTH) {
      const connection = connectionOf(stream, all);
      connection.breaks((number) => number % (all / nameless) === 0, "respondent");
      const first = await connection.sync();
      expect(first).toMatchObject(COMPLETE);
      expect(first.warnings).toContainEqual(expect.stringContaining(`${nameless} times`));
      expect(connection.missing()).toHaveLength(nameless);
      const second = await connection.sync();
      expect(second.isComplete).toBe(true);
      expect(second.requests).toBeLessThan(5);
    }
  });
});

describe("people whom the configuration names (I14)", () => {
  const respondentUuids = [personId(1), personId(2), personId(3)];

  /** Four people with ten responses each, a day apart, to two surveys in turn. */
  function connectionOfFour(): Connection {
    const connection = new Connection("respondent_responses");
    for (let number = 0; number < 40; number++) {
      const day = 1 + Math.floor(number / 4);
      connection.add(`r${number}`, 1 + (number % 4), day * DAY + number, day % 2 === 0 ? "s" : "t");
    }
    return connection;
  }

  it.each([
    ["one survey is", ["s"]],
    ["every survey is", []],
  ])(
    "are read whole in each sync, between the dates, and nobody else, if %s chosen; no survey is asked for, and the state names nobody",
    async (_, surveyIds) => {
      const connection = connectionOfFour();
      const options = { surveyIds, respondentUuids };
      const requests = 3;
      const first = await connection.sync({ ...options, at: 20 * DAY });
      expect(first.emitted).toHaveLength(30);
      const second = await connection.sync(options);
      expect(second).toMatchObject({ ...COMPLETE, requests });
      expect(second.emitted.toSorted()).toEqual(first.emitted.toSorted());
      const dates = { startDate: timestamp(5 * DAY), endDate: timestamp(8 * DAY) };
      expect((await connection.sync({ ...options, ...dates })).emitted).toHaveLength(9);
      expect(Object.keys(connection.state ?? {}).toSorted()).toEqual(["surveys", "version"]);
    },
  );

  it("leave the state as it is: when nobody is named any more, the next sync reads what came since", async () => {
    const connection = connectionOf("respondent_responses", 20);
    await connection.sync({ at: 2 * DAY });
    const { state } = connection;
    for (let number = 0; number < 5; number++) connection.add(`later${number}`, 1 + number, 3 * DAY + number);
    const named = await connection.sync({ respondentUuids: [personId(1)], at: 5 * DAY });
    expect(named).toMatchObject(COMPLETE);
    expect(connection.state).toEqual(state);
    const { emitted } = await connection.sync({ at: 6 * DAY });
    expect(emitted.filter((uuid) => uuid.startsWith("later"))).toHaveLength(5);
    expect(connection.missing()).toEqual([]);
  });

  it("whose list fails: one is enough for an incomplete stream, and the next sync has theirs", async () => {
    const connection = connectionOfFour();
    connection.answersOf((person) => person === 2, answering(500));
    const failed = await connection.sync({ respondentUuids });
    expect(failed).toMatchObject(FAILED_ONCE);
    expect(failed.emitted).toHaveLength(20);
    connection.heals();
    expect((await connection.sync({ respondentUuids })).emitted).toHaveLength(30);
  });

  it.each([
    [3, 0],
    [120, 50],
    [120, 0],
  ])("%i who answer 404, with %i others, are an error that says what to do", async (count, others) => {
    const connection = connectionOf("respondent_responses", others);
    for (let person = 1001; person <= 1000 + count; person++) connection.add(`c${person}`, person, 9, "t");
    connection.answersOf((person) => person > 1000, NOT_FOUND);
    const configured = Array.from({ length: count }, (_, number) => personId(1001 + number));
    const { isComplete, failures } = await connection.sync({ respondentUuids: configured });
    expect({ isComplete, failures }).toEqual({
      isComplete: false,
      failures: [
        expect.stringMatching(/ were not found \(status 404\), .* Remove the ids from respondent_uuids, /),
      ],
    });
    connection.heals();
    const { emitted } = await connection.sync({ respondentUuids: configured });
    expect(emitted).toHaveLength(count);
  });

  it("and who are not found are an error, next to one whose list is empty", async () => {
    const connection = new Connection("respondent_responses");
    connection.answersOf((person) => person > 1, NOT_FOUND);
    const configured = Array.from({ length: 11 }, (_, number) => personId(1 + number));
    expect(await connection.sync({ respondentUuids: configured })).toMatchObject({
      isComplete: false,
      failures: [expect.stringContaining("respondent_uuids")],
    });
  });

  it("give their attributes in each sync, with the one time of reading, on however many pages", async () => {
    const connection = new Connection("respondent_attributes");
    connection.attributes.set(personId(1), 7);
    connection.latencyMs = 5000;
    for (const day of [10, 11]) {
      const options = { respondentUuids: [personId(1)], itemsPerPage: 2 };
      const { records } = await connection.sync({ ...options, at: day * DAY });
      const times = new Set(records.map(({ collected_at }) => Date.parse(String(collected_at)) - EPOCH_MS));
      expect({ records: records.length, times: times.size }).toEqual({ records: 7, times: 1 });
      expect(Math.abs([...times][0]! - day * DAY * 1000)).toBeLessThan(60_000);
    }
  });
});
