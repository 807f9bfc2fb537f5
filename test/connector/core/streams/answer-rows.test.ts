import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_KINDS, ANSWER_TYPES } from "../../../../connector/core/answers/answer-kinds.ts";
import {
  type AnswerRow,
  answerRows,
  type OddAnswers,
  readableAnswerRows,
} from "../../../../connector/core/streams/answer-rows.ts";
import { render } from "../../../../connector/core/text/message.ts";

const question = { question_id: 7, question_type: "single" };
const empty: AnswerRow = {
  ...{ question_id: 7, question_type: "single", position: 1, answer_type: "other" },
  ...{ answer_id: null, label: null, value_text: null, value_number: null, value_boolean: null },
  ...{ comment: null, nps_tag: null, additional_fields: null },
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
    "G: a matrix, with a row that was left out",
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
      ...{ answer: { id: 1, content: "a" }, answers: [{ id: 2, content: "b" }] },
      ...{ fields: [{ type: "c", content: "d" }], action_performed: true },
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
        ...{ answer_type: "nps", value_text: "9", value_number: 9, nps_tag: "promoter" },
        additional_fields: { answer: { rating: 4 } },
      },
    ],
  ],
  [
    "unknown fields of the element, on each row, and of its entries, on theirs",
    { weight: 2, answers: [{ content: "a", image: { url: "u" } }, { content: "b" }] },
    [
      {
        ...{ answer_type: "multiple_choice", value_text: "a" },
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
        ...{ question_type: null, answer_type: "rating" },
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

/** With the names under which they are counted. */
const UNDOCUMENTED: readonly (readonly [
  element: object,
  parts: readonly object[],
  shapes: readonly string[],
])[] = [
  [{ answer: 7 }, [{ answer: 7 }], ["a number as answer"]],
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
    const odd: OddAnswers = new Map();
    expect(readableAnswerRows([{ ...question, ...element }], odd)).toEqual({
      ...{ rows: golden(rows), unreadable: [] },
    });
    expect(odd).toEqual(new Map());
  });

  it("and no kind is missing here", () => {
    const types = DOCUMENTED.flatMap(([, , rows]) => rows.map(({ answer_type }) => answer_type));
    expect(new Set(types)).toEqual(new Set(Object.keys(ANSWER_KINDS)));
  });

  it.each(["", "9/10", "ten", "1e3", "0x9", "Infinity", "99999999999999999999"])(
    "an NPS content of %j, which is no number, is a text alone",
    (content) => {
      expect(readableAnswerRows([{ ...question, answer: { content, tag: "x" } }]).rows).toEqual(
        golden([{ answer_type: "nps", value_text: content, nps_tag: "x" }]),
      );
    },
  );

  it.each(UNDOCUMENTED)(
    "%j, which the service does not document, is kept as it came, and counted",
    (element, parts, shapes) => {
      const odd: OddAnswers = new Map();
      const { rows } = readableAnswerRows([{ ...question, ...element }], odd);
      expect(rows).toEqual(golden(parts.map((part) => ({ additional_fields: { ...part } }))));
      expect(odd).toEqual(new Map(shapes.map((shape) => [shape, 1])));
    },
  );
});

describe("the key", () => {
  it("goes on counting if a question comes twice", () => {
    const { rows } = readableAnswerRows([
      { question_id: 1, answers: [{ id: 1 }, { id: 2 }] },
      { question_id: 2, answer: "x" },
      { question_id: "1", answer: "y" },
    ]);
    const keys = rows.map(({ question_id, position }) => `${question_id} ${position}`);
    expect(keys).toEqual(["1 1", "1 2", "2 1", "1 3"]);
  });

  it.each([undefined, null, "", "abc", "9007199254740993", 1.5, {}, true])(
    "is never made up: an element with the question_id %j is unreadable, and the others are read",
    (question_id) => {
      const answers = [
        { question_id, answer: "x" },
        { question_id: 2, answer: "y" },
      ];
      const { rows, unreadable } = readableAnswerRows(answers);
      expect(rows.map(({ value_text }) => value_text)).toEqual(["y"]);
      expect(unreadable.map((one) => render(one))).toEqual([
        "has an answer without a usable question_id (answers[0])",
      ]);
      expect(() => answerRows({ uuid: "r1", response: { answers } })).toThrow(
        'Response "r1" has an answer without a usable question_id (answers[0]).',
      );
    },
  );
});

it.each([[[]], [null], [undefined], [[null]]])("%j holds no answer, and nothing is wrong", (answers) => {
  expect(readableAnswerRows(answers)).toEqual({ rows: [], unreadable: [] });
});

it.each([{}, "text", 5, false])("%j is neither a list of answers nor an answer", (value) => {
  const complaints = (answers: unknown) => readableAnswerRows(answers).unreadable.map((one) => render(one));
  expect(complaints(value)).toEqual(["has answers that are not a list"]);
  expect(complaints([value])).toEqual(["has an answer without a usable question_id (answers[0])"]);
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
        const { rows, unreadable } = readableAnswerRows([one]);
        count += rows.length;
        expect([rows.length > 0, unreadable.length > 0, one === null].filter(Boolean)).toHaveLength(1);
        if (rows.length === 0) continue;
        const { question_id: _, ...rest } = one as Record<string, unknown>;
        const kept = rows.flatMap(({ question_id, position, answer_type, ...row }) => leaves(row));
        expect(missing(leaves(rest), kept)).toEqual([]);
        for (const { answer_type } of rows) expect(ANSWER_TYPES).toContain(answer_type);
      }
      const { rows } = readableAnswerRows(answers);
      expect(rows.length).toBe(count);
      const keys = new Set(rows.map(({ question_id, position }) => `${question_id} ${position}`));
      expect(keys.size).toBe(rows.length);
    }),
    { numRuns: 300 },
  );
});
