import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_KINDS, ANSWER_TYPES } from "../../../../connector/core/answers/answer-kinds.ts";
import {
  type AnswerRow,
  answerRows,
  type OddAnswers,
  readableAnswerRows,
} from "../../../../connector/core/streams/answer-rows.ts";
import { type Message, render } from "../../../../connector/core/text/message.ts";

const sentences = (messages: readonly Message[]): string[] => messages.map((message) => render(message));

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

const table = (cases: readonly (readonly [string, object, readonly Partial<AnswerRow>[]])[]) =>
  it.each(cases)("%s", (_, element, rows) => {
    expect(readableAnswerRows([{ ...question, ...element }])).toEqual({ rows: golden(rows), unreadable: [] });
  });

/** An answer of every kind, as the service documents it. */
const DOCUMENTED = [
  [
    "A: a single answer with a comment",
    { answer: { id: 4, content: "Red", comment: "of course" } },
    [{ answer_type: "single_choice", answer_id: 4, value_text: "Red", comment: "of course" }],
  ],
  [
    "B: several answers with comments",
    {
      answers: [
        { id: 4, content: "Red", comment: "yes" },
        { id: 5, content: "Blue" },
      ],
    },
    [
      { answer_type: "multiple_choice", answer_id: 4, value_text: "Red", comment: "yes" },
      { answer_type: "multiple_choice", answer_id: 5, value_text: "Blue" },
    ],
  ],
  [
    "C: a rating",
    { answer: { id: 4, content: "Good", rating: 5 } },
    [{ answer_type: "rating", answer_id: 4, value_text: "Good", value_number: 5 }],
  ],
  [
    "D: a contact form",
    {
      fields: [
        { type: "email", content: "a@b.example" },
        { type: "phone", content: "" },
      ],
    },
    [
      { answer_type: "contact_form", label: "email", value_text: "a@b.example" },
      { answer_type: "contact_form", label: "phone", value_text: "" },
    ],
  ],
  ["E: plain text", { answer: "Fine, thanks" }, [{ answer_type: "text", value_text: "Fine, thanks" }]],
  [
    "F: an NPS answer",
    { answer: { content: "10", tag: "promoter" } },
    [{ answer_type: "nps", value_text: "10", value_number: 10, nps_tag: "promoter" }],
  ],
  [
    "G: a matrix",
    {
      answers: [
        { id: 4, content: "Price", score: "Bad" },
        { id: 5, content: "Speed", score: "Good" },
      ],
    },
    [
      { answer_type: "matrix", answer_id: 4, label: "Price", value_text: "Bad" },
      { answer_type: "matrix", answer_id: 5, label: "Speed", value_text: "Good" },
    ],
  ],
  [
    "H: a ranking",
    {
      answers: [
        { id: 4, content: "Price", rank: 2 },
        { id: 5, content: "Speed", rank: 1 },
      ],
    },
    [
      { answer_type: "ranking", answer_id: 4, label: "Price", value_number: 2 },
      { answer_type: "ranking", answer_id: 5, label: "Speed", value_number: 1 },
    ],
  ],
  ["I: an action", { action_performed: false }, [{ answer_type: "action", value_boolean: false }]],
] as const satisfies readonly (readonly [string, object, readonly Partial<AnswerRow>[]])[];

describe("each shape of the service becomes these rows:", () => {
  table(DOCUMENTED);

  it("no kind is missing here", () => {
    const types = DOCUMENTED.flatMap(([, , rows]) => rows.map(({ answer_type }) => answer_type));
    expect(new Set(types)).toEqual(new Set(Object.keys(ANSWER_KINDS)));
  });

  it("and none of them is odd", () => {
    const odd: OddAnswers = new Map();
    readableAnswerRows(
      DOCUMENTED.map(([, element]) => ({ ...question, ...element })),
      { answers: odd },
    );
    expect(odd).toEqual(new Map());
  });
});

describe("0, empty and false are values and not missing:", () => {
  table([
    [
      "an NPS score of 0",
      { answer: { content: "0", tag: "detractor" } },
      [{ answer_type: "nps", value_text: "0", value_number: 0, nps_tag: "detractor" }],
    ],
    [
      "a rating and an id of 0",
      { answer: { id: 0, content: "", rating: 0, comment: "" } },
      [{ answer_type: "rating", answer_id: 0, value_text: "", value_number: 0, comment: "" }],
    ],
    ["a rank of 0", { answers: [{ rank: 0 }] }, [{ answer_type: "ranking", value_number: 0 }]],
    ["an empty text", { answer: "" }, [{ answer_type: "text", value_text: "" }]],
  ]);
});

describe("an NPS content that is not a number keeps its text and has no number:", () => {
  it.each(["", "9/10", "ten", "1e3", "0x9", "Infinity", "99999999999999999999"])("%j", (content) => {
    expect(readableAnswerRows([{ ...question, answer: { content, tag: "x" } }]).rows).toEqual(
      golden([{ answer_type: "nps", value_text: content, nps_tag: "x" }]),
    );
  });
});

describe("an answered question without content gives one row:", () => {
  table([
    ["no shape at all", {}, [{}]],
    ["an empty list of answers", { answers: [] }, [{ answer_type: "multiple_choice" }]],
    ["an empty form", { fields: [] }, [{ answer_type: "contact_form" }]],
    ["an empty answer", { answer: {} }, [{ answer_type: "single_choice" }]],
    ["only nulls", { answer: null, answers: null, fields: null, action_performed: null }, [{}]],
    ["a list with a null in it", { answers: [null] }, [{}]],
  ]);
});

describe("mixtures that the service does not forbid:", () => {
  table([
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
      { answer: { id: 1, content: "9", rating: 4, tag: "promoter" } },
      [
        {
          answer_type: "nps",
          answer_id: 1,
          value_text: "9",
          value_number: 9,
          nps_tag: "promoter",
          additional_fields: { answer: { rating: 4 } },
        },
      ],
    ],
    [
      "a matrix with a row that was left out",
      {
        answers: [
          { id: 1, content: "Price" },
          { id: 2, content: "Speed", score: "Good" },
        ],
      },
      [
        { answer_type: "matrix", answer_id: 1, label: "Price" },
        { answer_type: "matrix", answer_id: 2, label: "Speed", value_text: "Good" },
      ],
    ],
    [
      "unknown fields of the element, on each row, and of its entries, on theirs",
      {
        weight: 2,
        answers: [
          { id: 1, content: "a", image: { url: "u" } },
          { id: 2, content: "b" },
        ],
      },
      [
        {
          answer_type: "multiple_choice",
          answer_id: 1,
          value_text: "a",
          additional_fields: { weight: 2, answers: { image: { url: "u" } } },
        },
        { answer_type: "multiple_choice", answer_id: 2, value_text: "b", additional_fields: { weight: 2 } },
      ],
    ],
    [
      "values that do not fit their columns",
      { answer: { id: 1.5, content: { html: "x" }, rating: "many", comment: ["c"] } },
      [
        {
          answer_type: "rating",
          additional_fields: {
            answer: { id: 1.5, content: { html: "x" }, rating: "many", comment: ["c"] },
          },
        },
      ],
    ],
    [
      "numbers that came as strings, and strings that came as numbers",
      { answer: { id: "12", content: 3, rating: "4.5" } },
      [{ answer_type: "rating", answer_id: 12, value_text: "3", value_number: 4.5 }],
    ],
    [
      "a question type that is not a string",
      { question_type: { name: "x" }, answer: "a" },
      [
        {
          question_type: null,
          answer_type: "text",
          value_text: "a",
          additional_fields: { question_type: { name: "x" } },
        },
      ],
    ],
    [
      "fields named as objects inherit them",
      JSON.parse('{"answer":{"content":"a","__proto__":{"x":1}},"constructor":2,"__proto__":3}'),
      [
        {
          answer_type: "single_choice",
          value_text: "a",
          additional_fields: JSON.parse('{"constructor":2,"__proto__":3,"answer":{"__proto__":{"x":1}}}'),
        },
      ],
    ],
  ]);
});

describe("JSON that the service does not document goes to the column of its kind, and is counted:", () => {
  const cases: readonly (readonly [object, readonly Partial<AnswerRow>[], readonly string[]])[] = [
    [{ answer: 7 }, [{ answer_type: "rating", value_number: 7 }], ["a number as answer"]],
    [{ answer: true }, [{ answer_type: "action", value_boolean: true }], ["a boolean as answer"]],
    [
      { answer: ["a", 7, null, "", false] },
      [{ answer_type: "multiple_choice", value_text: "a; 7; false" }],
      ["a list as answer"],
    ],
    [
      { answer: [{ id: 1, content: "a" }, "b"] },
      [
        { answer_type: "multiple_choice", answer_id: 1, value_text: "a" },
        { answer_type: "text", value_text: "b" },
      ],
      ["a list as answer", "a string in answer"],
    ],
    [
      { answer: { drawing: "x" } },
      [{ answer_type: "other", additional_fields: { answer: { drawing: "x" } } }],
      ["an object without a known field as answer"],
    ],
    [
      { answers: ["a", 7, true, ["b", "c"], { id: 1, content: "d" }] },
      [
        { answer_type: "multiple_choice", value_text: "a" },
        { answer_type: "multiple_choice", value_number: 7 },
        { answer_type: "multiple_choice", value_boolean: true },
        { answer_type: "multiple_choice", value_text: "b; c" },
        { answer_type: "multiple_choice", answer_id: 1, value_text: "d" },
      ],
      ["a string in answers", "a number in answers", "a boolean in answers", "a list in answers"],
    ],
    [
      { answers: [[{ a: 1 }], { b: 2 }] },
      [
        { answer_type: "other", additional_fields: { answers: [{ a: 1 }] } },
        { answer_type: "other", additional_fields: { answers: { b: 2 } } },
      ],
      ["a list in answers", "an object without a known field in answers"],
    ],
    [
      { answers: { id: 1, content: "row", score: "Fine" } },
      [{ answer_type: "matrix", answer_id: 1, label: "row", value_text: "Fine" }],
      ["an object as answers"],
    ],
    [
      { action_performed: "yes" },
      [{ answer_type: "action", value_text: "yes" }],
      ["a string as action_performed"],
    ],
    [
      { action_performed: { by: "mail" } },
      [{ answer_type: "other", additional_fields: { action_performed: { by: "mail" } } }],
      ["an object as action_performed"],
    ],
    [{ answer: [] }, [{ answer_type: "multiple_choice" }], []],
    [{ answer: [], fields: [{ content: "x" }] }, [{ answer_type: "contact_form", value_text: "x" }], []],
  ];

  it.each(cases)("%j", (element, rows, shapes) => {
    const odd: OddAnswers = new Map();
    expect(readableAnswerRows([{ ...question, ...element }], { answers: odd })).toEqual({
      rows: golden(rows),
      unreadable: [],
    });
    expect(odd).toEqual(new Map(shapes.map((shape) => [shape, 1])));
  });
});

describe("an answer that cannot be read", () => {
  it("makes the whole response unreadable", () => {
    const answers = [{ question_id: 1, answer: "x" }, { answer: "y" }];
    expect(() => answerRows({ uuid: "r1", response: { answers } })).toThrow(
      expect.objectContaining({
        code: "unreadable_item",
        message: expect.stringContaining(
          'Response "r1" has an answer without a usable question_id (answers[1]).',
        ),
      }),
    );
  });
});

describe("the key", () => {
  it("goes on counting if a question comes twice", () => {
    const rows = readableAnswerRows([
      { question_id: 1, answers: [{ id: 1 }, { id: 2 }] },
      { question_id: 2, answer: "x" },
      { question_id: "1", answer: "y" },
    ]).rows;
    expect(rows.map(({ question_id, position }) => [question_id, position])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [1, 3],
    ]);
  });

  it.each([undefined, null, "", "abc", "9007199254740993", 1.5, {}, true])(
    "is never made up: an element with the question_id %j is unreadable, and the others are read",
    (question_id) => {
      const { rows, unreadable } = readableAnswerRows([
        { question_id, answer: "x" },
        { question_id: 2, answer: "y" },
      ]);
      expect(rows.map(({ value_text }) => value_text)).toEqual(["y"]);
      expect(sentences(unreadable)).toEqual(["has an answer without a usable question_id (answers[0])"]);
    },
  );
});

it.each([[[]], [null], [undefined], [[null]]])("%j holds no answer, and nothing is wrong", (answers) => {
  expect(readableAnswerRows(answers)).toEqual({ rows: [], unreadable: [] });
});

it.each([{}, "text", 5, false])("%j is neither a list of answers nor an answer", (value) => {
  const complaints = (answers: unknown) => sentences(readableAnswerRows(answers).unreadable);
  expect(complaints(value)).toEqual(["has answers that are not a list"]);
  expect(complaints([value])).toEqual(["has an answer without a usable question_id (answers[0])"]);
});

const names = ["question_id", "question_type", "answer", "answers", "fields", "action_performed"];
const inner = ["id", "content", "comment", "rating", "tag", "score", "rank", "type", "__proto__", "extra"];
/** Objects with the service's own names more often than not, holding anything. */
const objectOf = (known: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, fc.string()), value);
const leaf = fc.oneof(
  fc.string().map((text) => text.replaceAll(";", ",")),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const entry = objectOf(inner, fc.oneof({ weight: 6, arbitrary: leaf }, fc.jsonValue({ maxDepth: 1 })));
const content = fc.oneof(
  leaf,
  entry,
  fc.array(fc.oneof({ weight: 8, arbitrary: entry }, leaf)),
  fc.jsonValue({ maxDepth: 1 }),
);
const element = fc
  .tuple(fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) }, leaf), objectOf(names, content))
  .map(([question_id, fields]) => ({ ...fields, question_id }));
/** As a page brings it: what JSON can say, without semicolons. */
const answerList = fc
  .array(fc.oneof({ weight: 12, arbitrary: element }, leaf))
  .map((list) => JSON.parse(JSON.stringify(list).replaceAll(";", ",")));

/**
 * Every value at the end of a path, as text; null says nothing, and so do empty lists and objects. Texts that were
 * joined are one by one again: no text of this test has a semicolon.
 */
function leaves(value: unknown): string[] {
  if (value === null) return [];
  if (typeof value !== "object") {
    return String(value)
      .split("; ")
      .filter((text) => text !== "");
  }
  return Object.values(value).flatMap(leaves);
}

/** What of `wanted` is not in `kept`, each as often as it is wanted. */
function missing(wanted: readonly string[], kept: readonly string[]): string[] {
  const left = [...kept];
  return wanted.filter((text) => {
    const place = left.indexOf(text);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

describe("whatever the service sends as answers", () => {
  it("no value of a readable element is lost", () => {
    fc.assert(
      fc.property(answerList, (answers: unknown[]) => {
        for (const one of answers) {
          const { rows, unreadable } = readableAnswerRows([one]);
          if (unreadable.length > 0 || one === null) continue;
          const { question_id: _, ...rest } = one as Record<string, unknown>;
          const kept = rows.flatMap(({ question_id, position, answer_type, ...row }) => leaves(row));
          expect(missing(leaves(rest), kept)).toEqual([]);
          for (const { answer_type } of rows) expect(ANSWER_TYPES).toContain(answer_type);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("each element is in a row, or unreadable, or null; and no key comes twice", () => {
    fc.assert(
      fc.property(answerList, (answers: unknown[]) => {
        const { rows, unreadable } = readableAnswerRows(answers);
        const alone = answers.map((one) => readableAnswerRows([one]));
        expect(rows.length).toBe(alone.reduce((sum, { rows: own }) => sum + own.length, 0));
        expect(alone.filter((one) => one.rows.length === 0 && one.unreadable.length === 0).length).toBe(
          answers.filter((one) => one === null).length,
        );
        expect(unreadable.length).toBe(alone.filter((one) => one.unreadable.length > 0).length);
        const keys = rows.map(({ question_id, position }) => `${question_id} ${position}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});
