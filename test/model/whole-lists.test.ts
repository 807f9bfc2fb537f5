import type { HttpResponse } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, personId, personOf } from "./support/connection.ts";

const HOUR = 3600;
const MORE_THAN_ONCE = (keys: readonly string[]): string[] =>
  keys.filter((key, place) => keys.indexOf(key) !== place);

describe("a person's list (I6)", () => {
  it("is read once in a sync, and each response of it is emitted once", async () => {
    const connection = new Connection("respondent_responses");
    // The last of three surveys is not configured.
    for (let number = 0; number < 900; number++)
      connection.add(`r${number}`, number % 45, number * 900, `s${number % 3}`);
    const options = {
      surveyIds: ["s0", "s1"],
      itemsPerPage: 25,
      respondentUuids: [personId(3), personId(5)],
    };
    const synced = await connection.sync(900 * 900 + HOUR, options);
    expect(synced).toMatchObject({ isComplete: true, failures: [] });
    expect(MORE_THAN_ONCE(synced.emitted)).toEqual([]);
    const firstPages = synced.paths.filter(
      (path) => personOf(path) !== undefined && !path.includes("start="),
    );
    expect(MORE_THAN_ONCE(firstPages)).toEqual([]);
  });

  it("of 5,000 responses costs few requests for each new one", async () => {
    const connection = new Connection("respondent_responses");
    for (let number = 1; number <= 5000; number++) connection.add(`r${number}`, 1, number * 900);
    await connection.sync(5001 * 900);
    expect(connection.missing()).toEqual([]);
    for (let hour = 1; hour <= 3; hour++) {
      connection.add(`new ${hour}`, 1, 5001 * 900 + hour * HOUR - 60);
      const { emitted, requests } = await connection.sync(5001 * 900 + hour * HOUR);
      expect(emitted).toContain(`new ${hour}`);
      expect(emitted.length).toBeLessThan(5);
      expect(requests).toBeLessThan(8);
    }
  });

  it("gives what was answered to another survey, however old it is, once a response leads there", async () => {
    const connection = new Connection("respondent_responses");
    for (let number = 1; number <= 300; number++) connection.add(`other ${number}`, 1, number * 900, "t");
    for (let number = 1; number <= 50; number++) connection.add(`r${number}`, 2, number * 900);
    await connection.sync(400 * 900);
    expect(connection.delivered.size).toBe(50);
    connection.add("lead", 1, 401 * 900);
    expect(await connection.sync(402 * 900)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
  });

  it("does not end early above a range that is open", async () => {
    const connection = new Connection("respondent_responses");
    for (let number = 1; number <= 1000; number++) connection.add(`r${number}`, number % 2, number * 900);
    const isLacking = (uuid: string): boolean => uuid === "r101" || uuid === "r103";
    connection.script = (path) =>
      personOf(path) === undefined
        ? undefined
        : connection.altered(path, (items) => items.filter(({ response }) => !isLacking(response.uuid)));
    await connection.sync(1001 * 900);
    expect(connection.missing()).toEqual(["r103", "r101"]);
    connection.script = undefined;
    connection.add("new", 1, 1002 * 900);
    await connection.sync(1003 * 900);
    expect(connection.missing()).toEqual([]);
  });
});

/** The page that begins after `uuid` comes with no items; its link leads on, or to itself. */
function hides(connection: Connection, uuid: string, leads: "on" | "to itself"): string[] {
  const hidden: string[] = [];
  connection.script = (path): HttpResponse | undefined => {
    if (!path.includes(`&after=${uuid}/`)) return undefined;
    hidden.push(path);
    const { pagination_data } = JSON.parse(connection.service.answer(path, connection.faults).body);
    const next_url = leads === "on" ? pagination_data.next_url : path;
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ pagination_data: { ...pagination_data, has_more: true, next_url }, data: [] }),
    };
  };
  return hidden;
}

describe("an empty page in mid-list that says there is more (S4)", () => {
  const WARNING = expect.stringContaining("empty page");

  it("of a survey is followed, with a warning, and what it hid comes in a later sync", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 500; number++) connection.add(`r${number}`, 1, number * 900);
    hides(connection, "r301", "on");
    for (const hour of [1, 2]) {
      expect(await connection.sync(501 * 900 + hour * HOUR)).toMatchObject({
        isComplete: true,
        failures: [],
      });
      if (hour === 1) expect(connection.missing()).toHaveLength(48);
    }
    expect(connection.warnings[0]).toEqual(WARNING);
    connection.script = undefined;
    await connection.sync(501 * 900 + 3 * HOUR);
    expect(connection.missing()).toEqual([]);
  });

  it("of a person is followed, with a warning, and what it hid comes in a later sync", async () => {
    const connection = new Connection("respondent_responses");
    for (let number = 1; number <= 250; number++) connection.add(`r${number}`, 1, number * 900, "t");
    connection.add("lead", 1, 251 * 900);
    connection.add("another", 2, 252 * 900);
    hides(connection, "r152", "on");
    const first = await connection.sync(253 * 900);
    expect(first).toMatchObject({ isComplete: true, failures: [] });
    expect(first.warnings).toContainEqual(WARNING);
    expect(connection.missing()).toHaveLength(100);
    connection.script = undefined;
    await connection.sync(254 * 900);
    expect(connection.missing()).toEqual([]);
  });

  it("with a link to itself is asked for once more, and the next sync asks for what lies below", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 300; number++) connection.add(`r${number}`, 1, number * 900);
    const asked = hides(connection, "r101", "to itself");
    const first = await connection.sync(301 * 900);
    expect(first).toMatchObject({ isComplete: true, failures: [] });
    expect(first.warnings).toContainEqual(WARNING);
    expect(asked).toHaveLength(2);
    expect(connection.delivered.size).toBe(252);
    connection.script = undefined;
    expect((await connection.sync(302 * 900)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });
});
