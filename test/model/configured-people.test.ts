import { createHash } from "node:crypto";
import { createRecordTreatment, type Timestamp } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, NOT_FOUND, PLAIN, personId, personOf, SECOND } from "./support/connection.ts";
import { timestampAt } from "./support/list-service.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const THREE = [personId(1), personId(2), personId(3)];

/** Three people with ten responses each, a day apart, to a survey that is not configured. */
function connectionOf(): Connection {
  const connection = new Connection("respondent_responses");
  for (let number = 0; number < 30; number++)
    connection.add(`r${number}`, 1 + (number % 3), (1 + Math.floor(number / 3)) * DAY + number, "t");
  return connection;
}

describe("people whom the configuration names (I6)", () => {
  it("are read whole in each sync, and what was emitted before is not emitted again", async () => {
    const connection = connectionOf();
    const options = { respondentUuids: THREE };
    expect((await connection.sync(20 * DAY, options)).emitted).toHaveLength(30);
    connection.add("new", 2, 20 * DAY + HOUR, "t");
    expect((await connection.sync(21 * DAY, options)).emitted).toEqual(["new"]);
    const third = await connection.sync(22 * DAY, options);
    expect(third.emitted).toEqual([]);
    expect(third.requests).toBeLessThan(6);
  });

  it("come whole again if the list of UUIDs changes, but not if its order or its capitals do", async () => {
    const connection = connectionOf();
    await connection.sync(20 * DAY, { respondentUuids: THREE });
    const reversed = THREE.map((uuid) => uuid.toUpperCase()).reverse();
    expect((await connection.sync(21 * DAY, { respondentUuids: reversed })).emitted).toEqual([]);
    const two = THREE.slice(1);
    expect((await connection.sync(22 * DAY, { respondentUuids: two })).emitted).toHaveLength(20);
    expect((await connection.sync(23 * DAY, { respondentUuids: THREE })).emitted).toHaveLength(30);
  });

  it("come whole again if the start date moves back, but not if it moves on", async () => {
    const connection = connectionOf();
    const from = (day: number) => ({
      respondentUuids: THREE,
      startDate: timestampAt(day * DAY * SECOND) as Timestamp,
    });
    expect((await connection.sync(20 * DAY, from(6))).emitted).toHaveLength(15);
    expect((await connection.sync(21 * DAY, from(7))).emitted).toEqual([]);
    await connection.sync(22 * DAY, from(2));
    expect(connection.delivered.size).toBe(27);
  });

  it("give what comes after an earlier end date in the next sync", async () => {
    const connection = connectionOf();
    const endDate = timestampAt((5 * DAY + HOUR) * SECOND) as Timestamp;
    expect((await connection.sync(20 * DAY, { respondentUuids: THREE, endDate })).emitted).toHaveLength(15);
    expect((await connection.sync(21 * DAY, { respondentUuids: THREE })).emitted).toHaveLength(15);
    expect(connection.missing()).toEqual([]);
  });

  it("give what they answer while a sync goes on in the next one", async () => {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 30_000;
    const respondentUuids = Array.from({ length: 200 }, (_, person) => personId(person));
    for (let person = 0; person < 200; person++) connection.add(`r${person}`, person, DAY + person, "t");
    connection.script = (path) => {
      const person = personOf(path);
      if (person !== undefined && person % 10 === 0)
        connection.add(`during ${person}`, (person * 7) % 200, connection.nowS - 0.5, "t");
      return undefined;
    };
    expect((await connection.sync(10 * DAY, { respondentUuids })).isComplete).toBe(true);
    connection.script = undefined;
    await connection.sync(11 * DAY, { respondentUuids });
    expect(connection.missing()).toEqual([]);
  });

  it("lose nothing if the sync ends before all of them were read", async () => {
    const connection = connectionOf();
    connection.latencyMs = 1000;
    await connection.sync(20 * DAY, { respondentUuids: THREE }, ({ type }) => type === "records");
    expect(connection.missing().length).toBeGreaterThan(0);
    await connection.sync(21 * DAY, { respondentUuids: THREE });
    expect(connection.missing()).toEqual([]);
  });

  it("come whole if one of them cannot be read: the next sync gives what that one has", async () => {
    const connection = connectionOf();
    connection.script = (path) => (personOf(path) === 2 ? { status: 403, headers: {}, body: "" } : undefined);
    const failed = await connection.sync(20 * DAY, { respondentUuids: THREE });
    expect([failed.isComplete, failed.emitted.length]).toEqual([false, 20]);
    connection.script = undefined;
    expect((await connection.sync(21 * DAY, { respondentUuids: THREE })).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });

  it("are asked for once in a sync if a survey showed them", async () => {
    const connection = connectionOf();
    connection.add("shown", 2, 19 * DAY);
    const { paths, emitted } = await connection.sync(20 * DAY, { respondentUuids: THREE });
    expect(paths.filter((path) => personOf(path) === 2)).toHaveLength(1);
    expect(emitted).toHaveLength(31);
  });

  it("leave a state that does not grow: four lists of 200 others are no more than one", async () => {
    const connection = new Connection("respondent_responses");
    for (let person = 0; person < 800; person++) connection.add(`r${person}`, person, DAY + person, "t");
    const sizes: number[] = [];
    for (let list = 0; list < 4; list++) {
      const respondentUuids = Array.from({ length: 200 }, (_, person) => personId(200 * list + person));
      await connection.sync((10 + list) * DAY, { respondentUuids });
      sizes.push(JSON.stringify(connection.state).length);
      for (const uuid of respondentUuids) expect(JSON.stringify(connection.state)).not.toContain(uuid);
    }
    expect(connection.missing()).toEqual([]);
    expect(sizes[3]).toBeLessThanOrEqual(sizes[0]! + 10);
  });
});

describe("a configured person who answers 404", () => {
  it.each(["keep", "hash", "omit"] as const)(
    "in the first sync, and is there in the second: all of theirs comes (identifiers: %s)",
    async (respondent_identifiers) => {
      const treatment = createRecordTreatment({ respondent_identifiers }, sha256);
      const connection = connectionOf();
      connection.script = (path) => (personOf(path) === 2 ? NOT_FOUND : undefined);
      const first = await connection.sync(20 * DAY, { respondentUuids: THREE, treatment });
      expect(first).toMatchObject({ isComplete: true, failures: [] });
      expect(connection.delivered.size).toBe(20);
      connection.script = undefined;
      await connection.sync(21 * DAY, { respondentUuids: THREE, treatment });
      expect(connection.missing()).toEqual([]);
    },
  );

  it("for good keeps nobody else: what was emitted before stops coming after two syncs", async () => {
    const connection = connectionOf();
    connection.script = (path) => (personOf(path) === 2 ? NOT_FOUND : undefined);
    for (const day of [20, 21]) await connection.sync(day * DAY, { respondentUuids: THREE });
    connection.add("new", 3, 21 * DAY + HOUR, "t");
    const third = await connection.sync(22 * DAY, { respondentUuids: THREE });
    expect(third).toMatchObject({ isComplete: true, failures: [], emitted: ["new"] });
    expect(third.requests).toBeLessThan(7);
    expect(third.tookS).toBeLessThan(60);
  });

  it("like all others, ten or more: this looks like an outage, and the next sync has everything", async () => {
    const connection = new Connection("respondent_responses");
    const respondentUuids = Array.from({ length: 30 }, (_, person) => personId(person));
    for (let person = 0; person < 30; person++) connection.add(`r${person}`, person, DAY + person, "t");
    for (const day of [10, 11]) {
      connection.script = (path) => (personOf(path) === undefined ? undefined : NOT_FOUND);
      const failed = await connection.sync(day * DAY, { respondentUuids });
      expect(failed).toMatchObject({
        isComplete: false,
        failures: [expect.stringContaining("looks like an outage")],
      });
    }
    connection.script = undefined;
    expect((await connection.sync(12 * DAY, { respondentUuids })).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });
});

describe("the attributes' collected_at", () => {
  it("is the time of reading, and grows with each sync, if the configuration names the person or a survey shows them", async () => {
    const people = new Map([1, 2].map((person) => [personId(person), 2]));
    const connection = new Connection("respondent_attributes", PLAIN, people);
    connection.add("shown", 2, 5 * DAY);
    for (const day of [10, 11]) {
      const { records, tookS } = await connection.sync(day * DAY, {
        respondentUuids: [personId(1), personId(2)],
      });
      expect(records).toHaveLength(4);
      for (const { collected_at } of records) {
        expect(collected_at).not.toBeNull();
        expect(String(collected_at) >= timestampAt((day * DAY - 2) * SECOND)).toBe(true);
        expect(String(collected_at) <= timestampAt(Math.ceil(day * DAY + tookS) * SECOND)).toBe(true);
      }
    }
  });
});

describe("a UUID that the configuration writes in capitals", () => {
  const uuid = "abcdef00-0000-4000-8000-0000000000fe";
  const capitals = uuid.toUpperCase();

  /** 250 responses; the service knows both spellings, and its links have `link`. */
  function connectionOfBoth(survey: string, link = (path: string): string => path) {
    const connection = new Connection("respondent_responses");
    for (let number = 0; number < 250; number++)
      connection.service.add({ uuid: `r${number}`, survey, person: uuid, at: (DAY + number * 600) * SECOND });
    connection.add("other", 1, DAY);
    connection.script = (path) => {
      if (!path.startsWith("/respondents/")) return undefined;
      const answer = connection.service.answer(path.replace(capitals, uuid), connection.faults);
      return { ...answer, body: answer.body.replaceAll(/(?<=next_url":")[^"]*/g, link) };
    };
    return connection;
  }

  it.each([
    ["capitals alone", [capitals]],
    ["both spellings", [capitals, uuid]],
  ])("is read to its end, once: %s", async (_, respondentUuids) => {
    for (const survey of ["s", "t"]) {
      const connection = connectionOfBoth(survey);
      const synced = await connection.sync(5 * DAY, { respondentUuids });
      expect(synced).toMatchObject({ isComplete: true, failures: [] });
      expect(connection.missing()).toEqual([]);
      expect(synced.emitted).toHaveLength(251);
      expect(synced.paths.filter((path) => path.toLowerCase().includes(uuid))).toHaveLength(3);
    }
  });

  it("is read to its end if the links have capitals that were not asked for", async () => {
    const connection = connectionOfBoth("t", (path) => path.replace(uuid, capitals));
    const synced = await connection.sync(5 * DAY, { respondentUuids: [uuid] });
    expect(synced).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
  });
});
