import { describe, expect, it } from "vitest";
import { Connection, PLAIN, page, personId, personOf, SECOND } from "./support/connection.ts";
import { EPOCH_MS, timestampAt } from "./support/list-service.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

describe("a machine whose clock is wrong, and a service that sends its Date (S12)", () => {
  it.each([0, 2 * DAY])("%i s ahead: a list that lags behind is read again", async (clockAheadS) => {
    const connection = new Connection("respondent_responses");
    connection.clockAheadS = clockAheadS;
    connection.add("r1", 1, 10 * DAY - 1800);
    connection.add("r2", 2, 10 * DAY - 60);
    connection.script = (path) => (personOf(path) === 1 ? page([]) : undefined);
    await connection.sync(10 * DAY);
    connection.script = undefined;
    await connection.sync(10 * DAY + HOUR);
    expect([...connection.delivered].sort()).toEqual(["r1", "r2"]);
  });
});

it("a service that is down does not keep a sync from saying so, though its state seems to reach into the future", async () => {
  const connection = new Connection("survey_responses");
  connection.state = { version: 1, surveys: { s: [[null, timestampAt(3 * DAY * SECOND)]] } };
  connection.script = () => ({ status: 503, headers: {}, body: "" });
  const beganMs = EPOCH_MS + HOUR * 1000;
  let firstMs: number | undefined;
  await connection.sync(HOUR, {}, (_, nowMs) => {
    firstMs ??= nowMs;
    return true;
  });
  expect(firstMs! - beganMs).toBeLessThan(120_000);
});

it("lists that round one timestamp in different ways agree", async () => {
  const connection = new Connection("respondent_responses");
  for (let person = 0; person < 200; person++) connection.add(`r${person}`, person, 60 * person + 0.0006);
  connection.script = (path) => {
    if (!path.startsWith("/surveys/")) return undefined;
    const whole = connection.service.answer(path, connection.faults);
    return { ...whole, body: whole.body.replaceAll('.000600Z"', '.001000Z"') };
  };
  expect((await connection.sync(4 * HOUR)).warnings).toEqual([]);
  expect((await connection.sync(5 * HOUR)).requests).toBeLessThan(20);
});

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
      // Every third one to a survey that is not configured.
      if (++requests % 4 === 0)
        connection.add(
          `during ${requests}`,
          (requests * 7) % 300,
          connection.nowS - 0.5,
          `s${(requests * 13) % 30}`,
        );
      return undefined;
    };
    const options = {
      surveyIds,
      respondentUuids: Array.from({ length: 300 }, (_, person) => personId(person)),
    };
    const first = await connection.sync(10 * DAY, options);
    expect(first.tookS).toBeGreaterThan(1200);
    expect(first.isComplete).toBe(true);
    connection.script = undefined;
    expect((await connection.sync(11 * DAY, options)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });
});

it.each(["survey_responses", "respondent_responses"] as const)(
  "a state above the present is cut there: what comes later is read (%s)",
  async (stream) => {
    const connection = new Connection(stream);
    connection.state = { version: 1, surveys: { s: [[null, timestampAt(13 * DAY * SECOND)]] } };
    connection.add("old", 1, 9 * DAY);
    const { warnings } = await connection.sync(10 * DAY);
    expect(warnings).toContainEqual(expect.stringContaining("reaches into the future"));
    connection.add("new", 2, 10 * DAY + HOUR);
    await connection.sync(10 * DAY + 2 * HOUR);
    expect(connection.delivered).toContain("new");
  },
);

it.each([90, 110])(
  "%i responses from the future, ten a page, do not keep a stream from advancing",
  async (future) => {
    const connection = new Connection("respondent_responses");
    for (let person = 1; person <= 300; person++) connection.add(`r${person}`, person, person * 60);
    for (let number = 1; number <= future; number++)
      connection.add(`future ${number}`, 1, 100 * HOUR + number);
    const requests: number[] = [];
    for (let hour = 6; hour <= 8; hour++)
      requests.push((await connection.sync(hour * HOUR, { itemsPerPage: 10 })).requests);
    expect(connection.missing()).toEqual([]);
    expect(requests[2]).toBeLessThan(requests[0]! / 2);
  },
);

it("a service that shows timestamps rounded to the nearest millisecond is read whole (S7)", async () => {
  const connection = new Connection("survey_responses", { ...PLAIN, shows: "nearest millisecond" });
  connection.latencyMs = 20;
  for (let number = 1; number <= 3000; number++)
    connection.add(`r${number}`, 1, ((number * 7919) % 2_000_000) / 1_000_000);
  expect(await connection.sync(HOUR, { itemsPerPage: 20 })).toMatchObject({ isComplete: true, failures: [] });
  expect(connection.delivered.size).toBe(3000);
});

it.each([false, true])(
  "state and requests do not grow with the number of syncs (lists that close with an empty page: %s)",
  async (closesEmpty) => {
    const connection = new Connection("survey_responses", { ...PLAIN, closesEmpty });
    const requests: number[] = [];
    for (let hour = 1; hour <= 20; hour++) {
      for (let place = 1; place <= 8; place++)
        connection.add(`r${hour}-${place}`, place, (hour + place / 9) * HOUR);
      const synced = await connection.sync((hour + 1) * HOUR);
      expect(synced.isComplete).toBe(true);
      requests.push(synced.requests);
    }
    expect(connection.delivered.size).toBe(160);
    expect(connection.state!.surveys.s!.length).toBeLessThan(4);
    expect(requests.at(-1)).toBeLessThanOrEqual(requests[2]!);
  },
);
