import { describe, expect, test } from "vitest";
import { startSandbox } from "../../../../../sandbox/index.ts";
import { Engine } from "../../../support/engine.ts";
import { ofPerson, ofSurvey, startEngine, surveys, uuidsOf } from "../../../support/set-up.ts";

const PERSON = "11111111-1111-4111-8111-111111111111";
const { sandbox, engine, newestFirst } = await startEngine({ surveys: surveys(1_250) });

describe("survey responses", () => {
  test("a limit of 5 costs one request and gives the newest 5", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 5 }));
    expect(uuidsOf(outputs[0])).toEqual(
      newestFirst()
        .slice(0, 5)
        .map(({ uuid }) => uuid),
    );
    expect(sandbox.service.stats.requests).toBe(1);
  });

  test("Return All gives all of many pages once, newest first", async () => {
    const { outputs } = await engine.run(ofSurvey({ returnAll: true }));
    const truth = newestFirst();
    expect(outputs[0]!.map(({ json }) => json.collected_at)).toEqual(
      truth.map(({ collected_at }) => collected_at),
    );
    expect(new Set(uuidsOf(outputs[0]))).toEqual(new Set(truth.map(({ uuid }) => uuid)));
    expect(sandbox.service.stats.malformedRequests).toEqual([]);
  });

  test("the filters are inclusive to the microsecond", async () => {
    const truth = newestFirst();
    const [newer, older] = [truth[20]!, truth[170]!];
    const { outputs } = await engine.run(
      ofSurvey({
        returnAll: true,
        filters: { collectedAfter: older.collected_at, collectedBefore: newer.collected_at },
      }),
    );
    const expected = truth.filter(({ micros }) => micros >= older.micros && micros <= newer.micros);
    expect(new Set(uuidsOf(outputs[0]))).toEqual(new Set(expected.map(({ uuid }) => uuid)));
  });

  test("a date without a zone is in the workflow's time zone", async () => {
    const bounded = ofSurvey({ returnAll: true, filters: { collectedAfter: "2026-07-01 02:00:00" } });
    const { outputs } = await engine.run(bounded, { timezone: "Europe/Berlin" });
    const expected = newestFirst().filter(
      ({ collected_at }) => collected_at >= "2026-07-01T00:00:00.000000Z",
    );
    expect(outputs[0]).toHaveLength(expected.length);
  });

  test("named attributes come with the responses, by name", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 60, options: { attributeNames: "plan, city" } }));
    const columns = Object.keys(outputs[0]![0]!.json).filter((name) => name.startsWith("attribute_"));
    expect(columns).toEqual(["attribute_city", "attribute_plan"]);
    expect(outputs[0]!.some(({ json }) => json.attribute_plan !== null)).toBe(true);
  });

  test("an empty list gives no items and no error", async () => {
    const { status, outputs } = await engine.run(ofSurvey({ filters: { collectedAfter: "2030-01-01" } }));
    expect([status, outputs.flat()]).toEqual(["success", []]);
  });
});

describe("respondents", () => {
  test("a person's responses to all surveys come over several pages, newest first", async () => {
    const [most] = [...sandbox.service.truth.respondents("1001")]
      .map((uuid) => ({ uuid, responses: sandbox.service.truth.responsesOf(uuid) }))
      .sort((one, other) => other.responses.length - one.responses.length);
    const { outputs } = await engine.run(ofPerson("respondentResponse", most!.uuid, { returnAll: true }));
    expect(uuidsOf(outputs[0])).toEqual(most!.responses.map(({ uuid }) => uuid).reverse());
  });

  test("a person's attributes come over several pages, and a limit leaves the rest", async () => {
    const person = [...sandbox.service.truth.respondents("1001")].find(
      (uuid) => (sandbox.service.truth.attributes(uuid)?.length ?? 0) > 100,
    )!;
    const parameters = ofPerson("respondentAttribute", person);
    const truth = sandbox.service.truth.attributes(person)!;
    // The first page shows an earlier time than the next one, and still comes first.
    const reply = { kind: "date_header", offsetMs: -60_000 } as const;
    sandbox.service.addFaults({ on: "respondent_attributes", nth: 1, reply });
    const all = await engine.run({ ...parameters, returnAll: true });
    expect(all.outputs[0]!.map(({ json }) => json)).toEqual(
      truth.map(({ id, name, value }) => ({ respondent_uuid: person, attribute_id: id, name, value })),
    );
    const some = await engine.run({ ...parameters, limit: 3 });
    expect(some.outputs[0]!.map(({ json }) => json.attribute_id)).toEqual(
      truth.slice(0, 3).map(({ id }) => id),
    );
  });

  test("somebody without attributes gives no items; somebody unknown is reported as unknown", async () => {
    sandbox.service.describe({ uuid: PERSON, attributes: [] });
    const known = await engine.run(ofPerson("respondentAttribute", PERSON));
    expect([known.status, known.outputs.flat()]).toEqual(["success", []]);
    const nobody = "00000000-0000-4000-8000-000000000000";
    const unknown = await engine.run(ofPerson("respondentAttribute", nobody));
    expect(unknown.error?.message).toBe(`Respondent "${nobody}" was not found`);
    expect(unknown.error?.description).toMatch(/^Check "Respondent ID"/);
  });
});

test("a person's responses to several surveys have no nulls for the questions of the others", async () => {
  const elsewhere = { question_id: 2001, question_type: "single", answer: "elsewhere" };
  const survey = { id: "8", type: "WidgetSurvey" as const, name: "Other", responses: [] };
  const other = await startSandbox({ surveys: [survey, { ...survey, id: "9" }], limits: false });
  const said = (question_id: number) => ({ answers: [{ ...elsewhere, question_id }] });
  other.service.collect("8", [
    { collected_at: "2026-07-01T00:00:00.000000Z", respondent_uuid: PERSON, fields: said(2001) },
  ]);
  other.service.collect("9", [
    { collected_at: "2026-07-01T00:00:01.000000Z", respondent_uuid: PERSON, fields: said(2002) },
  ]);
  const there = await Engine.start(() => ({ baseUrl: other.url, apiKey: other.apiKey }));
  const { outputs } = await there.run(ofPerson("respondentResponse", PERSON));
  await other.close();
  const answered = outputs[0]!.map(({ json }) => [json.answer_2001, json.answer_2002]);
  expect(answered).toEqual([
    [undefined, "elsewhere"],
    ["elsewhere", undefined],
  ]);
});

test.each([
  ["surveyResponse", "Get many survey responses"],
  ["respondentAttribute", "Get many attributes of a person"],
])("the subtitle for %s reads %s", (resource, subtitle) => {
  expect(engine.subtitle({ resource, operation: "getAll" })).toBe(subtitle);
});
