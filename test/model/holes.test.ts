import { describe, expect, it } from "vitest";
import { HEALTHY } from "../support/list-service.ts";
import {
  answering,
  COMPLETE,
  connectionOf,
  FAILED_ONCE,
  HOUR,
  isLink,
  personId,
  personOf,
} from "../support/sync-story.ts";

/*
 * What a page shows and could not be delivered is a hole: a gap of the next sync, which nothing else closes (I12).
 * That nothing is lost there is proven by the random histories. These stories show what it costs, and what is told.
 */

it("600 of 1,000 neighbours who are refused cost a request each, and everybody else comes in one sync", async () => {
  const connection = connectionOf("respondent_attributes", 1000);
  connection.breaks((person) => person >= 200 && person < 800);
  const { isComplete, requests } = await connection.sync();
  expect(isComplete).toBe(false);
  expect(requests).toBeLessThan(1100);
  expect(connection.missing()).toHaveLength(600);
  await connection.recovers();
});

describe("what cannot be read leaves a hole", () => {
  it.each([
    [9, "uuid"],
    [10, "collected_at"],
  ] as const)("%i places: complete with a warning, or incomplete from ten on (%s)", async (count, field) => {
    const connection = connectionOf("survey_responses", 3000);
    connection.breaks((number) => number % 250 === 3 && number < 250 * count, field);
    for (const requests of [60, 2 * count + 2]) {
      const synced = await connection.sync();
      expect(synced).toMatchObject(count < 10 ? COMPLETE : FAILED_ONCE);
      const [told] = [...synced.failures, ...synced.warnings];
      expect(told).toContain("holds an item that cannot be read");
      expect(told).toContain(`${count} of `);
      expect(synced.requests).toBeLessThanOrEqual(requests);
    }
    await connection.recovers();
  });

  it("100 of 2,000 cost a later sync about a request each, and all come in one sync when they can be read", async () => {
    const connection = connectionOf("survey_responses", 2000);
    connection.breaks((number) => number % 20 === 3);
    await connection.sync();
    expect(connection.delivered.size).toBe(1900);
    expect((await connection.sync()).requests).toBeLessThan(110);
    await connection.recovers();
  });

  it("all of 1,000: a few requests tell it, and all of it comes when it can be read", async () => {
    const connection = connectionOf("survey_responses", 1000);
    connection.breaks(() => true);
    for (const requests of [20, 14]) expect((await connection.sync()).requests).toBeLessThan(requests);
    await connection.recovers();
  });

  it("but an answer without its question does not: the others are read, and nothing comes again", async () => {
    const connection = connectionOf("survey_answers", 300);
    const answers = [{ answer: "Fine." }, { question_id: 1, answer: "Yes." }];
    connection.script = (path) =>
      connection.altered(path, (items) =>
        items.map(({ response, ...item }) => ({
          ...item,
          response: { ...response, ...(response.uuid === "r151" && { answers }) },
        })),
      );
    for (const isFirst of [true, false]) {
      const { isComplete, warnings, records } = await connection.sync();
      expect(isComplete).toBe(true);
      expect(warnings).toHaveLength(isFirst ? 1 : 0);
      expect(records.some((each) => each.response_uuid === "r151")).toBe(isFirst);
    }
  });

  it("in a person's list, at what led there: what it hid comes when it can be read", async () => {
    for (const stream of ["respondent_responses", "respondent_attributes"] as const) {
      const connection = connectionOf(stream, 100);
      connection.add("elsewhere", 50, 50 * HOUR - 60, "t");
      connection.faults = {
        ...HEALTHY,
        unreadable: new Map([["elsewhere", "uuid" as const]]),
        attributesUnreadable: new Set([personId(50)]),
      };
      for (const requests of [110, 6]) {
        const synced = await connection.sync();
        expect(synced).toMatchObject(COMPLETE);
        expect(synced.warnings).toContainEqual(expect.stringContaining("omitted, and the next sync"));
        expect(synced.requests).toBeLessThan(requests);
      }
      await connection.recovers();
    }
  });

  it.each(["respondent_responses", "respondent_attributes"] as const)(
    "an empty page in a person's list that says there is more, once: everything comes (%s)",
    async (stream) => {
      const connection = connectionOf(stream, 20);
      for (let number = 0; number < 12; number++)
        connection.add(`t${number}`, 7, 7 * HOUR - 60 - number, "t");
      connection.attributes.set(personId(7), 12);
      let pages = 0;
      // Of responses the second one: without the newest, the list would look as if it lagged.
      const isHidden = (path: string): boolean =>
        personOf(path) === 7 && isLink(path) === (stream === "respondent_responses") && pages++ === 0;
      connection.alters(isHidden, () => []);
      expect(await connection.sync({ itemsPerPage: 5 })).toMatchObject(COMPLETE);
      expect(connection.missing()).toEqual([]);
    },
  );
});

it("a timestamp that the links do not get past: the others come, the stream fails, and the hole is small", async () => {
  const connection = connectionOf("survey_responses", 1000, { link: "next_timestamp" });
  for (let number = 1; number <= 300; number++) connection.add(`tie ${number}`, 1, 500 * HOUR + 30);
  for (const most of [30, 12]) {
    const synced = await connection.sync();
    expect(synced).toMatchObject(FAILED_ONCE);
    expect(synced.requests).toBeLessThan(most);
    expect(connection.missing().every((uuid) => uuid.startsWith("tie"))).toBe(true);
  }
  for (let number = 1; number <= 280; number++) connection.service.remove(`tie ${number}`);
  await connection.recovers();
});

it("more responses above the timestamp of a request than a page holds, in its millisecond: the walk gets past them", async () => {
  for (const shows of ["microseconds", "milliseconds"] as const) {
    const connection = connectionOf("survey_responses", 300, { shows, at: (n) => n * 60 + n / 1e6 });
    for (let number = 1; number <= 120; number++) connection.add(`tie ${number}`, 1, 150 * 60 + number / 1e6);
    connection.faults = { ...HEALTHY, unreadable: new Map([["r150", "uuid" as const]]) };
    await connection.sync({ itemsPerPage: 20 });
    await connection.recovers({ itemsPerPage: 20 });
  }
});

it.each([
  ["in mid-page", 150],
  ["at a page's border", 99],
])(
  "two neighbours in the wrong order %s: all is delivered, the stream fails and covers nothing between them (S1)",
  async (_, place) => {
    const connection = connectionOf("survey_responses", 1200);
    const { responses } = connection.service;
    const [newer, hidden, older] = responses.splice(place, 3);
    responses.splice(place, 0, older!, newer!);
    expect(await connection.sync()).toMatchObject(FAILED_ONCE);
    expect(connection.missing()).toEqual([]);
    responses.splice(place, 2, newer!, hidden!, older!);
    await connection.recovers();
  },
);

it.each([
  [500, "microseconds"],
  [403, "milliseconds"],
] as const)(
  "if each link fails with %i, a survey that shows %s is read in one sync all the same",
  async (status, shows) => {
    const connection = connectionOf("survey_responses", 2000, { shows, at: (number) => number * 0.0003 });
    connection.answers(isLink, answering(status));
    const synced = await connection.sync();
    expect(synced).toMatchObject(COMPLETE);
    expect(connection.missing()).toEqual([]);
  },
);
