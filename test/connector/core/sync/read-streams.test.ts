import { expect, it, vi } from "vitest";
import { Scheduler } from "../../../../connector/core/sync/scheduler.ts";
import { Connection, NOT_FOUND, personOf } from "../../../model/support/connection.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

it.each([0, 2 * DAY, -2 * DAY])(
  "the service's own present says which responses are young, though the machine's clock is %i s ahead (S12)",
  async (clockAheadS) => {
    const connection = new Connection("respondent_responses");
    connection.clockAheadS = clockAheadS;
    for (let person = 1; person < 10; person++)
      connection.add(`r${person}`, person, 10 * DAY - person * HOUR);
    connection.script = (path) => (personOf(path) === 5 ? NOT_FOUND : undefined);
    await connection.sync(10 * DAY);
    connection.script = undefined;
    await connection.sync(10 * DAY + HOUR);
    expect(connection.missing()).toEqual([]);
  },
);

it("a list that is asked for twice at once stops the read with a defect", async () => {
  const connection = new Connection("survey_responses");
  connection.add("r1", 1, HOUR);
  const { next } = Scheduler.prototype;
  let first: ReturnType<typeof next>;
  const spy = vi.spyOn(Scheduler.prototype, "next").mockImplementation(function (this: Scheduler, ...words) {
    first ??= next.apply(this, words);
    return first;
  });
  await expect(connection.sync(DAY)).rejects.toThrow("a list was asked for its next page twice at once");
  spy.mockRestore();
});
