import { describe, expect, it } from "vitest";
import { timestampAt } from "../support/list-service.ts";
import {
  answering,
  COMPLETE,
  Connection,
  HOUR,
  NOT_FOUND,
  personOf,
  type StorySync,
  timestamp,
} from "../support/sync-story.ts";

/* Verdicts that turn a sync red, or keep it green: each rests on all that is known. */

const EVERY: StorySync = { surveyIds: [] };
const ALL = ["a", "b", "c"];
const isOf = (survey: string) => (path: string) => path.startsWith(`/surveys/${survey}`);
const isOfResponses = (survey: string) => (path: string) => path.startsWith(`/surveys/${survey}/responses`);

/** Three surveys with two responses each. */
function connectionOfThree(stream: "survey_responses" | "respondent_responses" = "survey_responses") {
  const connection = new Connection(stream);
  for (const [place, survey] of ALL.entries())
    for (const number of [1, 2])
      connection.add(`${survey}${number}`, 10 * place + number, HOUR * number, survey);
  return connection;
}

describe.each([400, 403, 405, 500, 503])("a survey that always answers %i", (status) => {
  const streams = ["survey_responses", "survey_questions"] as const;

  it("is an error in each sync that names the setting, the others are read, and it comes once it is healthy", async () => {
    const connection = connectionOfThree();
    connection.answers(isOf("b"), answering(status));
    for (let day = 1; day <= 3; day++) {
      const { incomplete, failures, warned, tookS } = await connection.sync({ ...EVERY, streams });
      expect({ incomplete, warned }).toEqual({ incomplete: streams, warned: [] });
      expect(failures).toEqual([
        expect.stringMatching(/^Survey "b" could not be read\. .* name it in excluded_survey_ids\.$/),
        expect.stringMatching(
          /^The questions of survey "b" could not be read\. .* excluded_survey_ids\. Or omit/,
        ),
      ]);
      expect(tookS).toBeLessThan(status === 503 ? 1200 : 120);
    }
    expect(connection.missing()).toEqual(["b2", "b1"]);
    expect(await connection.sync({ ...EVERY, streams, excludedSurveyIds: new Set("b") })).toMatchObject(
      COMPLETE,
    );
    await connection.recovers(EVERY);
  });

  it("and that is named is an error that names survey_ids", async () => {
    const named = connectionOfThree();
    named.answers(isOfResponses("b"), answering(status));
    const { isComplete, failures } = await named.sync({ surveyIds: ALL });
    expect({ isComplete, failures }).toEqual({
      isComplete: false,
      failures: [
        expect.stringMatching(/^Survey "b" could not be read\. .* remove the id from survey_ids\.$/),
      ],
    });
    expect(named.missing()).toEqual(["b2", "b1"]);
  });

  it("is an error if no other survey is read", async () => {
    const connection = connectionOfThree();
    connection.answers((path) => ALL.some((id) => isOfResponses(id)(path)), answering(status));
    expect(await connection.sync(EVERY)).toMatchObject({ isComplete: false });
  });
});

it("an outage in a first sync is no failure of single surveys: they are tried for as long as all others fail", async () => {
  const connection = connectionOfThree();
  connection.latencyMs = 1000;
  connection.script = (path) =>
    connection.nowS % HOUR > 2 && connection.nowS % HOUR < 40 && !path.startsWith("/surveys?")
      ? answering(500)
      : undefined;
  expect(await connection.sync(EVERY)).toMatchObject(COMPLETE);
  expect(connection.missing()).toEqual([]);
});

describe("a survey that shows only its newest responses", () => {
  /** 800 responses of `s`, of which the newest 300 are shown; below, links and starts are not found. And 20 of `t`. */
  function limited(): Connection {
    const connection = new Connection("survey_responses");
    for (let number = 0; number < 800; number++) connection.add(`r${number}`, number, number * 60);
    for (let number = 0; number < 20; number++) connection.add(`t${number}`, number, number * 60, "t");
    const oldest = timestampAt(500 * 60 * 1_000_000);
    connection.answers((path) => {
      const query = new URL(path, "http://service").searchParams;
      const from = query.get("after") ?? query.get("start");
      return path.startsWith("/surveys/s/responses") && from !== null && from <= oldest;
    }, NOT_FOUND);
    return connection;
  }

  it("is an error in each sync that says how far it was read, and new responses come", async () => {
    const connection = limited();
    for (const isFirst of [true, false]) {
      const { isComplete, failures, emitted, warned } = await connection.sync(EVERY);
      expect([isComplete, warned]).toEqual([false, []]);
      expect(failures).toEqual([
        expect.stringMatching(
          /^Survey "s" could not be read below 2026-01-01T0\d:\d\d:\d\d\.\d{6}Z\. .* Everything newer was delivered\. Run the sync again\. If the service keeps no older responses, set start_date to a later time\./,
        ),
      ]);
      if (isFirst) expect(connection.delivered.size).toBeGreaterThanOrEqual(300 + 20);
      else expect(emitted).toContain("new");
      connection.add("new", 1, 801 * 60);
    }
  });

  it("is an error, too, if nothing newer is wanted", async () => {
    const connection = limited();
    const options = { ...EVERY, endDate: timestamp(700 * 60) };
    await connection.sync(options);
    expect(await connection.sync(options)).toMatchObject({ isComplete: false, codes: ["not_found"] });
  });

  it("is read without errors from a later start date on", async () => {
    const connection = limited();
    const startDate = timestamp(600 * 60);
    expect(await connection.sync({ ...EVERY, startDate })).toMatchObject(COMPLETE);
  });
});

it.each([403, 500])(
  "a part of a survey that always answers %i keeps nothing newer from coming",
  async (status) => {
    const connection = new Connection("survey_responses");
    for (let number = 0; number < 300; number++) connection.add(`r${number}`, number, number * 60);
    const isOld = (path: string) =>
      (new URL(path, "http://x").searchParams.get("start") ?? "9") < timestamp(150 * 60);
    connection.answers(isOld, answering(status));
    for (let day = 0; day < 3; day++) {
      for (let number = 0; number < 250; number++)
        connection.add(`day ${day} ${number}`, number, (400 + 300 * day + number) * 60);
      expect(await connection.sync()).toMatchObject({ isComplete: false });
      expect(connection.missing().filter((uuid) => uuid.startsWith("day"))).toEqual([]);
    }
  },
);

it("a survey that is gone, and the only one to be asked for, is a warning", async () => {
  const connection = connectionOfThree();
  const options = { ...EVERY, endDate: timestamp(5 * HOUR) };
  await connection.sync(options);
  connection.add("b3", 5, 4 * HOUR, "b");
  connection.state = { version: 1, surveys: { ...connection.state!.surveys, b: [] } };
  connection.service.setStatus("b", "gone");
  expect(await connection.sync(options)).toMatchObject({ ...COMPLETE, warned: ["surveys_not_found"] });
  expect(await connection.sync(options)).toMatchObject({ ...COMPLETE, warned: [] });
});

it("few erased people on a quiet account are a warning, as an earlier sync has found others, until somebody is found", async () => {
  const connection = new Connection("respondent_responses");
  for (let number = 0; number < 30; number++) connection.add(`r${number}`, number, number * 60);
  await connection.sync();
  for (let number = 30; number < 39; number++) connection.add(`r${number}`, number, (number + 90) * 60);
  connection.answersOf((person) => person >= 30, NOT_FOUND);
  for (const _ of [1, 2])
    expect(await connection.sync()).toMatchObject({ ...COMPLETE, warned: ["respondents_not_found"] });
  connection.add("new", 1, connection.nowS + 60);
  expect(await connection.sync()).toMatchObject({ ...COMPLETE, warned: ["respondents_not_found"] });
  expect(await connection.sync()).toMatchObject({ ...COMPLETE, warned: [] });
});

it.each([
  ["all surveys", EVERY],
  ["a named survey", {}],
])("a machine whose clock is three hours slow reads nothing again (%s)", async (_, options) => {
  const connection = new Connection("survey_responses");
  connection.clockAheadS = -3 * HOUR;
  for (let number = 0; number < 200; number++) connection.add(`r${number}`, number, number * 60);
  await connection.sync(options);
  connection.add("new", 1, connection.nowS + 60);
  const { emitted, warned } = await connection.sync(options);
  expect([emitted, warned]).toEqual([["new"], []]);
});

describe("a key that hiccups", () => {
  it.each([401, 403])("(%i, every fifth answer) loses nothing, and fails nothing", async (status) => {
    const connection = new Connection("survey_responses");
    for (let number = 0; number < 1000; number++) connection.add(`r${number}`, number, number * 60);
    let answers = 0;
    // A 403 to the first page of a list is a verdict.
    connection.script = (path) =>
      (status === 401 || path.includes("start=")) && ++answers % 5 === 0 ? answering(status) : undefined;
    expect(await connection.sync(EVERY)).toMatchObject(COMPLETE);
    expect(connection.missing()).toEqual([]);
  });
});

describe("a part that is told to wait when all else was read", () => {
  it.each([
    ["one respondent's list", 503, (path: string) => personOf(path) === 3, []],
    [
      "one survey's questions",
      429,
      (path: string) => path.startsWith("/surveys/s/questions"),
      ["survey_questions"],
    ],
  ])("(%s) ends a sync within minutes", async (_, status, isTold, incomplete) => {
    const connection = new Connection("respondent_attributes");
    for (let number = 0; number < 10; number++) connection.add(`r${number}`, number, number * 60);
    for (let number = 0; number < 3; number++) connection.add(`t${number}`, number, number * 60, "t");
    connection.answers(isTold, answering(status));
    const streams = ["survey_responses", "respondent_attributes", "survey_questions"] as const;
    const { tookS, ...told } = await connection.sync({ ...EVERY, streams });
    expect(told).toMatchObject({ incomplete });
    expect(tookS).toBeLessThan(20 * 60);
  });

  it("(the last list) ends a sync within minutes, with an error, and the next one reads on", async () => {
    const connection = connectionOfThree();
    await connection.sync(EVERY);
    connection.add("b3", 5, 9 * HOUR, "b");
    connection.answers(isOfResponses("b"), answering(429));
    const { isComplete, codes, tookS } = await connection.sync(EVERY);
    expect([isComplete, codes]).toEqual([false, ["rate_limited"]]);
    expect(tookS).toBeLessThan(20 * 60);
    await connection.recovers(EVERY);
  });
});

it("surveys with numbers as ids are read, and their ids are text", async () => {
  const connection = new Connection("survey_responses", { shape: "bare" });
  for (const id of ["1001", "1002"]) connection.add(`r${id}`, 1, HOUR, id);
  connection.answers(
    (path) => path.startsWith("/surveys?"),
    (path) => {
      const answer = connection.service.answer(path, connection.faults);
      return { ...answer, body: answer.body.replaceAll(/"id":"(\d+)"/g, '"id":$1') };
    },
  );
  const streams = ["survey_responses", "surveys", "survey_questions"] as const;
  const { isComplete, records } = await connection.sync({ ...EVERY, streams });
  expect(isComplete).toBe(true);
  const ids = records.map((record) => record.survey_id ?? record.id);
  expect(new Set(ids)).toEqual(new Set(["1001", "1002"]));
});

it("a respondent's list whose links lead to empty pages, which say that there is more, is read without them", async () => {
  const connection = new Connection("respondent_responses");
  for (let number = 0; number < 5; number++) connection.add(`r${number}`, number, (1000 + number) * 60);
  for (let number = 0; number < 250; number++) connection.add(`elsewhere ${number}`, 3, number * 60, "t");
  connection.answers(
    (path) => personOf(path) === 3 && connection.service.isLink(path),
    (path) =>
      answering(200, JSON.stringify({ pagination_data: { has_more: true, next_url: path }, data: [] })),
  );
  expect((await connection.sync()).isComplete).toBe(true);
  expect(connection.missing()).toEqual([]);
});
