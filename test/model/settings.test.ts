import type { StreamName, StreamState, Timestamp } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Connection, PLAIN, personId, personOf, SECOND } from "./support/connection.ts";
import { timestampAt } from "./support/list-service.ts";

const HOUR = 3600;
const STREAMS = ["survey_responses", "respondent_responses"] as const;
const at = (nowS: number): Timestamp => timestampAt(nowS * SECOND) as Timestamp;

/** 300 responses, an hour apart, by turns to surveys `s`, `t` and `u`, of 20 people. */
function connectionOf(stream: StreamName): Connection {
  const connection = new Connection(
    stream,
    PLAIN,
    new Map(Array.from({ length: 20 }, (_, person) => [personId(person), 1])),
  );
  for (let number = 0; number < 300; number++)
    connection.add(`r${number}`, number % 20, number * HOUR, "stu"[number % 3]);
  return connection;
}

const missingOf = (connection: Connection, ...surveys: readonly string[]): string[] => {
  const wanted = connection.service.responses.filter(({ survey }) => surveys.includes(survey));
  return wanted.map(({ uuid }) => uuid).filter((uuid) => !connection.delivered.has(uuid));
};

/** What a quiet sync reads again: the newest response of each list, and whom it leads to. */
async function isQuiet(connection: Connection, nowS: number, options: object): Promise<void> {
  expect((await connection.sync(nowS, options)).requests).toBeLessThan(12);
}

describe.each(STREAMS)("the surveys of the configuration (%s)", (stream) => {
  it("one that is added is read whole, and costs the others nothing", async () => {
    const connection = connectionOf(stream);
    await connection.sync(301 * HOUR);
    const surveyIds = ["s", "t"];
    const added = await connection.sync(302 * HOUR, { surveyIds });
    expect(missingOf(connection, ...surveyIds)).toEqual([]);
    expect(added.requests).toBeLessThan(30);
    await isQuiet(connection, 303 * HOUR, { surveyIds });
  });

  it("one that is removed and added again resumes where it was", async () => {
    const connection = connectionOf(stream);
    await connection.sync(200 * HOUR, { surveyIds: ["s", "t"], endDate: at(200 * HOUR) });
    await connection.sync(301 * HOUR, { surveyIds: ["s"] });
    expect(connection.state!.surveys.t).toBeDefined();
    const back = await connection.sync(302 * HOUR, { surveyIds: ["s", "t"] });
    expect(missingOf(connection, "s", "t")).toEqual([]);
    expect(back.emitted).not.toContain("r1");
    await isQuiet(connection, 303 * HOUR, { surveyIds: ["s", "t"] });
  });

  it("one that is renamed is read whole under its new id", async () => {
    const connection = connectionOf(stream);
    await connection.sync(301 * HOUR);
    for (const { uuid, survey, ...response } of [...connection.service.responses]) {
      if (survey !== "s") continue;
      connection.service.remove(uuid);
      connection.service.add({ ...response, uuid: `renamed ${uuid}`, survey: "v" });
    }
    expect(await connection.sync(302 * HOUR, { surveyIds: ["v"] })).toMatchObject({
      isComplete: true,
      failures: [],
    });
    expect(missingOf(connection, "v")).toEqual([]);
    await isQuiet(connection, 303 * HOUR, { surveyIds: ["v"] });
  });
});

it("a survey that is removed after it was read: its new responses come from people's lists, in their stream", async () => {
  const connection = connectionOf("respondent_responses");
  await connection.sync(301 * HOUR, { surveyIds: ["s", "t"] });
  connection.add("new", 3, 302 * HOUR, "t");
  connection.add("leads there", 3, 302 * HOUR + 60, "s");
  expect((await connection.sync(303 * HOUR)).emitted).toContain("new");
});

describe("the start and end dates", () => {
  it.each(STREAMS)(
    "a start date that moves back reads what lies before, and one that moves on reads nothing (%s)",
    async (stream) => {
      const connection = connectionOf(stream);
      const surveyIds = ["s", "t", "u"];
      const from = (hour: number) => ({ surveyIds, startDate: at(hour * HOUR) });
      await connection.sync(301 * HOUR, from(200));
      expect(connection.delivered.size).toBe(100);
      await isQuiet(connection, 302 * HOUR, from(250));
      const back = await connection.sync(303 * HOUR, from(100));
      expect(connection.delivered.size).toBe(200);
      // People's lists were read down to the start date of then, so their stream starts over.
      expect(back.emitted.length).toBeLessThan(stream === "respondent_responses" ? 201 : 110);
      await isQuiet(connection, 304 * HOUR, from(100));
      await connection.sync(305 * HOUR, { surveyIds });
      expect(connection.missing()).toEqual([]);
    },
  );

  it("a start date that moves back: people's older responses to other surveys come, and those of configured people", async () => {
    const connection = connectionOf("respondent_responses");
    const respondentUuids = [personId(3)];
    // Nothing that lies between the two dates leads to this person.
    connection.add("leads there", 30, 250 * HOUR);
    connection.add("elsewhere", 30, 150 * HOUR, "t");
    await connection.sync(301 * HOUR, { respondentUuids, startDate: at(200 * HOUR) });
    expect(connection.delivered.size).toBe(101);
    await connection.sync(302 * HOUR, { respondentUuids, startDate: at(100 * HOUR) });
    expect(connection.delivered.size).toBe(202);
    await isQuiet(connection, 303 * HOUR, { respondentUuids, startDate: at(100 * HOUR) });
  });

  it("a response at the start date itself comes, if people's lists show whole seconds, too", async () => {
    const connection = new Connection("respondent_responses", { ...PLAIN, peopleShow: "seconds" });
    connection.add("before", 1, HOUR - 1.5);
    connection.add("at", 1, HOUR + 0.25);
    for (const hour of [10, 11]) {
      const synced = await connection.sync(hour * HOUR, { startDate: at(HOUR + 0.25) });
      expect([...synced.warnings, synced.emitted.includes("before")]).toEqual([false]);
    }
    expect(connection.delivered).toContain("at");
  });

  it.each(STREAMS)("what comes after an earlier end date comes in the next sync (%s)", async (stream) => {
    const connection = connectionOf(stream);
    const options = { surveyIds: ["s"], respondentUuids: [personId(3), personId(900)] };
    connection.add("of a configured person", 900, 250 * HOUR, "s");
    await connection.sync(301 * HOUR, { ...options, endDate: at(100 * HOUR) });
    expect(missingOf(connection, "s").length).toBeGreaterThan(60);
    await connection.sync(302 * HOUR, options);
    expect(missingOf(connection, "s")).toEqual([]);
    await isQuiet(connection, 303 * HOUR, options);
  });

  it("a hole stays if a sync with an earlier end date lies between", async () => {
    const connection = connectionOf("respondent_attributes");
    const isBroken = (path: string): boolean => personOf(path) === 12;
    connection.script = (path) => (isBroken(path) ? { status: 403, headers: {}, body: "" } : undefined);
    await connection.sync(301 * HOUR);
    connection.script = undefined;
    await connection.sync(302 * HOUR, { endDate: at(5 * HOUR) });
    await connection.sync(303 * HOUR);
    expect(connection.delivered).toContain(`${personId(12)} 1`);
  });
});

describe("a state that an earlier version wrote", () => {
  const EARLIER = {
    ...{ version: 1, configured_respondents: "5d41402abc4b2a76", open_next: { s: at(90 * HOUR) } },
    surveys: { s: [[null, at(297 * HOUR)]] },
  };

  it.each([
    ["a range", [[at(60 * HOUR), at(90 * HOUR)]], ["r60", "r75", "r90"], 11],
    ["a point", [[at(60 * HOUR), at(60 * HOUR)]], ["r60"], 1],
    ["a range without a lower end", [[null, at(6 * HOUR)]], ["r0", "r3", "r6"], 3],
    ["nothing", [], [], 0],
  ])("what it lists as open is read: %s", async (_, open, wanted, count) => {
    for (const stream of ["survey_responses", "respondent_responses", "respondent_attributes"] as const) {
      const connection = connectionOf(stream);
      connection.state = { ...EARLIER, open: { s: open } } as object as StreamState;
      const { paths, isComplete } = await connection.sync(301 * HOUR);
      expect(isComplete).toBe(true);
      if (stream === "survey_responses") {
        expect([...connection.delivered]).toEqual(expect.arrayContaining(wanted));
        // The newest one is the lookback's.
        expect(connection.delivered.size).toBe(count + 1);
        expect(paths.length).toBeLessThanOrEqual(4);
      }
      expect(Object.keys(connection.state!)).toEqual(["version", "surveys"]);
      await isQuiet(connection, 302 * HOUR, {});
    }
  });

  it("people whom the configuration names are read whole", async () => {
    const connection = connectionOf("respondent_responses");
    connection.state = EARLIER as object as StreamState;
    const { emitted } = await connection.sync(301 * HOUR, { respondentUuids: [personId(1)] });
    // Numbers of the same remainder are theirs; every third one is of the configured survey.
    expect(emitted).toEqual(expect.arrayContaining(["r1", "r41", "r161", "r281"]));
    expect(emitted).not.toContain("r21");
    expect(connection.state!.respondents).toBeDefined();
  });
});
