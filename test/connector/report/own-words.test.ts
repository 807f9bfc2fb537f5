import { describe, expect, test } from "vitest";
import type { Tables } from "../../support/tables.ts";
import { cardOf, pageOf } from "./support/page-of.ts";

/** Without `hasTexts`, nothing on a page is what one person may have written. */

const HOSTILE = `<script>alert("1")</script> & "quotes"`;
const DIGEST = "bac74a611b7f1c12b4e9e6194794133b922b0e60b82f59ed20ef3d10fe6f781f";
const SEPTEMBER = "2026-09-07T10:00:00.000000Z";

type Row = Readonly<Record<string, unknown>>;
/** An answer of a person, in a response of their own unless `response` says otherwise. */
const answer = (person: string, fields: Row, response = person): Row => ({
  response_uuid: response,
  respondent_uuid: person,
  survey_id: "s1",
  question_id: 1,
  position: 1,
  collected_at: SEPTEMBER,
  answer_type: "single_choice",
  ...fields,
});

function tablesOf(answers: readonly Row[], question: Row = {}): Tables {
  const uuids = [...new Set(answers.map(({ response_uuid }) => response_uuid))];
  const listed = { survey_id: "s1", id: 1, position: 1, question: "What?", collected_at: SEPTEMBER };
  return {
    surveys: [{ id: "s1", name: "Survey", responses: uuids.length, collected_at: SEPTEMBER }],
    survey_questions: [{ ...listed, ...question }],
    survey_responses: uuids.map((uuid) => ({ uuid, survey_id: "s1", collected_at: SEPTEMBER })),
    survey_answers: answers,
  };
}
const matrix = (person: string, label: string, position: number) =>
  answer(person, { answer_type: "matrix", label, value_text: "Good", position });
const choices = (...contents: readonly string[]) => contents.map((content, at) => ({ id: at + 1, content }));

/** What is hidden without texts, and shown with them; what the card says in its place. */
const HIDDEN: readonly (readonly [of: string, tables: Tables, words: string, instead: string])[] = [
  [
    "a choice that the survey does not list",
    tablesOf([answer("a", { value_text: "mine alone" }), answer("b", { value_text: "Red" })], {
      answer_choices: choices("Red"),
    }),
    "mine alone",
    "people's own words, which --texts shows 1 · 50 %",
  ],
  [
    "words of one person in three responses",
    tablesOf(["1", "2", "3"].map((response) => answer("a", { value_text: "mine alone" }, response))),
    "mine alone",
    "people's own words, which --texts shows 3 · 100 %",
  ],
  [
    "words of one person in three rows of a matrix",
    tablesOf(
      [1, 2, 3].map((position) =>
        answer("a", { answer_type: "matrix", label: `Row ${position}`, value_text: "mine alone", position }),
      ),
    ),
    "mine alone",
    "people's own words, which --texts shows 3 · 100 %",
  ],
  [
    "rows of a matrix that one person has named",
    tablesOf([matrix("a", "mine alone", 1), matrix("b", "Price", 1)], {
      answer_choices: choices("Price"),
      columns: ["Good"],
    }),
    "mine alone",
    "Rows that people wrote themselves 1 response|Good 1 · 100 %",
  ],
  [
    "a date that somebody has typed",
    tablesOf([answer("a", { question_type: "date", value_text: "1961-04-12" })]),
    "1961-04-12",
    "people's own words, which --texts shows 1 · 100 %",
  ],
  [
    "a number that somebody has typed as a choice",
    tablesOf([answer("a", { value_text: "47" })]),
    "47",
    "people's own words, which --texts shows 1 · 100 %",
  ],
  [
    "a text",
    tablesOf([answer("a", { answer_type: "text", value_text: HOSTILE })]),
    "alert(&quot;1&quot;)",
    "a text in 1 of 1 response",
  ],
  [
    "a list of strings",
    tablesOf([answer("a", { answer_type: "strings", value_text: "mine alone" })]),
    "mine alone",
    "a text in 1 of 1 response",
  ],
  [
    "a comment",
    tablesOf([answer("a", { value_text: "Red", comment: "mine alone" })], { answer_choices: choices("Red") }),
    "mine alone",
    "a comment in 1 of 1 response",
  ],
];

describe("people's own words are not there unless they are asked for:", () => {
  test.each(HIDDEN)("%s", (_, tables, words, instead) => {
    const page = pageOf(tables);
    expect(page).not.toContain(words);
    expect(cardOf(page, "What?")).toContain(instead);
    expect(pageOf(tables, { hasTexts: true })).toContain(words);
  });

  test("a number outside of any scale is not there at all", () => {
    const tables = tablesOf([answer("a", { answer_type: "number", value_number: 442079460123 })]);
    for (const hasTexts of [false, true]) expect(pageOf(tables, { hasTexts })).not.toContain("44207946");
  });

  test("what a contact form has is never there", () => {
    const tables = tablesOf([
      answer("a", { answer_type: "contact_form", label: "email", value_text: "ada@example.com" }),
    ]);
    for (const hasTexts of [false, true]) expect(pageOf(tables, { hasTexts })).not.toContain("ada@");
  });

  test("what three people share is there", () => {
    const shared = tablesOf(["a", "b", "c"].map((person) => answer(person, { value_text: "Blue" })));
    expect(cardOf(pageOf(shared), "What?")).toContain("Blue 3 · 100 %");
    // Not of a questionnaire that omits who answers: then three responses may be one person's.
    const unknown = tablesOf(
      ["a", "b", "c"].map((person) => ({ ...answer(person, { value_text: "Blue" }), respondent_uuid: null })),
    );
    expect(pageOf(unknown)).not.toContain("Blue");
  });

  test("a hash is no choice, also with texts, and if many share it", () => {
    const hashed = tablesOf(
      ["a", "b", "c"].map((person) => answer(person, { value_text: DIGEST, answer_id: 1 })),
      {
        answer_choices: choices(DIGEST),
      },
    );
    for (const hasTexts of [false, true]) {
      expect(pageOf(hashed, { hasTexts })).not.toContain(DIGEST);
      expect(cardOf(pageOf(hashed, { hasTexts }), "What?")).toContain("hashed answers 3 · 100 %");
    }
  });
});

test("texts are there newest first, once each, with the score of the response", () => {
  const texts = tablesOf([
    answer("a", { answer_type: "text", value_text: "older" }, "old"),
    answer(
      "b",
      { answer_type: "text", value_text: "newer", collected_at: "2026-09-08T10:00:00.000000Z" },
      "new",
    ),
    answer("c", { answer_type: "text", value_text: "older" }, "again"),
    answer("b", { question_id: 2, answer_type: "nps", nps_tag: "promoter", value_number: 9 }, "new"),
  ]);
  expect(cardOf(pageOf(texts, { hasTexts: true }), "What?")).toBe(
    "What?|a text in 3 of 3 responses|newer|2026-09-08 · scored 9|older|2026-09-07",
  );
});

test("every value is escaped, whoever wrote it", () => {
  const tables = tablesOf(
    [
      answer("a", { answer_type: "nps", nps_tag: "promoter", value_number: HOSTILE }),
      answer("b", { answer_type: "text", value_text: HOSTILE }),
    ],
    { question: HOSTILE },
  );
  const page = pageOf(
    { ...tables, surveys: [{ id: "s1", name: HOSTILE, responses: 2, collected_at: HOSTILE }] },
    { hasTexts: true },
  );
  expect(page).not.toMatch(/<script|src=|href="[^#]|url\(|@import/i);
  expect(page).toContain("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"");
});
