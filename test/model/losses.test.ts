import { describe, expect, it } from "vitest";
import { HEALTHY } from "../support/list-service.ts";
import { answering, COMPLETE, type Connection, connectionOf, DAY, page } from "../support/sync-story.ts";

/*
 * Losses of earlier versions. A service errs for a while and answers well again: a guard that believes such an answer
 * loses data permanently, and nobody is told.
 */

it("a hole is read again if the service reads the bounds of a request to milliseconds, though it shows more (I12)", async () => {
  const connection = connectionOf("respondent_attributes", 500, {
    at: (person) => person * 600 + (person % 7) * 0.000123,
    reads: "milliseconds",
  });
  connection.breaks((person) => person % 100 === 50);
  for (let sync = 0; sync < 2; sync++) await connection.sync();
  expect(connection.missing()).toHaveLength(5);
  await connection.recovers();
});

describe("a response that appears late, and within the lookback, comes (I5)", () => {
  const AT = 10 * DAY;

  /** Two responses to a page: at 5 and 650 seconds before the sync begins, and older ones. */
  function connectionOfFour(): Connection {
    const connection = connectionOf("survey_responses", 2);
    connection.add("young", 3, AT - 5);
    connection.add("old", 4, AT - 650);
    return connection;
  }

  it("though the page that lacks it took 100 seconds, and is dated at its end", async () => {
    const connection = connectionOfFour();
    connection.latencyMs = 100_000;
    const made = connection.service.answer("/surveys/s/responses?items_per_page=100", HEALTHY);
    // After 30 seconds, 590 seconds late.
    connection.add("late", 5, AT - 560);
    connection.script = () => made;
    await connection.sync({ at: AT });
    await connection.recovers();
  });

  it("though it appears between two pages: above the second one, and not yet on the first one", async () => {
    const connection = connectionOfFour();
    let requests = 0;
    connection.script = () => {
      if (++requests !== 2) return undefined;
      connection.add("late", 5, AT - 590);
      return { ...answering(429), headers: { "retry-after": "100" } };
    };
    await connection.sync({ at: AT, itemsPerPage: 2, inOrder: true });
    expect({ requests, missing: connection.missing() }).toEqual({ requests: 3, missing: ["late"] });
    await connection.recovers();
  });
});

it("the oldest responses are deleted while they are read: the rest comes, with a warning, and a quiet sync follows", async () => {
  const warnings: string[] = [];
  for (let purgeAt = 4; purgeAt < 40; purgeAt += 3) {
    const connection = connectionOf("survey_responses", 1000, { at: (number) => number * 60 });
    connection.latencyMs = 50;
    let pages = 0;
    connection.script = () => {
      if (++pages === purgeAt) connection.service.responses.splice(400);
      return undefined;
    };
    const synced = await connection.sync({ itemsPerPage: 20 });
    expect(synced).toMatchObject(COMPLETE);
    warnings.push(...synced.warnings.filter((each) => !/link|came/.test(each)));
    await connection.recovers({ itemsPerPage: 20 });
  }
  expect(warnings.length).toBeGreaterThan(5);
  for (const warning of warnings) expect(warning).toContain("ends above responses that it has shown");
});

describe("an end of a list that is told once, and wrongly, loses nothing that others have shown below it (I2)", () => {
  const COUNT = 1000;
  const itemsPerPage = 20;
  const LATENCY_S = 0.05;

  /** Request `number` for a page of the survey says that nothing follows. */
  function endsAt(connection: Connection, number: number) {
    connection.latencyMs = 1000 * LATENCY_S;
    let lie: { readonly atS: number; readonly last: string } | undefined;
    const tops: string[] = [];
    connection.script = (path) => {
      if (!path.startsWith("/surveys/s/")) return undefined;
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
    for (let number = 1; number < COUNT / itemsPerPage; number += 2) {
      const connection = connectionOf("survey_responses", COUNT, { at: (number) => number * 60 });
      const lie = endsAt(connection, number);
      await connection.sync({ itemsPerPage });
      if (!lie.isRefuted()) continue;
      refuted++;
      await connection.recovers({ itemsPerPage });
    }
    expect(refuted).toBeGreaterThan(9);
  });

  it("and no snapshot says that the survey was read whole without it", async () => {
    for (let number = 1; number < COUNT / itemsPerPage; number += 2) {
      const connection = connectionOf("response_key_snapshots", COUNT, { at: (number) => number * 60 });
      const lie = endsAt(connection, number);
      const { records } = await connection.sync({ itemsPerPage });
      if (lie.isRefuted()) for (const record of records) expect(record.number_of_keys).toBe(COUNT);
    }
  });
});

it("links that cannot be followed end a list at a timestamp with more responses than a page holds, and say so", async () => {
  const connection = connectionOf("survey_responses", 0);
  for (let number = 0; number < 250; number++) connection.add(`r${number}`, number, DAY);
  connection.script = (path) => {
    const { body, ...answer } = connection.service.answer(path, connection.faults);
    return { ...answer, body: body.replace(/"next_url":"[^"]*/, "$&#") };
  };
  const refused = await connection.sync();
  expect(refused).toMatchObject({ isComplete: false, codes: ["refused_link"] });
  expect(refused.requests).toBeLessThan(10);
  await connection.recovers();
});
