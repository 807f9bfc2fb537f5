import { describe, expect, test } from "vitest";
import { timestampFrom } from "../../../../../n8n-node/nodes/SurveyExport/actions/reading.ts";
import { ofPerson, ofSurvey, startEngine, surveys, uuidsOf } from "../../../support/set-up.ts";

const { sandbox, engine, messageOf, newestFirst } = await startEngine({ surveys: surveys(50) });

test.each([
  ["2026-01-31", "UTC", "2026-01-31T00:00:00.000000Z"],
  ["2026-01-31 08:30", "UTC", "2026-01-31T08:30:00.000000Z"],
  ["2026-01-31T08:30:00.123456Z", "America/New_York", "2026-01-31T08:30:00.123456Z"],
  ["2026-01-31T08:30:00.1234567+02:00", "UTC", "2026-01-31T06:30:00.123456Z"],
  ["2026-01-31T08:30:00.000-05:00[America/New_York]", "UTC", "2026-01-31T13:30:00.000000Z"],
  ["2026-07-01T02:00:00", "Europe/Berlin", "2026-07-01T00:00:00.000000Z"],
  ["2026-01-01T02:00:00", "Europe/Berlin", "2026-01-01T01:00:00.000000Z"],
  // Clocks go forward at two, so these two are one second apart.
  ["2026-03-29T01:59:59", "Europe/Berlin", "2026-03-29T00:59:59.000000Z"],
  ["2026-03-29T03:00:00", "Europe/Berlin", "2026-03-29T01:00:00.000000Z"],
  ["2026-01-31T00:00:00", "Asia/Kathmandu", "2026-01-30T18:15:00.000000Z"],
])("%s in %s is %s", (text, zone, timestamp) => {
  expect(timestampFrom(text, zone)).toBe(timestamp);
});

test("a date of JavaScript is taken too", () => {
  expect(timestampFrom(new Date("2026-01-31T08:30:00Z"), "Europe/Berlin")).toBe(
    "2026-01-31T08:30:00.000000Z",
  );
});

test.each([
  "",
  "yesterday",
  "2026-02-30",
  "2026-13-01",
  "2026-01-31T25:00",
  "31.01.2026",
  1_767_225_600,
  new Date("?"),
])("%s is not a timestamp", (text) => {
  expect(timestampFrom(text, "UTC")).toBeUndefined();
});

describe("a mistake in the settings", () => {
  test("an id that an expression does not find", async () => {
    expect(await messageOf(ofSurvey({ surveyId: "={{ $json.nothing }}" }))).toEqual([
      '"Survey ID" is empty',
      "Fill it in. If it comes from the incoming item by an expression, check that every item has the field.",
    ]);
  });

  test("an expression", async () => {
    const [message] = await messageOf(ofSurvey({ surveyId: "={{ $('Nowhere').first().json.id }}" }));
    expect(message).toMatch(/Nowhere|referenced node/i);
  });

  test("a limit", async () => {
    const [message] = await messageOf(ofSurvey({ limit: 0 }));
    expect(message).toBe('"Limit" is not a whole number above 0');
  });

  test("a time", async () => {
    expect(await messageOf(ofSurvey({ filters: { collectedAfter: "last week" } }))).toEqual([
      '"Collected After" is not a date and time',
      "Give one like 2026-01-31 or 2026-01-31T08:30:00Z.",
    ]);
    const filters = { collectedAfter: "2026-02-01", collectedBefore: "2026-01-01 08:30" };
    expect(await messageOf(ofSurvey({ filters }))).toEqual([
      '"Collected After" is later than "Collected Before"',
      "No time lies after 2026-02-01 and before 2026-01-01 08:30.",
    ]);
  });

  test("a switch, which may come as text", async () => {
    expect(await messageOf(ofSurvey({ returnAll: "={{ 'sometimes' }}" }))).toEqual([
      '"Return All" is neither true nor false',
      "Give true or false.",
    ]);
    const some = await engine.run(ofSurvey({ returnAll: "={{ 'false' }}", limit: 3 }));
    expect(some.outputs[0]).toHaveLength(3);
    const options = { respondentAttributes: "={{ 'true' }}" };
    await engine.run(ofSurvey({ limit: 1, options }));
    expect(sandbox.service.stats.byEndpoint.respondent_attributes).toBe(1);
  });

  test("an address of the web panel in place of an id is understood if it holds one", async () => {
    const [newest] = newestFirst();
    const surveys = [`${panel}/surveys/1001/responses`, `${panel}/acme/#/surveys/1001?tab=responses`];
    for (const surveyId of surveys) {
      const { outputs } = await engine.run(ofSurvey({ surveyId, limit: 1 }));
      expect(uuidsOf(outputs[0])).toEqual([newest!.uuid]);
    }
    const respondentId = `${panel}/7/people/${newest!.respondent_uuid}`;
    const person = ofPerson("respondentResponse", respondentId, { limit: 1 });
    expect((await engine.run(person)).outputs[0]![0]!.json.respondent_uuid).toBe(newest!.respondent_uuid);
    sandbox.service.resetStats();
    await engine.poll({ event: "surveyResponse", surveyIds: ["1001", ...surveys].join(", ") }, {});
    expect(sandbox.service.stats.byPath).toEqual({ "/v2/surveys/1001/responses": 1 });
  });

  const panel = "https://panel.example.com";
  const paths = ["../1001", "1001/x", ".", `${panel}/surveys`, `${panel}/7/surveys/1001`];
  test.each([...paths, "10 01", "1001?x=1", "1".repeat(201)])("%s is not a survey's id", async (surveyId) => {
    expect(await messageOf(ofSurvey({ surveyId }))).toEqual([
      '"Survey ID" is not an ID',
      "Give the ID alone, which has no spaces, slashes, question marks or percent signs.",
    ]);
    expect(sandbox.service.stats.requests).toBe(0);
  });

  test.each(["Ada", "ada@example.com", "1001", `${panel}/people`])(
    "%s is not a person's id",
    async (respondentId) => {
      expect(await messageOf(ofPerson("respondentAttribute", respondentId))).toEqual([
        '"Respondent ID" is not an ID',
        "Give the person's UUID. Every response carries it as respondent_uuid.",
      ]);
      expect(sandbox.service.stats.requests).toBe(0);
    },
  );

  test("several ids", async () => {
    expect(await messageOf(ofSurvey({ surveyId: "1001, 1002" }))).toEqual([
      '"Survey ID" holds more than one ID',
      "Give one item for each survey: the node reads once for each incoming item.",
    ]);
  });

  test("an output of another resource", async () => {
    expect(await messageOf(ofSurvey({ output: "person" }))).toEqual([
      '"Output" is not a form of responses',
      "Choose one of these: simplified, answers, selected, raw.",
    ]);
  });

  test.each([
    [[], '"Column Names or IDs" is empty'],
    [["answers", "uuid"], 'Entry 2 of "Column Names or IDs" is not a column'],
  ])("the fields %j", async (fields, sentence) => {
    const [message, description] = await messageOf(ofSurvey({ output: "selected", fields }));
    expect(message).toBe(sentence);
    expect(description).toMatch(/^Choose one or more of these: response_uuid, /);
  });
});
