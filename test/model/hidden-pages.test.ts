import type { HttpResponse, Timestamp } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, personOf } from "./support/connection.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Page `number` of the first respondent's list, from 0, comes empty once, with the link that leads past what it hides. */
function hideOnce(connection: Connection, number: number): void {
  let pages = 0;
  connection.script = (path): HttpResponse | undefined => {
    if (personOf(path) !== 1 || pages++ !== number) return undefined;
    const whole = JSON.parse(connection.service.answer(path, connection.faults).body);
    return { status: 200, headers: {}, body: JSON.stringify({ ...whole, data: [] }) };
  };
}

describe("an empty page in a respondent's list that links on, once", () => {
  it.each([0, 1])("as page %i, before what was delivered earlier: what it hid comes", async (number) => {
    const connection = new Connection("respondent_responses");
    for (let hour = 1; hour <= 6; hour++) connection.add(`old ${hour}`, 1, hour * HOUR);
    connection.add("other", 2, 7 * HOUR);
    await connection.sync(8 * HOUR, { itemsPerPage: 2 });
    for (let hour = 1; hour <= 2 + 2 * number; hour++)
      connection.add(`new ${hour}`, 1, 2 * DAY + hour * HOUR);
    connection.add("later", 2, 3 * DAY);
    hideOnce(connection, number);
    const synced = await connection.sync(5 * DAY, { itemsPerPage: 2 });
    expect(synced).toMatchObject({ isComplete: true, failures: [] });
    expect(synced.warnings).toContainEqual(expect.stringContaining("empty page"));
    await connection.sync(6 * DAY, { itemsPerPage: 2 });
    expect(connection.delivered.size).toBe(connection.service.responses.length);
  });

  it("before what lies below the start date: what it hid comes", async () => {
    const connection = new Connection("respondent_responses");
    for (let hour = 1; hour <= 6; hour++) connection.add(`r${hour}`, 1, hour * HOUR);
    hideOnce(connection, 1);
    const startDate = "2026-01-01T02:30:00.000000Z" as Timestamp;
    for (const day of [5, 6]) await connection.sync(day * DAY, { itemsPerPage: 2, startDate });
    expect([...connection.delivered].sort()).toEqual(["r3", "r4", "r5", "r6"]);
  });

  it("before an empty last page: what it hid comes", async () => {
    const connection = new Connection("respondent_responses");
    for (let hour = 1; hour <= 4; hour++) connection.add(`r${hour}`, 1, hour * HOUR);
    let pages = 0;
    connection.script = (path) => {
      if (personOf(path) !== 1 || ++pages !== 2) return undefined;
      const next = `${path.split("?")[0]}?items_per_page=2&start=2026-01-01T00:30:00.000000Z`;
      const body = JSON.stringify({ pagination_data: { has_more: true, next_url: next }, data: [] });
      return { status: 200, headers: {}, body };
    };
    expect((await connection.sync(5 * DAY, { itemsPerPage: 2 })).isComplete).toBe(true);
    await connection.sync(6 * DAY, { itemsPerPage: 2 });
    expect(connection.delivered.size).toBe(4);
  });
});
