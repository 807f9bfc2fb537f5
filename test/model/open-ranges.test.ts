import { describe, expect, it } from "vitest";
import { Connection } from "./support/connection.ts";

const HOUR = 3600;
const QUARTER = 900;

/** These responses come without a respondent, without a uuid or without a timestamp. */
function spoils(
  connection: Connection,
  what: "uuid" | "collected_at" | "respondent",
  isSpoiled: (number: number) => boolean,
): void {
  const spoiled = connection.service.responses.filter(({ uuid }) => isSpoiled(Number(uuid.slice(1))));
  const unreadable = new Map(spoiled.map(({ uuid }) => [uuid, what]));
  connection.faults = { ...connection.faults, unreadable };
}

describe.each(["respondent_responses", "respondent_attributes"] as const)(
  "responses that name nobody (%s)",
  (stream) => {
    it("are covered: 199 of 12,000 cost a later sync nothing", async () => {
      const connection = new Connection(stream);
      for (let number = 1; number <= 12_000; number++)
        connection.add(`r${number}`, number % 60, number * QUARTER);
      spoils(connection, "respondent", (number) => number % 60 === Math.floor(number / 60) % 60);
      const now = 12_001 * QUARTER;
      const first = await connection.sync(now);
      expect(first).toMatchObject({ isComplete: true, failures: [] });
      expect(first.warnings).toContainEqual(expect.stringContaining("199"));
      const second = await connection.sync(now + HOUR);
      expect(second).toMatchObject({ isComplete: true, failures: [] });
      expect(second.requests).toBeLessThanOrEqual(12);
    });

    it.each([
      [9, true],
      [50, false],
    ])(
      "fail the stream if all of %i do, ten or more; they are covered all the same",
      async (count, isComplete) => {
        const connection = new Connection(stream);
        for (let number = 1; number <= count; number++)
          connection.add(`r${number}`, number, number * QUARTER);
        spoils(connection, "respondent", () => true);
        const first = await connection.sync(count * QUARTER + HOUR);
        expect(first.isComplete).toBe(isComplete);
        expect(first.failures).toHaveLength(isComplete ? 0 : 1);
        const second = await connection.sync(count * QUARTER + 2 * HOUR);
        expect(second).toMatchObject({ isComplete: true, failures: [] });
        expect(second.requests).toBeLessThan(4);
      },
    );
  },
);

describe("items that cannot be read (S11)", () => {
  it("cost a quiet sync at most 70 requests, 400 of 8,000; all come in one sync when they can be read", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 8_000; number++) connection.add(`r${number}`, 1, number * 60);
    spoils(connection, "uuid", (number) => number % 20 === 3);
    const now = 8_001 * 60;
    const first = await connection.sync(now);
    expect(first.isComplete).toBe(false);
    expect(connection.delivered.size).toBe(7_600);
    expect(JSON.stringify(connection.state).length).toBeLessThan(10_000);
    for (const hour of [1, 2])
      expect((await connection.sync(now + hour * HOUR)).requests).toBeLessThanOrEqual(70);
    spoils(connection, "uuid", () => false);
    expect(await connection.sync(now + 3 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(now + 4 * HOUR)).requests).toBeLessThan(5);
  });

  it.each(["uuid", "collected_at"] as const)(
    "lose nothing, however close to their neighbours they are (%s)",
    async (what) => {
      const connection = new Connection("survey_responses");
      for (let number = 1; number <= 6000; number++) connection.add(`r${number}`, 1, number / 1000);
      spoils(connection, what, (number) => number % 14 === 0);
      await connection.sync(HOUR);
      for (let hour = 2; hour < 5; hour++) await connection.sync(hour * HOUR);
      spoils(connection, what, () => false);
      expect((await connection.sync(5 * HOUR)).isComplete).toBe(true);
      expect(connection.missing()).toEqual([]);
    },
  );

  it("are tried in turn: some of 3,000 that become readable come within a few syncs", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 6_000; number++) connection.add(`r${number}`, 1, number * 60);
    spoils(connection, "uuid", (number) => number % 2 === 0);
    const now = 6_001 * 60;
    await connection.sync(now);
    spoils(connection, "uuid", (number) => number % 2 === 0 && number % 1000 !== 0);
    for (let hour = 1; hour <= 8; hour++)
      expect((await connection.sync(now + hour * HOUR)).requests).toBeLessThanOrEqual(70);
    expect(connection.missing().filter((uuid) => uuid.endsWith("000"))).toEqual([]);
  });

  it("hold back nothing else, however many neighbours cannot be read", async () => {
    const connection = new Connection("survey_responses");
    for (let number = 1; number <= 7_000; number++) connection.add(`r${number}`, 1, number * 60);
    spoils(connection, "uuid", (number) => number === 500 || (number > 1000 && number < 6_900));
    const now = 7_001 * 60;
    for (let hour = 0; hour < 2; hour++) await connection.sync(now + hour * HOUR);
    spoils(connection, "uuid", (number) => number > 1000 && number < 6_900);
    for (let hour = 2; hour < 4; hour++) await connection.sync(now + hour * HOUR);
    expect(connection.missing()).not.toContain("r500");
  });

  it("are read in a person's streams as well, when the survey shows them", async () => {
    const connection = new Connection("respondent_responses");
    for (let number = 1; number <= 600; number++) connection.add(`r${number}`, number, number * HOUR);
    spoils(connection, "collected_at", (number) => number % 10 === 0);
    expect((await connection.sync(601 * HOUR)).isComplete).toBe(false);
    expect(connection.delivered.size).toBe(540);
    expect((await connection.sync(602 * HOUR)).requests).toBeLessThanOrEqual(80);
    spoils(connection, "uuid", () => false);
    expect((await connection.sync(603 * HOUR)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
  });
});
