import { describe, expect, it, test } from "vitest";
import { isReadable, parseItemPage } from "../../../../connector/core/lists/item.ts";
import { noOddAnswers } from "../../../../connector/core/streams/answer-rows.ts";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { PRESENT } from "../coverage/support/timestamps.ts";
import { recordsOf } from "./support/service-items.ts";

const { survey_responses, survey_answers, respondent_responses } = STREAMS;
const itemWith = (response: object, survey: Readonly<Record<string, unknown>> = { id: "s1" }) => ({
  response: { uuid: "r1", collected_at: "2026-01-31T12:00:00.000000Z", ...response },
  survey,
  attribute: {},
  question: {},
  listOf: "p1",
});

const of = (...parts: Parameters<typeof itemWith>) => {
  const unknown = new Set<string>();
  const [record] = recordsOf(survey_responses, itemWith(...parts), unknown, null);
  return { record, told: [...unknown].toSorted() };
};

test("an item's survey id may be a whole number; any other value leaves the id of the list", () => {
  const idOf = (id: unknown) => {
    const streams = [survey_responses, survey_answers, respondent_responses];
    const item = itemWith({ answers: [{ question_id: 7, answer: "Fine" }] }, { id });
    return streams.map((stream) => recordsOf(stream, item)[0]?.survey_id);
  };
  expect(idOf(12)).toEqual(["12", "12", "12"]);
  for (const id of ["", true, 1.5, { id: 12 }, null]) expect(idOf(id)).toEqual(["s1", "s1", "s1"]);
  expect(of({}, { id: 1.5 }).record).toMatchObject({ additional_fields: { survey_id: 1.5 } });
});

test("a list that the service does not send is empty in a response", () => {
  const [answers, attributes, respondent_attributes] = [[], [], []];
  for (const lists of [{}, { answers: null, attributes: null, respondent: { attributes: null } }])
    expect(of(lists).record).toMatchObject({ answers, attributes, respondent_attributes });
});

describe("a value that does not fit its column", () => {
  it("is null there, goes to additional_fields under its name, and is not called unknown", () => {
    const sent = { url: { href: "u" }, language: ["en"], mood: "good" };
    const { record, told } = of(sent, { id: "s1", name: {} });
    expect(record).toMatchObject({
      url: null,
      language: null,
      survey_name: null,
      additional_fields: { ...sent, survey_name: {} },
    });
    expect(told).toEqual(["language", "mood", "survey_name", "url"]);
  });

  it("becomes text if it is a number or a boolean, in an attribute too", () => {
    const attributes = [{ name: "seats", value: 5 }];
    expect(of({ platform: 7, url: true, attributes }, { id: 12 }).record).toMatchObject({
      platform: "7",
      url: "true",
      survey_id: "12",
      additional_fields: null,
      attributes: [{ name: "seats", value: "5" }],
    });
  });

  it("leaves the rest of its list, which then goes to additional_fields whole", () => {
    const plan = { name: "plan", value: "pro" };
    const attributes = [plan, 5, { name: "odd", value: ["x"] }, { name: 7, value: true }];
    const answers = [null, { question_id: "q-1", answer: "x" }, { question_id: "12", question_type: 5 }];
    const { record } = of({ attributes, respondent: { attributes: "none" }, answers });
    expect(record).toMatchObject({
      attributes: [plan, { name: "odd", value: null }, { name: "7", value: "true" }],
      respondent_attributes: null,
      answers: [
        { question_id: null, answer: "x" },
        { question_id: 12, question_type: "5" },
      ],
      additional_fields: { attributes, respondent_attributes: "none", answers },
    });
  });

  it("is not lost if it takes the place of a whole part", () => {
    const { record, told } = of({ respondent: "p1" }, "s1" as never);
    expect(record).toMatchObject({ additional_fields: { respondent: "p1", survey: "s1" } });
    expect(told).toEqual(["respondent", "survey"]);
    expect(of({ respondent: null }, null as never).record).toMatchObject({ additional_fields: null });
  });
});

test("the survey of an item that is not wrapped is known, whether it can be used or not", () => {
  const told = (survey: unknown) => {
    const bare = { uuid: "r1", collected_at: "2026-01-31T12:00:00Z", survey };
    const page = JSON.stringify({ pagination_data: { has_more: false }, data: [bare] });
    const items = parseItemPage(page, undefined, PRESENT, true).items.filter(isReadable);
    const unknown = { fields: new Set<string>(), answers: noOddAnswers() };
    const [record] = items.flatMap((item) => survey_responses.records(item as never, { unknown }));
    return [record?.survey_id, record?.additional_fields, unknown.fields.size];
  };
  expect(told({ id: "s1" })).toEqual(["s1", null, 0]);
  expect(told("s1")).toEqual([null, { survey: "s1" }, 1]);
});

test.each([survey_responses, survey_answers, respondent_responses])(
  "a respondent's uuid that is no string names nobody in $name",
  (stream) => {
    const owner = stream.reads === "respondent responses" ? "p1" : null;
    for (const uuid of [42, true, { id: "p1" }, ["p1"], null, undefined, ""]) {
      const item = itemWith({ respondent: { uuid }, answers: [{ question_id: 7, answer: "Fine" }] });
      const [record] = recordsOf(stream, item, undefined, owner);
      const told = uuid ? { respondent_uuid: uuid } : null;
      expect(record).toMatchObject({ respondent_uuid: owner });
      if (stream !== survey_answers) expect(record).toMatchObject({ additional_fields: told });
    }
  },
);
