import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_KINDS, ANSWER_TYPES } from "../../../../connector/core/answers/answer-kinds.ts";
import { type AnswerRow, answerRows, noOddAnswers } from "../../../../connector/core/streams/answer-rows.ts";

const question = { question_id: 7, question_type: "single" };
const empty: AnswerRow = {
  question_id: 7,
  question_type: "single",
  position: 1,
  answer_type: "other",
  answer_id: null,
  label: null,
  value_text: null,
  value_number: null,
  value_boolean: null,
  comment: null,
  nps_tag: null,
  additional_fields: null,
};
/** Golden rows: what is not named is null, and positions count from 1. */
const golden = (rows: readonly Partial<AnswerRow>[]) =>
  rows.map((row, index) => ({ ...empty, position: index + 1, ...row }));

type Case = readonly [name: string, element: object, rows: readonly Partial<AnswerRow>[]];

/** An answer of every kind, as the service documents it. */
const DOCUMENTED: readonly Case[] = [
  [
    "A: a single answer with a comment",
    { answer: { id: 4, content: "Red", comment: "of course" } },
    [{ answer_type: "single_choice", answer_id: 4, value_text: "Red", comment: "of course" }],
  ],
  [
    "B: several answers with comments",
    { answers: [{ id: 4, content: "Red", comment: "yes" }, { content: "Blue" }] },
    [
      { answer_type: "multiple_choice", answer_id: 4, value_text: "Red", comment: "yes" },
      { answer_type: "multiple_choice", value_text: "Blue" },
    ],
  ],
  [
    "C: a rating",
    { answer: { id: 0, content: "", rating: 0, comment: "" } },
    [{ answer_type: "rating", answer_id: 0, value_text: "", value_number: 0, comment: "" }],
  ],
  [
    "D: a contact form",
    { fields: [{ type: "email", content: "a@b.example" }, { type: "phone" }] },
    [
      { answer_type: "contact_form", label: "email", value_text: "a@b.example" },
      { answer_type: "contact_form", label: "phone" },
    ],
  ],
  ["E: plain text", { answer: "" }, [{ answer_type: "text", value_text: "" }]],
  [
    "F: an NPS answer",
    { answer: { content: "0", tag: "detractor" } },
    [{ answer_type: "nps", value_text: "0", value_number: 0, nps_tag: "detractor" }],
  ],
  [
    "G: a matrix, with a row that was omitted",
    { answers: [{ content: "Price" }, { id: 5, content: "Speed", score: "Good" }] },
    [
      { answer_type: "matrix", label: "Price" },
      { answer_type: "matrix", answer_id: 5, label: "Speed", value_text: "Good" },
    ],
  ],
  [
    "H: a ranking",
    { answers: [{ id: 4, content: "Price", rank: 2 }, { rank: 0 }] },
    [
      { answer_type: "ranking", answer_id: 4, label: "Price", value_number: 2 },
      { answer_type: "ranking", value_number: 0 },
    ],
  ],
  ["I: an action", { action_performed: false }, [{ answer_type: "action", value_boolean: false }]],
];

/** What the document does not forbid. */
const MIXED: readonly Case[] = [
  [
    "answer, answers, fields and action_performed in one element",
    {
      answer: { id: 1, content: "a" },
      answers: [{ id: 2, content: "b" }],
      fields: [{ type: "c", content: "d" }],
      action_performed: true,
    },
    [
      { answer_type: "single_choice", answer_id: 1, value_text: "a" },
      { answer_type: "multiple_choice", answer_id: 2, value_text: "b" },
      { answer_type: "contact_form", label: "c", value_text: "d" },
      { answer_type: "action", value_boolean: true },
    ],
  ],
  [
    "a rating with a tag",
    { answer: { content: "9", rating: 4, tag: "promoter" } },
    [
      {
        answer_type: "nps",
        value_text: "9",
        value_number: 9,
        nps_tag: "promoter",
        additional_fields: { answer: { rating: 4 } },
      },
    ],
  ],
  [
    "unknown fields of the element, on each row, and of its entries, on theirs",
    { weight: 2, answers: [{ content: "a", image: { url: "u" } }, { content: "b" }] },
    [
      {
        answer_type: "multiple_choice",
        value_text: "a",
        additional_fields: { weight: 2, answers: { image: { url: "u" } } },
      },
      { answer_type: "multiple_choice", value_text: "b", additional_fields: { weight: 2 } },
    ],
  ],
  [
    "values that do not fit their columns",
    { question_type: { name: "x" }, answer: { id: 1.5, content: { html: "x" }, rating: "many" } },
    [
      {
        question_type: null,
        answer_type: "rating",
        additional_fields: {
          question_type: { name: "x" },
          answer: { id: 1.5, content: { html: "x" }, rating: "many" },
        },
      },
    ],
  ],
  [
    "numbers that came as strings, and strings that came as numbers",
    { answer: { id: "12", content: 3, rating: "4.5" } },
    [{ answer_type: "rating", answer_id: 12, value_text: "3", value_number: 4.5 }],
  ],
  ["no answer at all", {}, [{}]],
  ["empty lists", { answer: [], answers: [], fields: [] }, [{}]],
];

/** Values that fit a typed column, with the names under which they are counted. */
const TYPED: readonly (readonly [element: object, rows: readonly Partial<AnswerRow>[], shape: string])[] = [
  [{ answer: 9 }, [{ answer_type: "number", value_number: 9 }], "a number as answer"],
  [{ answer: 0.5 }, [{ answer_type: "number", value_number: 0.5 }], "a number as answer"],
  [{ answer: false }, [{ answer_type: "boolean", value_boolean: false }], "a boolean as answer"],
  [
    { answer: ["a", "b"], answers: [{ content: "c" }] },
    [
      { answer_type: "strings", value_text: "a" },
      { answer_type: "strings", value_text: "b" },
      { answer_type: "multiple_choice", value_text: "c" },
    ],
    "a list as answer",
  ],
];

/** With the names under which they are counted. */
const UNDOCUMENTED: readonly (readonly [
  element: object,
  parts: readonly object[],
  shapes: readonly string[],
])[] = [
  [{ answer: ["a", { id: 1 }] }, [{ answer: ["a", { id: 1 }] }], ["a list as answer"]],
  [
    { answer: { drawing: "x" }, action_performed: "yes" },
    [{ answer: { drawing: "x" } }, { action_performed: "yes" }],
    ["an object without a known field as answer", "a string as action_performed"],
  ],
  [
    { answers: { content: "row" }, fields: [true] },
    [{ answers: { content: "row" } }, { fields: true }],
    ["an object as answers", "a boolean in fields"],
  ],
];

describe("an answered question becomes these rows:", () => {
  it.each([...DOCUMENTED, ...MIXED])("%s", (_, element, rows) => {
    const odd = noOddAnswers();
    expect(answerRows([{ ...question, ...element }], odd)).toEqual(golden(rows));
    expect(odd).toEqual(noOddAnswers());
  });

  it("and no kind is missing here", () => {
    const rows = [...DOCUMENTED.map(([, , each]) => each), ...TYPED.map(([, each]) => each)].flat();
    expect(new Set(rows.map(({ answer_type }) => answer_type))).toEqual(new Set(Object.keys(ANSWER_KINDS)));
  });

  it.each(["", "9/10", "ten", "1e3", "0x9", "Infinity", "99999999999999999999"])(
    "an NPS content of %j, which is no number, is a text alone",
    (content) => {
      expect(answerRows([{ ...question, answer: { content, tag: "x" } }])).toEqual(
        golden([{ answer_type: "nps", value_text: content, nps_tag: "x" }]),
      );
    },
  );

  it.each(TYPED)(
    "%j, which the service does not document, has a column, and is counted",
    (...[element, rows, shape]) => {
      const odd = noOddAnswers();
      expect(answerRows([{ ...question, ...element }], odd)).toEqual(golden(rows));
      expect(odd.shapes).toEqual(new Map([[shape, 1]]));
    },
  );

  it.each(UNDOCUMENTED)(
    "%j, which the service does not document, is kept unchanged, and counted",
    (element, parts, shapes) => {
      const odd = noOddAnswers();
      const rows = answerRows([{ ...question, ...element }], odd);
      expect(rows).toEqual(golden(parts.map((part) => ({ additional_fields: { ...part } }))));
      expect(odd.shapes).toEqual(new Map(shapes.map((shape) => [shape, 1])));
    },
  );
});

describe("the key", () => {
  it("goes on counting if a question comes twice", () => {
    const rows = answerRows([
      { question_id: 1, answers: [{ id: 1 }, { id: 2 }] },
      { question_id: 2, answer: "x" },
      { question_id: "1", answer: "y" },
    ]);
    const keys = rows.map(({ question_id, position }) => `${question_id} ${position}`);
    expect(keys).toEqual(["1 1", "1 2", "2 1", "1 3"]);
  });

  it.each([undefined, null, "", "abc", "9007199254740993", 1.5, {}, true])(
    "is never made up: an element with the question_id %j is omitted and counted, and the others are read",
    (question_id) => {
      const odd = noOddAnswers();
      const rows = answerRows(
        [
          { question_id, answer: "x" },
          { question_id: 2, answer: "y" },
        ],
        odd,
      );
      expect(rows.map(({ value_text }) => value_text)).toEqual(["y"]);
      expect(odd.omitted).toEqual(new Map([["an answer without a usable question_id", 1]]));
    },
  );
});

it.each([[[]], [null], [undefined], [[null]]])("%j holds no answer, and nothing is wrong", (answers) => {
  const odd = noOddAnswers();
  expect(answerRows(answers, odd)).toEqual([]);
  expect(odd).toEqual(noOddAnswers());
});

it.each([{}, "text", 5, false])("%j is neither a list of answers nor an answer", (value) => {
  const odd = noOddAnswers();
  expect([...answerRows(value, odd), ...answerRows([value], odd)]).toEqual([]);
  expect([...odd.omitted.keys()]).toEqual([
    "answers that are not a list",
    "an answer without a usable question_id",
  ]);
});

const names = ["question_id", "question_type", "answer", "answers", "fields", "action_performed"];
const inner = ["id", "content", "comment", "rating", "tag", "score", "rank", "type", "__proto__", "extra"];
/** Objects with the service's own names more often than not, holding anything. */
const objectOf = (known: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, fc.string()), value);
const leaf = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const entry = objectOf(inner, fc.oneof({ weight: 6, arbitrary: leaf }, fc.jsonValue({ maxDepth: 1 })));
const list = fc.array(fc.oneof({ weight: 8, arbitrary: entry }, leaf));
const content = fc.oneof(leaf, entry, list, fc.jsonValue({ maxDepth: 1 }));
const element = fc
  .tuple(fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) }, leaf), objectOf(names, content))
  .map(([question_id, fields]) => ({ ...fields, question_id }));
/** As a page brings it: what JSON can say. */
const answerList = fc
  .array(fc.oneof({ weight: 12, arbitrary: element }, leaf))
  .map((answers): unknown[] => JSON.parse(JSON.stringify(answers)));

/** Every value at the end of a path, as text; null says nothing, and so do empty lists and objects. */
const leaves = (value: unknown): string[] =>
  value === null ? [] : typeof value === "object" ? Object.values(value).flatMap(leaves) : [String(value)];

/** What of `wanted` is not in `kept`, each as often as it is wanted. */
function missing(wanted: readonly string[], kept: readonly string[]): string[] {
  const left = [...kept];
  return wanted.filter((text) => {
    const place = left.indexOf(text);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

it("whatever comes: no value of a readable element is lost, and no key comes twice", () => {
  fc.assert(
    fc.property(answerList, (answers) => {
      let count = 0;
      for (const one of answers) {
        const odd = noOddAnswers();
        const rows = answerRows([one], odd);
        count += rows.length;
        const outcome = { becomesRows: rows.length > 0, isOdd: odd.omitted.size > 0, isNull: one === null };
        expect(Object.values(outcome).filter(Boolean), JSON.stringify(outcome)).toHaveLength(1);
        if (rows.length === 0) continue;
        const { question_id: _, ...rest } = one as Record<string, unknown>;
        const kept = rows.flatMap(({ question_id, position, answer_type, ...row }) => leaves(row));
        expect(missing(leaves(rest), kept)).toEqual([]);
        for (const { answer_type } of rows) expect(ANSWER_TYPES).toContain(answer_type);
      }
      const rows = answerRows(answers);
      expect(rows.length).toBe(count);
      const keys = new Set(rows.map(({ question_id, position }) => `${question_id} ${position}`));
      expect(keys.size).toBe(rows.length);
    }),
    { numRuns: 300 },
  );
});
