import { describe, expect, it } from "vitest";
import { answering, Connection, PLAIN, personOf, SECOND } from "./support/connection.ts";
import type { Response } from "./support/list-service.ts";

const HOUR = 3600;
const COUNT = 1200;
const NOW = COUNT * 10 + 2 * HOUR;

/** 1,200 responses, ten seconds apart, of as many people. `responses[0]` is the newest. */
function connectionOf(stream: "survey_responses" | "respondent_responses") {
  const connection = new Connection(stream);
  for (let number = 1; number <= COUNT; number++) connection.add(`r${number}`, number, number * 10);
  return { connection, responses: connection.service.responses as Response[] };
}

const swap = (responses: Response[], place: number): void => {
  responses.splice(place, 2, responses[place + 1]!, responses[place]!);
};

describe.each(["survey_responses", "respondent_responses"] as const)(
  "a survey's list in the wrong order (S1, %s)",
  (stream) => {
    it.each([
      ["two neighbours in mid-page", (all: Response[]) => swap(all, 150)],
      ["two neighbours at a page's border", (all: Response[]) => swap(all, 99)],
      ["two neighbours at the beginning", (all: Response[]) => swap(all, 0)],
      [
        "an item that is dated an hour ahead",
        (all: Response[]) => {
          all[150] = { ...all[150]!, at: all[150]!.at + HOUR * SECOND };
        },
      ],
      [
        "a whole page reversed",
        (all: Response[]) => {
          all.splice(100, 100, ...all.slice(100, 200).reverse());
        },
      ],
      [
        "two neighbours on each of ten pages",
        (all: Response[]) => {
          for (let page = 1; page <= 10; page++) swap(all, page * 100 + 40);
        },
      ],
    ])("%s: everything is delivered, and the survey goes on", async (_, disturb) => {
      const { connection, responses } = connectionOf(stream);
      const sorted = [...responses];
      disturb(responses);
      await connection.sync(NOW);
      expect(connection.missing()).toEqual([]);
      // A page of people, those of the lookback, and what the survey itself needs.
      expect((await connection.sync(NOW + HOUR)).requests).toBeLessThanOrEqual(170);
      responses.splice(0, COUNT, ...sorted);
      expect(await connection.sync(NOW + 2 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
      expect((await connection.sync(NOW + 3 * HOUR)).requests).toBeLessThanOrEqual(80);
    });
  },
);

it("two neighbours in the wrong order fail the stream and cover nothing between them", async () => {
  const { connection, responses } = connectionOf("survey_responses");
  const hidden = responses.splice(151, 1)[0]!;
  swap(responses, 150);
  expect(await connection.sync(NOW)).toMatchObject({ isComplete: false, failures: [expect.any(String)] });
  swap(responses, 150);
  connection.service.add(hidden);
  expect((await connection.sync(NOW + HOUR)).isComplete).toBe(true);
  expect(connection.missing()).toEqual([]);
});

describe("what the walk met and cannot vouch for is delivered, and is a hole (g)", () => {
  const isLink = (path: string): boolean => path.includes("&after=");

  it.each(["survey_responses", "respondent_responses"] as const)(
    "an empty page that says there is more, once: what it hid comes in the next sync (%s)",
    async (stream) => {
      for (const number of stream === "survey_responses" ? [1, 3, 5, 7, 9, 11] : [3]) {
        const { connection } = connectionOf(stream);
        let pages = 0;
        connection.script = (path) => {
          if (personOf(path) !== undefined || !isLink(path) || ++pages !== number) return undefined;
          return connection.altered(path, () => []);
        };
        await connection.sync(NOW);
        connection.script = undefined;
        expect((await connection.sync(NOW + HOUR)).requests).toBeLessThanOrEqual(170);
        expect([number, connection.missing()]).toEqual([number, []]);
        expect((await connection.sync(NOW + 2 * HOUR)).requests).toBeLessThanOrEqual(65);
      }
    },
  );

  it("an empty page in a person's list: it counts as read, with a warning, and loses nothing of a configured survey", async () => {
    const connection = new Connection("respondent_responses");
    for (let number = 0; number < 20; number++) connection.add(`r${number}`, 1, number * HOUR);
    connection.script = (path) =>
      personOf(path) === 1 && isLink(path) ? connection.altered(path, () => []) : undefined;
    const synced = await connection.sync(30 * HOUR, { itemsPerPage: 5 });
    expect(synced).toMatchObject({ isComplete: true, failures: [] });
    expect(synced.warnings).toContainEqual(expect.stringContaining("empty page"));
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(31 * HOUR, { itemsPerPage: 5 })).requests).toBeLessThan(8);
  });

  it("a timestamp that the links do not get past: the others come, the stream fails, and the hole is small", async () => {
    const connection = new Connection("survey_responses", { ...PLAIN, link: "next_timestamp" });
    for (let number = 1; number <= 1000; number++) connection.add(`r${number}`, 1, number * 60);
    for (let number = 1; number <= 300; number++) connection.add(`tie ${number}`, 1, 500 * 60 + 30);
    for (const hour of [20, 21]) {
      const { isComplete, failures, requests } = await connection.sync(hour * HOUR);
      expect([isComplete, failures.length, requests < (hour === 20 ? 30 : 12)]).toEqual([false, 1, true]);
      expect(connection.missing().every((uuid) => uuid.startsWith("tie"))).toBe(true);
    }
    for (let number = 1; number <= 280; number++) connection.service.remove(`tie ${number}`);
    expect((await connection.sync(22 * HOUR)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(23 * HOUR)).requests).toBeLessThan(5);
  });

  it("more responses above the timestamp of a request than a page holds, in its millisecond: the walk gets past them", async () => {
    for (const shows of ["microseconds", "milliseconds"] as const) {
      const connection = new Connection("survey_responses", { ...PLAIN, shows });
      for (let number = 1; number <= 300; number++)
        connection.add(`r${number}`, 1, number * 60 + number / 1e6);
      for (let number = 1; number <= 120; number++)
        connection.add(`tie ${number}`, 1, 150 * 60 + number / 1e6);
      const unreadable = new Map([["r150", "uuid" as const]]);
      connection.faults = { ...connection.faults, unreadable };
      await connection.sync(10 * HOUR, { itemsPerPage: 20 });
      connection.faults = { ...connection.faults, unreadable: new Map() };
      expect(await connection.sync(11 * HOUR, { itemsPerPage: 20 })).toMatchObject({
        isComplete: true,
        failures: [],
      });
      expect(connection.missing()).toEqual([]);
    }
  });
});

describe("links that fail permanently", () => {
  const isLink = (path: string): boolean => path.includes("&after=");

  it.each([500, 404, 403, 422])("with %i: the survey is read in one sync all the same", async (status) => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 5000; number++) connection.add(`r${number}`, 1, number * 10);
    connection.script = (path) => (isLink(path) ? answering(status) : undefined);
    expect(await connection.sync(30 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(31 * HOUR)).requests).toBeLessThan(5);
  });

  it("with 500, in a survey of 1,200 people: everybody is read", async () => {
    const { connection } = connectionOf("respondent_responses");
    connection.script = (path) => (isLink(path) && personOf(path) === undefined ? answering(500) : undefined);
    await connection.sync(NOW);
    expect(connection.missing()).toEqual([]);
  });

  it("one that leads to another list is refused and reported, and the survey goes on", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 1000; number++) connection.add(`r${number}`, 1, number * 10);
    connection.script = (path) => {
      const answer = connection.service.answer(path, connection.faults);
      return { ...answer, body: answer.body.replace('"next_url":"/surveys/s/', '"next_url":"/surveys/t/') };
    };
    const { isComplete, failures } = await connection.sync(10 * HOUR);
    expect([isComplete, failures.length > 0]).toEqual([false, true]);
    expect(connection.missing()).toEqual([]);
  });

  it("a request of our own that fails as well ends the survey, and the next sync resumes", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 1000; number++) connection.add(`r${number}`, 1, number * 10);
    let paths = 0;
    connection.script = () => (++paths > 2 ? answering(403) : undefined);
    const failed = await connection.sync(10 * HOUR);
    expect(failed.isComplete).toBe(false);
    expect(failed.requests).toBeLessThan(20);
    connection.script = undefined;
    expect((await connection.sync(11 * HOUR)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });
});
