import { describe, expect, it } from "vitest";
import { Connection, NOT_FOUND, personId, SECOND } from "./connection.ts";

const HOUR = 3600;
const MINUTE = 60;
const START = 10 * HOUR;

describe.each([
  ["whom the configuration names", [personId(1)]],
  ["whom it does not name", []],
])("a respondent %s", (_, respondentUuids) => {
  /** Person 1 has answered survey t since; an older response of theirs to survey s appears late (S8). */
  async function withLateResponse(newer: number, itemsPerPage: number) {
    const connection = new Connection("respondent_responses");
    connection.latencyMs = 500;
    const options = { surveyIds: ["s", "t"], respondentUuids, itemsPerPage };
    connection.add("r0", 2, START - 10 * MINUTE);
    connection.service.add({ uuid: "other", survey: "t", person: personId(1), at: START * SECOND });
    await connection.sync(START + MINUTE, options);
    connection.add("late", 1, START - 12 * MINUTE);
    for (let number = 0; number < newer; number++)
      connection.add(`new ${number}`, 3 + number, START + (2 + number) * MINUTE);
    await connection.sync(START + HOUR, options);
    return connection;
  }

  it("gets a response that appears late below what was covered of them", async () => {
    expect((await withLateResponse(0, 100)).delivered).toContain("late");
  });

  it("gets it too where it is found after their list was read", async () => {
    expect((await withLateResponse(8, 2)).delivered).toContain("late");
  });
});

it("a respondent whom the configuration writes in capitals is asked for as the service writes them", async () => {
  const connection = new Connection("respondent_responses");
  const uuid = "abcdef00-0000-4000-8000-000000000001";
  connection.service.add({ uuid: "r1", survey: "s", person: uuid, at: START * SECOND });
  connection.script = (path) =>
    path.startsWith(`/respondents/${uuid.toUpperCase()}`) ? NOT_FOUND : undefined;
  const { isComplete } = await connection.sync(START + HOUR, { respondentUuids: [uuid.toUpperCase()] });
  expect([isComplete, [...connection.delivered]]).toEqual([true, ["r1"]]);
});
