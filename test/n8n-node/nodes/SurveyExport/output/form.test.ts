import {
  createRecordTreatment,
  type Handling,
  KEEP_ALL,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
  type RecordTreatment,
  type StreamRecord,
  type SurveyResponse,
} from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noOddAnswers } from "../../../../../connector/core/streams/answer-rows.ts";
import { surveyAnswers } from "../../../../../connector/core/streams/survey-answers.ts";
import { surveyResponses } from "../../../../../connector/core/streams/survey-responses.ts";
import { formOf, type OutputName } from "../../../../../n8n-node/nodes/SurveyExport/output/form.ts";
import type { QuestionTexts } from "../../../../../n8n-node/nodes/SurveyExport/output/question-texts.ts";
import { attributesOf } from "../../../../../n8n-node/nodes/SurveyExport/output/response.ts";

const noHash = (): never => expect.fail("The node hashes nothing");

/** An item of a list with these answers. */
function itemOf(answers: readonly unknown[]) {
  const response = {
    uuid: "r1",
    collected_at: "2026-01-01T00:00:00.000000Z",
    url: "https://shop.example/?mail=w@mail.example",
    answers,
    attributes: [],
    respondent: { uuid: "00000000-0000-4000-8000-00000000000A" },
  };
  const survey = { id: "7", name: "Pricing" };
  const timestamp = response.collected_at as never;
  return { uuid: response.uuid, timestamp, response, survey, raw: { survey, response } };
}

const ORIGIN = {
  unknown: { fields: new Set<string>(), answers: noOddAnswers() },
};
/** A response as the stream gives it. */
const response = (answers: readonly unknown[]): SurveyResponse =>
  surveyResponses.records(itemOf(answers), ORIGIN)[0] as SurveyResponse;
/** What n8n shows of responses. */
const tableOf = (
  output: OutputName,
  responses: readonly SurveyResponse[],
  treatment: RecordTreatment = KEEP_ALL,
  texts?: QuestionTexts,
) => {
  const form = formOf(output);
  const leaving = { treatment, warn: () => expect.fail() };
  return form.finish(
    responses.flatMap((one) => form.itemsOf(one, leaving)),
    texts,
  );
};
/** The columns of answers in One Column per Question. */
const answersOf = (one: SurveyResponse, treatment = KEEP_ALL) => {
  const [row] = tableOf("columns", [one], treatment);
  return Object.fromEntries(Object.entries(row!).filter(([name]) => name.startsWith("answer_")));
};

const text = fc.oneof(fc.string(), fc.constantFrom("Wilma@Mail.Example", "442079460123", "7", " 9", "4.5"));
const value = fc.oneof(text, fc.integer(), fc.double(), fc.constant(null), fc.boolean());
const choice = { id: fc.oneof(fc.integer(), text), content: value, comment: value, x: value };
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const list = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.array(some(fields), { maxLength: 3 });
/** The nine shapes of the service, with other values than it documents too. */
const shape = fc.oneof(
  fc.record({ answer: some(choice) }),
  fc.record({ answers: list(choice) }),
  fc.record({ answer: some({ ...choice, rating: value }) }),
  fc.record({ fields: list({ type: fc.constantFrom("email", "phone"), content: value, x: value }) }),
  fc.record({ answer: value }),
  fc.record({ answer: some({ content: value, tag: fc.constantFrom("promoter", "passive", null) }) }),
  fc.record({ answers: list({ ...choice, score: value }) }),
  fc.record({ answers: list({ ...choice, rank: value }) }),
  fc.record({ action_performed: fc.boolean(), x: value }),
);
const element = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom("single", "multiple", null), shape)
  .map(([question_id, question_type, answered]) => ({ question_id, question_type, ...answered }));

const settingOf = (how: fc.Arbitrary<Handling>): fc.Arbitrary<PersonalDataSetting> =>
  fc.record(
    Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, how])),
  ) as fc.Arbitrary<PersonalDataSetting>;
const HANDLINGS = ["keep", "omit"] as const;
const setting = fc.oneof(
  fc.constantFrom<Handling>(...HANDLINGS).chain((how) => settingOf(fc.constant(how))),
  settingOf(fc.constantFrom<Handling>(...HANDLINGS)),
);

/** With the question, which the answers do not have. n8n's tables take no objects, and its filters take a null for 0. */
const flat = (record: StreamRecord): unknown => {
  const { additional_fields: more, answer_id, value_number, value_boolean, ...row } = record;
  const present = Object.entries({ answer_id, value_number, value_boolean }).filter(
    ([, value]) => value !== null,
  );
  return {
    question: null,
    ...row,
    comment: row.comment || null,
    ...Object.fromEntries(present),
    additional_fields: more && JSON.stringify(more),
  };
};

test("One Item per Answer gives the records of the Airbyte stream survey_answers, whatever is treated", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 5 }), setting, (answers, chosen) => {
      const treatment = createRecordTreatment(chosen, noHash);
      const rows = surveyAnswers.records(itemOf(answers), ORIGIN);
      expect(tableOf("answers", [response(answers)], treatment)).toEqual(
        rows.map((row) => flat(treatment.record(row, surveyAnswers.columns))),
      );
    }),
    { numRuns: 2_000 },
  );
});

test("an empty comment is null in One Item per Answer", () => {
  const said = ["", "Too high"].map((comment, id) => ({ id, content: "Price", comment }));
  const rows = tableOf("answers", [response([{ question_id: 1, question_type: "multiple", answers: said }])]);
  expect(rows.map(({ comment }) => comment)).toEqual([null, "Too high"]);
});

test("a column for each question shows each kind of answer in words, and others its number, tag and comment", () => {
  const [low, high] = [
    { id: 1, content: "Price", comment: "" },
    { id: 2, content: "Support", comment: "Kind" },
  ];
  const answered = [
    { question_type: "single", answer: low },
    { question_type: "multiple", answers: [high, low] },
    { question_type: "nps", answer: { content: "9", tag: "promoter" } },
    { question_type: "rating", answer: { ...low, rating: "4" } },
    {
      question_type: "form",
      fields: [
        { type: "email", content: "w@mail.example" },
        { type: "phone", content: null },
      ],
    },
    { question_type: "matrix", answers: [{ ...high, score: "Good" }] },
    {
      question_type: "ranking",
      answers: [
        { ...high, rank: 2 },
        { ...low, rank: 1 },
      ],
    },
    { question_type: "button", action_performed: true },
  ];
  const one = response(answered.map((each, at) => ({ question_id: at + 1, ...each })));
  expect(answersOf(one)).toEqual({
    answer_1: "Price",
    answer_1_comment: null,
    answer_2: "Support; Price",
    answer_2_comment: "Kind",
    answer_3: "9",
    answer_3_score: 9,
    answer_3_tag: "promoter",
    answer_4: "Price",
    answer_4_score: 4,
    answer_5: "email: w@mail.example",
    answer_6: "Support: Good",
    answer_6_comment: "Kind",
    answer_7: "1. Price; 2. Support",
    answer_7_comment: "Kind",
    answer_8: "Yes",
  });
});

test.each([{ answer: { drawing: 7 } }, { answers: ["Price", 2] }, { action_performed: "later" }])(
  "a column shows %j, which the service does not document, as JSON",
  (answered) => {
    const one = response([{ question_id: 1, question_type: "single", ...answered }]);
    const [part, value] = Object.entries(answered)[0]!;
    const shown = [value].flat().map((each) => JSON.stringify({ [part]: each }));
    expect(answersOf(one)).toEqual({ answer_1: shown.join("; ") });
  },
);

test("an answer without its words keeps its type and its columns", () => {
  const treatment = createRecordTreatment({ free_text: "omit", answer_labels: "omit" }, noHash);
  const one = response([
    { question_id: 1, question_type: "single", answer: "in their own words" },
    { question_id: 2, question_type: "multiple", answers: [{ id: 1, content: "Price", score: "Fine" }] },
    { question_id: 3, question_type: "ranking", answers: [{ id: 1, content: "Price", rank: 1 }] },
  ]);
  const types = tableOf("answers", [one], treatment).map(({ answer_type }) => answer_type);
  expect(types).toEqual(["text", "matrix", "ranking"]);
  expect(Object.keys(answersOf(one, treatment))).toEqual(["answer_1", "answer_2", "answer_3"]);
});

test("a ranking whose labels are omitted is nothing", () => {
  const ranking = [1, 2].map((rank) => ({ id: rank, content: "Price", rank }));
  const treatment = createRecordTreatment({ answer_labels: "omit" }, noHash);
  const one = response([{ question_id: 3, question_type: "ranking", answers: ranking }]);
  expect(answersOf(one, treatment)).toEqual({ answer_3: null });
});

const NPS = { question_id: 7, question_type: "nps", answer: { content: "3", tag: "detractor" } };
const RATING = { question_id: 9, question_type: "rating", answer: { content: "Bad", rating: "2" } };
const CHOICE = {
  question_id: 8,
  question_type: "single",
  answer: { id: 1, content: "Price", comment: "It went up.\nTwice." },
};
const OPEN = { question_id: 6, question_type: "text", answer: "Answer\nfaster" };
const TEXTS: QuestionTexts = new Map([
  [
    "7",
    new Map([
      [7, "Would you recommend us?"],
      [8, "Why?"],
      [9, "Hi {{first_name}}, how was it?"],
    ]),
  ],
]);

describe("the simplified output", () => {
  const simplified = (answers: readonly unknown[], texts?: QuestionTexts) =>
    tableOf("simplified", [response(answers)], KEEP_ALL, texts)[0]!;

  test("has the first score, tag, rating and comment, and all answers with their questions", () => {
    expect(simplified([OPEN, NPS, CHOICE, RATING], TEXTS)).toEqual({
      collected_at: "2026-01-01T00:00:00.000000Z",
      survey_name: "Pricing",
      nps_score: 3,
      nps_tag: "detractor",
      rating: 2,
      comment: "It went up.\nTwice.",
      answers_text: [
        "Question 6: Answer faster",
        "Would you recommend us?: 3",
        "Why?: Price (It went up. Twice.)",
        "Hi {{first_name}}, how was it?: Bad",
      ].join("\n"),
      answers: [
        { question_id: 6, question: null, answer: "Answer\nfaster", tag: null, comment: null },
        {
          question_id: 7,
          question: "Would you recommend us?",
          answer: "3",
          score: 3,
          tag: "detractor",
          comment: null,
        },
        {
          question_id: 8,
          question: "Why?",
          answer: "Price",
          tag: null,
          comment: "It went up.\nTwice.",
        },
        {
          question_id: 9,
          question: "Hi {{first_name}}, how was it?",
          answer: "Bad",
          score: 2,
          tag: null,
          comment: null,
        },
      ],
      response_uuid: "r1",
      survey_id: "7",
      respondent_uuid: "00000000-0000-4000-8000-00000000000A",
      url: "https://shop.example/?mail=w@mail.example",
      device_type: null,
      language: null,
    });
  });

  test("has the same names for any response, whether or not the questions could be read", () => {
    const names = Object.keys(simplified([]));
    for (const answers of [[OPEN, NPS, CHOICE, RATING], [NPS], [{ question_id: 1 }]])
      for (const texts of [TEXTS, undefined]) expect(Object.keys(simplified(answers, texts))).toEqual(names);
  });

  test("has no score where there is none, since n8n takes null for 0, and null for a missing text", () => {
    const item = simplified([CHOICE], TEXTS);
    expect(item).toMatchObject({ nps_score: undefined, rating: undefined, nps_tag: null });
    const shown = JSON.parse(JSON.stringify(item));
    expect(Object.keys(shown)).not.toContain("nps_score");
    expect(Object.keys(shown.answers[0])).toEqual(["question_id", "question", "answer", "tag", "comment"]);
    expect(simplified([])).toMatchObject({ comment: null, answers_text: null, answers: [] });
  });

  test("has the first open answer as comment if no answer has one", () => {
    const second = { ...OPEN, question_id: 10, answer: "Other words" };
    expect(simplified([NPS, OPEN, second]).comment).toBe("Answer\nfaster");
    expect(simplified([OPEN, { ...CHOICE, answer: { ...CHOICE.answer, comment: "" } }]).comment).toBe(
      "Answer\nfaster",
    );
  });

  test("has the question's ID in the line of a question whose text is not known", () => {
    expect(simplified([NPS, RATING]).answers_text).toBe("Question 7: 3\nQuestion 9: Bad");
  });
});

test("one column for each question is named by its ID, and a list next to them says what they ask", () => {
  const rows = tableOf("columns", [response([RATING, NPS]), response([])], KEEP_ALL, TEXTS);
  const names = ["answer_7", "answer_7_score", "answer_7_tag", "answer_9", "answer_9_score", "questions"];
  for (const row of rows) expect(Object.keys(row).slice(2, 8)).toEqual(names);
  expect(rows[1]).toMatchObject({ answer_7: null, answer_7_score: undefined, answer_7_tag: null });
  expect(rows[0]!.questions).toBe(
    "answer_7: Would you recommend us?\nanswer_8: Why?\nanswer_9: Hi {{first_name}}, how was it?",
  );
  expect(tableOf("columns", [response([NPS])])[0]).toMatchObject({ questions: null, answer_7_score: 3 });
});

test("an item of One Item per Answer begins with its question and its answer, and has the same columns always", () => {
  const rows = tableOf("answers", [response([NPS, OPEN])], KEEP_ALL, TEXTS);
  expect(Object.entries(rows[0]!).slice(0, 3)).toEqual([
    ["question", "Would you recommend us?"],
    ["value_text", "3"],
    ["value_number", 3],
  ]);
  expect(rows[1]).toMatchObject({ question: null, value_text: "Answer\nfaster" });
  // What another survey asks by the same ID.
  const other = new Map([["8", new Map([[7, "Who are you?"]])]]);
  const [row] = tableOf("answers", [response([NPS])], KEEP_ALL, other);
  expect(row).toMatchObject({ question: null, question_id: 7 });
  expect(Object.keys(row!)).toEqual(Object.keys(rows[1]!));
});

test("an attribute that was recorded with the response wins over one of the respondent", () => {
  const pair = (name: string, value: string) => ({ name, value });
  const attributes = [pair("plan", "pro")];
  const respondent_attributes = [pair("plan", "free"), pair("city", "Seoul")];
  expect(Object.fromEntries(attributesOf({ attributes, respondent_attributes }))).toEqual({
    plan: "pro",
    city: "Seoul",
  });
});
