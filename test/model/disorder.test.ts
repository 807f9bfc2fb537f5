import { describe, expect, it } from "vitest";
import { answering, Connection, personOf, SECOND } from "./support/connection.ts";
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
      expect((await connection.sync(NOW + HOUR)).requests).toBeLessThanOrEqual(130);
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

describe("links that fail for good", () => {
  const isLink = (path: string): boolean => path.includes("&after=");

  it.each([500, 404, 403, 422])("with %i: the survey is read in one sync all the same", async (status) => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 5000; number++) connection.add(`r${number}`, 1, number * 10);
    connection.script = (path) => (isLink(path) ? answering(status) : undefined);
    expect(await connection.sync(30 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(31 * HOUR)).requests).toBeLessThan(5);
  });

  it("with 404: 30,000 responses come in one sync", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 30_000; number++) connection.add(`r${number}`, 1, number * 10);
    connection.script = (path) => (isLink(path) ? answering(404) : undefined);
    await connection.sync(90 * HOUR);
    expect(connection.missing()).toEqual([]);
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

  it("a request of our own that fails as well ends the survey, and the next sync goes on", async () => {
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
