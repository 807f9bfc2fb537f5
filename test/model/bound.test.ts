import { describe, expect, it } from "vitest";
import { Connection, PLAIN, personId, personOf, SECOND } from "./support/connection.ts";
import { timestampAt } from "./support/list-service.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

describe("nothing above the service's present at the first page is covered (I6)", () => {
  it.each([
    ["by the service's Date", true],
    ["by the machine's clock", false],
  ])("answers given during a sync come in the next one (%s)", async (_, hasDate) => {
    const connection = new Connection("respondent_responses", { ...PLAIN, hasDate });
    connection.latencyMs = 20_000;
    const surveyIds = Array.from({ length: 20 }, (_, survey) => `s${survey}`);
    for (let person = 0; person < 300; person++)
      connection.add(`r${person}`, person, 10 * DAY - (300 - person) * HOUR, `s${person % 20}`);
    let requests = 0;
    connection.script = () => {
      if (++requests % 4 === 0)
        connection.add(
          `during ${requests}`,
          (requests * 7) % 300,
          connection.nowS - 0.5,
          `s${(requests * 13) % 20}`,
        );
      return undefined;
    };
    const first = await connection.sync(10 * DAY, { surveyIds });
    expect(first.tookS).toBeGreaterThan(1200);
    expect(first.isComplete).toBe(true);
    connection.script = undefined;
    expect((await connection.sync(11 * DAY, { surveyIds })).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });

  it("an answer of somebody who was read already, to a survey that is asked for late, comes in the next sync", async () => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 30_000;
    const surveyIds = Array.from({ length: 60 }, (_, survey) => `s${survey}`);
    for (let person = 0; person < 60; person++)
      connection.add(`r${person}`, person, 9 * DAY + person * 60, `s${person}`);
    let asked: number | undefined;
    let answeredTo: string | undefined;
    connection.script = (path) => {
      asked ??= personOf(path);
      const survey = /^\/surveys\/(s\d+)\//.exec(path)?.[1];
      if (asked !== undefined && answeredTo === undefined && survey !== undefined) {
        answeredTo = survey;
        connection.add("late", asked, connection.nowS - 0.5, survey);
      }
      return undefined;
    };
    await connection.sync(10 * DAY, { surveyIds });
    expect(answeredTo).toBeDefined();
    connection.script = undefined;
    await connection.sync(11 * DAY, { surveyIds });
    expect(connection.missing()).toEqual([]);
  });
});

describe("the order of requests (I6)", () => {
  it("nobody is asked for before the first page has come", async () => {
    const connection = new Connection("respondent_attributes");
    for (let person = 1; person <= 40; person++) connection.add(`r${person}`, person, person * HOUR);
    connection.latencyMs = 60_000;
    const { paths } = await connection.sync(50 * HOUR, { respondentUuids: [personId(99)] });
    expect(personOf(paths[0]!)).toBeUndefined();
    expect(paths.findIndex((path) => personOf(path) !== undefined)).toBeGreaterThan(0);
  });

  it("people are read while surveys are: the first one after a few requests, of 100 surveys", async () => {
    const connection = new Connection("respondent_responses");
    const surveyIds = Array.from({ length: 100 }, (_, survey) => `s${survey}`);
    for (let person = 0; person < 500; person++)
      connection.add(`r${person}`, person, (person + 1) * HOUR, `s${person % 100}`);
    const { paths } = await connection.sync(501 * HOUR, { surveyIds });
    expect(paths.findIndex((path) => personOf(path) !== undefined)).toBeLessThan(12);
    expect(connection.missing()).toEqual([]);
  });

  it("people whom only the configuration names are asked for after all surveys", async () => {
    const connection = new Connection("respondent_responses");
    for (let person = 1; person <= 300; person++) connection.add(`r${person}`, person, person * HOUR);
    connection.add("theirs", 999, HOUR, "t");
    const { paths } = await connection.sync(301 * HOUR, { respondentUuids: [personId(999)] });
    const place = paths.findIndex((path) => personOf(path) === 999);
    expect(paths.findLastIndex((path) => path.startsWith("/surveys/"))).toBeLessThan(place);
    expect(connection.missing()).toEqual([]);
  });
});

it.each(["survey_responses", "respondent_responses"] as const)(
  "a state above the present is cut there: what comes later is read (%s)",
  async (stream) => {
    const connection = new Connection(stream);
    connection.state = { version: 1, surveys: { s: [[null, timestampAt(13 * DAY * SECOND)]] } };
    connection.add("old", 1, 9 * DAY);
    const { paths } = await connection.sync(10 * DAY);
    expect(
      paths.every((path) => !path.includes("items_per_page=1&") && !path.endsWith("items_per_page=1")),
    ).toBe(true);
    connection.add("new", 2, 10 * DAY + HOUR);
    await connection.sync(10 * DAY + 2 * HOUR);
    expect(connection.delivered).toContain("new");
  },
);
