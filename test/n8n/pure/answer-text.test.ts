import { expect, test } from "vitest";
import { answerText } from "../../../n8n-node/nodes/SurveyExport/output/answer-text.ts";
import { simplifyResponse } from "../../../n8n-node/nodes/SurveyExport/output/simplify.ts";

const question = { question_id: 1, question_type: "single" };

test.each([
  ["a choice", { answer: { id: 1, content: "Good value" } }, "Good value"],
  [
    "a choice with a comment",
    { answer: { id: 1, content: "Other", comment: "the colours" } },
    "Other (the colours)",
  ],
  [
    "choices",
    { answers: [{ content: "Price" }, { content: "Design", comment: "new" }] },
    "Price; Design (new)",
  ],
  ["a rating", { answer: { id: 1, content: "Great", rating: 5 } }, "Great (5)"],
  [
    "a contact form",
    {
      fields: [
        { type: "email", content: "ada@example.com" },
        { type: "phone", content: "" },
      ],
    },
    "email: ada@example.com",
  ],
  ["plain text", { answer: "First line.\nSecond line." }, "First line.\nSecond line."],
  ["a recommendation score", { answer: { content: "9", tag: "promoter" } }, "9 (promoter)"],
  [
    "a matrix",
    {
      answers: [
        { content: "Price", score: "Good" },
        { content: "Help", score: "Bad" },
      ],
    },
    "Price: Good; Help: Bad",
  ],
  [
    "a ranking",
    {
      answers: [
        { content: "Price", rank: 2 },
        { content: "Help", rank: 1 },
      ],
    },
    "1. Help; 2. Price",
  ],
  ["an action", { action_performed: true }, "Yes"],
  ["an action that was not performed", { action_performed: false }, "No"],
  ["nothing", {}, ""],
  ["a number", { answer: 7 }, "7"],
  ["a boolean", { answer: true }, "Yes"],
  ["a list of texts", { answer: ["Price", "Help"] }, "Price; Help"],
  ["texts among choices", { answers: ["Price", { content: "Help" }] }, "Price; Help"],
  ["an object that nobody knows yet", { answer: { emoji: "👍" } }, '{"emoji":"👍"}'],
  ["a shape that nobody knows yet", { emoji: ["👍"] }, '{"emoji":["👍"]}'],
])("reads %s", (_, shape, text) => {
  expect(answerText({ ...question, ...shape } as never)).toBe(text);
});

test("simplified, a response has its answers by question and its attributes by name, ten fields at most", () => {
  const simple = simplifyResponse({
    uuid: "r1",
    collected_at: "2026-01-31T08:30:00.123456Z",
    survey_id: "1042",
    survey_name: "After purchase",
    respondent_uuid: "p1",
    url: "https://example.com/",
    device_type: "Mobile",
    language: "en",
    answers: [
      { ...question, question_id: 7, answer: "Fine" },
      { ...question, question_id: 7, answer: "And quick" },
    ],
    respondent_attributes: [
      { name: "plan", value: "free" },
      { name: "city", value: "Łódź" },
    ],
    attributes: [{ name: "plan", value: "pro" }],
  });
  expect(simple).toEqual({
    collected_at: "2026-01-31T08:30:00.123456Z",
    survey_name: "After purchase",
    answers: { "7": "Fine; And quick" },
    attributes: { plan: "pro", city: "Łódź" },
    respondent_uuid: "p1",
    survey_id: "1042",
    response_uuid: "r1",
    url: "https://example.com/",
    device_type: "Mobile",
    language: "en",
  });
  expect(Object.keys(simple)).toHaveLength(10);
});

test("a response whose answers are no list is still a response", () => {
  expect(simplifyResponse({ uuid: "r1", collected_at: "x", answers: "none" } as never).answers).toEqual({});
});
