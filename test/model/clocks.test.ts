import { createHash } from "node:crypto";
import { createRecordTreatment } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, NOT_FOUND, page, personOf, SECOND } from "./support/connection.ts";
import { EPOCH_MS, timestampAt } from "./support/list-service.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

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

  it.each([0, 2 * DAY])(
    "%i s ahead: a respondent who may not be noted and is not found once does not count as deleted",
    async (clockAheadS) => {
      const connection = new Connection("respondent_responses");
      connection.clockAheadS = clockAheadS;
      const treatment = createRecordTreatment({ respondent_identifiers: "hash" }, sha256);
      for (let person = 1; person < 10; person++)
        connection.add(`r${person}`, person, 10 * DAY - 60 * person);
      connection.script = (path) => (personOf(path) === 5 ? NOT_FOUND : undefined);
      await connection.sync(10 * DAY, { treatment });
      connection.script = undefined;
      await connection.sync(10 * DAY + HOUR, { treatment });
      expect(connection.delivered).toContain("r5");
    },
  );
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
  await connection.sync(4 * HOUR);
  expect((await connection.sync(5 * HOUR)).requests).toBeLessThan(50);
});

it("of two responses of one second, a list that lacks the newer one is read again", async () => {
  const connection = new Connection("respondent_responses");
  connection.add("r1", 1, 10 * DAY - 1800.9);
  connection.add("r2", 1, 10 * DAY - 1800.1);
  connection.add("r3", 2, 10 * DAY - 60);
  connection.script = (path) => {
    if (personOf(path) !== 1) return undefined;
    const { data } = JSON.parse(connection.service.answer(path, connection.faults).body);
    return page(data.filter(({ response }: { response: { uuid: string } }) => response.uuid !== "r2"));
  };
  await connection.sync(10 * DAY);
  connection.script = undefined;
  await connection.sync(10 * DAY + HOUR);
  expect([...connection.delivered].sort()).toEqual(["r1", "r2", "r3"]);
});
