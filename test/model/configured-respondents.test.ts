import { describe, expect, it } from "vitest";
import { Connection, NOT_FOUND, page, personId, personOf, SECOND } from "./support/connection.ts";
import { timestampAt } from "./support/list-service.ts";

const HOUR = 3600;
const MINUTE = 60;
const START = 10 * HOUR;

describe.each([
  ["whom the configuration names", [personId(1)]],
  ["whom it does not name", []],
])("a respondent %s", (_, respondentUuids) => {
  /** Person 1 has answered survey t since; an older response of theirs to survey s appears late (S8). */
  async function withLateResponse(newer: number, itemsPerPage: number) {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 500;
    const options = { surveyIds: ["s", "t"], respondentUuids, itemsPerPage };
    connection.add("r0", 2, START - 10 * MINUTE);
    connection.add("other", 1, START, "t");
    await connection.sync(START + MINUTE, options);
    connection.add("late", 1, START - 12 * MINUTE);
    for (let number = 0; number < newer; number++)
      connection.add(`new ${number}`, 3 + number, START + (2 + number) * MINUTE);
    await connection.sync(START + HOUR, options);
    return connection;
  }

  it("gets a response that appears late below what was covered of them", async () => {
    expect((await withLateResponse(0, 100)).delivered).toContain("late");
  });

  it("gets it too if it is found after their list was read", async () => {
    expect((await withLateResponse(8, 2)).delivered).toContain("late");
  });
});

it.each([
  ["whom the configuration names", [personId(1)]],
  ["whom it does not name", []],
])("both of two late responses of a respondent %s come, in two surveys", async (_, respondentUuids) => {
  const connection = new Connection("respondent_responses");
  connection.latencyMs = 500;
  const options = { surveyIds: ["s", "t"], respondentUuids, itemsPerPage: 5 };
  connection.add("s0", 2, START - 10 * MINUTE, "s");
  connection.add("t0", 3, START - 10 * MINUTE, "t");
  connection.add("u0", 1, START, "u");
  await connection.sync(START + MINUTE, options);
  connection.add("late in s", 1, START - 15 * MINUTE, "s");
  connection.add("late in t", 1, START - 12 * MINUTE, "t");
  for (let number = 0; number < 20; number++)
    connection.add(`new ${number}`, 10 + number, START + (2 + number) * MINUTE, "t");
  expect((await connection.sync(START + HOUR, options)).isComplete).toBe(true);
  expect([...connection.delivered]).toEqual(expect.arrayContaining(["late in s", "late in t"]));
});

it("a response that a list lacked comes, although a sync with an earlier end date lies between", async () => {
  const connection = new Connection("respondent_responses");
  connection.latencyMs = 500;
  const options = { surveyIds: ["s", "u"], respondentUuids: [personId(1)] };
  connection.add("late", 1, START - 2 * HOUR);
  for (let number = 0; number < 20; number++)
    connection.add(`new ${number}`, 10 + number, START - (100 - number) * MINUTE);
  connection.add("other", 1, START, "u");
  connection.script = (path) => {
    if (personOf(path) !== 1) return undefined;
    const { data } = JSON.parse(connection.service.answer(path, connection.faults).body);
    return page(data.filter(({ response }: { response: { uuid: string } }) => response.uuid !== "late"));
  };
  await connection.sync(START + MINUTE, options);
  connection.script = undefined;
  const endDate = timestampAt((START - HOUR) * SECOND);
  await connection.sync(START + HOUR, { ...options, itemsPerPage: 5, endDate });
  await connection.sync(START + 2 * HOUR, options);
  expect(connection.delivered).toContain("late");
});

it("one who was the last in a quiet survey costs each sync their own list at most", async () => {
  const connection = new Connection("respondent_responses");
  connection.add("quiet", 1, HOUR);
  for (let number = 0; number < 2000; number++) connection.add(`r${number}`, 1, 2 * HOUR + 14 * number, "u");
  const options = { surveyIds: ["s", "u"], respondentUuids: [personId(1)] };
  const requests: number[] = [];
  for (let hour = 1; hour <= 3; hour++)
    requests.push((await connection.sync(START + hour * HOUR, options)).requests);
  expect(requests[0]).toBeGreaterThan(40);
  expect(Math.max(...requests.slice(1))).toBeLessThan(30);
});

describe("one whose list was read, if a survey is added that they answered", () => {
  it("is not asked for each response of it", async () => {
    const connection = new Connection("respondent_responses");
    const start = 100 * HOUR;
    connection.add("newest", 1, start);
    for (let number = 0; number < 2000; number++)
      connection.add(`r${number}`, 1, start - 100 * (number + 1), "added");
    const respondentUuids = [personId(1)];
    await connection.sync(start + HOUR, { respondentUuids });
    expect(connection.delivered.size).toBe(2001);
    const { requests } = await connection.sync(start + 2 * HOUR, {
      surveyIds: ["s", "added"],
      respondentUuids,
    });
    expect(requests).toBeLessThan(60);
  });

  it.each([403, 500])("keeps nobody else from being read, should their list fail (%i)", async (status) => {
    const connection = new Connection("respondent_responses");
    connection.add("newest", 1, START);
    for (let number = 0; number < 15; number++)
      connection.add(`theirs ${number}`, 1, START - HOUR - number * MINUTE, "added");
    for (let number = 0; number < 30; number++)
      connection.add(`r${number}`, 10 + number, START - 5 * HOUR - number * MINUTE, "added");
    const respondentUuids = [personId(1)];
    await connection.sync(START + MINUTE, { respondentUuids });
    connection.script = (path) => (personOf(path) === 1 ? { status, headers: {}, body: "" } : undefined);
    await connection.sync(START + HOUR, { surveyIds: ["s", "added"], respondentUuids });
    expect([...connection.delivered].filter((uuid) => uuid.startsWith("r"))).toHaveLength(30);
  });
});

it("ten who are refused keep nobody else from being read", async () => {
  const connection = new Connection("respondent_responses");
  for (let person = 0; person < 20; person++) connection.add(`r${person}`, person, person * MINUTE);
  connection.script = (path) =>
    (personOf(path) ?? 0) > 1000 ? { status: 403, headers: {}, body: "" } : undefined;
  const respondentUuids = Array.from({ length: 12 }, (_, number) => personId(1001 + number));
  await connection.sync(HOUR, { respondentUuids });
  expect(connection.delivered.size).toBe(20);
});

describe("a respondent whom the configuration writes in capitals, which the service does not know", () => {
  const uuid = "abcdef00-0000-4000-8000-000000000001";
  const respondentUuids = [uuid.toUpperCase()];

  /** Their response is the last of `people`; they also answered a survey that is not configured. */
  function connectionOf(people: number, latencyMs: number) {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = latencyMs;
    for (let number = 0; number < people; number++)
      connection.add(`r${number}`, 10 + number, START - number * 10);
    const theirs = (name: string, survey: string, second: number) =>
      connection.service.add({ uuid: name, survey, person: uuid, at: second * SECOND });
    theirs("theirs", "s", START - people * 10 - 10);
    theirs("of u", "u", START - people * 10 - 500);
    connection.script = (path) => (path.includes(uuid.toUpperCase()) ? NOT_FOUND : undefined);
    return connection;
  }

  it.each([
    ["on the first page", 3, 500],
    ["after the first 404", 30, 500],
    ["after they were forgotten", 1000, 5000],
  ])("is asked for as the service writes them, if a response shows that %s", async (_, people, latencyMs) => {
    const connection = connectionOf(people, latencyMs);
    expect((await connection.sync(START + HOUR, { respondentUuids, itemsPerPage: 5 })).isComplete).toBe(true);
    expect([...connection.delivered]).toEqual(expect.arrayContaining(["theirs", "of u"]));
  });
});
