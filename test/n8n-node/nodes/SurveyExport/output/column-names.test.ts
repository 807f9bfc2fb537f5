import fc from "fast-check";
import { expect, test } from "vitest";
import {
  columnNames,
  isColumn,
  type TextsById,
} from "../../../../../n8n-node/nodes/SurveyExport/output/column-names.ts";

const namesFrom = (texts: TextsById) => columnNames(new Map([["s", texts]]));
const namesOf = (texts: Readonly<Record<number, string>>) =>
  namesFrom(new Map(Object.entries(texts).map(([id, text]) => [Number(id), text])));
/** The names of the columns of the answers alone, in the order of the questions. */
const shown = (...texts: readonly string[]) => {
  const names = namesOf(texts);
  return texts.map((_, id) => names.get(`answer_${id}`));
};

test("a question's columns are named by its text and by what they hold", () => {
  expect([...namesOf({ 1001: "How likely are you to recommend us?" })]).toEqual([
    ["answer_1001", "How likely are you to recommend us?"],
    ["answer_1001_score", "How likely are you to recommend us? (score)"],
    ["answer_1001_tag", "How likely are you to recommend us? (tag)"],
    ["answer_1001_comment", "How likely are you to recommend us? (comment)"],
  ]);
});

test("a name has 60 characters at most, whatever its end, and is not cut within a character", () => {
  const names = namesOf({ 7: "👍".repeat(200), 8: "x".repeat(50) });
  expect(names.get("answer_7_comment")).toBe(`${"👍".repeat(49)}… (comment)`);
  expect(names.get("answer_8_comment")).toBe(`${"x".repeat(50)} (comment)`);
  expect(shown("a".repeat(200), "a".repeat(201))).toEqual([
    `${"a".repeat(45)}… (0)`,
    `${"a".repeat(45)}… (1)`,
  ]);
});

test("a long text is cut at one place for all columns of a question", () => {
  const columnsOf = (stem: string) => ["", " (score)", " (tag)", " (comment)"].map((end) => stem + end);
  const [one, other] = ["x".repeat(51), "y".repeat(51)];
  expect([...namesOf({ 7: one, 8: other, 1009: other }).values()]).toEqual([
    ...columnsOf(`${"x".repeat(49)}…`),
    ...columnsOf(`${"y".repeat(45)}… (8)`),
    ...columnsOf(`${"y".repeat(42)}… (1009)`),
  ]);
});

test("two questions of one text have their IDs in all of their names, also with other capital letters", () => {
  expect(shown("Why?", "Where?", "why?")).toEqual(["Why? (0)", "Where?", "why? (2)"]);
  expect(namesOf({ 1: "Why?", 2: "Why?" }).get("answer_2_score")).toBe("Why? (2) (score)");
});

test.each([
  ...[
    "url",
    "URL",
    "collected_at",
    "answers",
    "attribute_plan",
    "answer_1_score",
    "__proto__",
    "constructor",
  ],
  ...["Why? (score)", "Why? (Comment)", "Why? (1003)", "2024"],
])(
  "%s could be another column, or a number that moves to the front, so the question's ID stands behind it",
  (text) => {
    expect(shown(text)).toEqual([`${text} (0)`]);
  },
);

const text = fc.oneof(
  fc.constantFrom("Why?", "why?", "Why? (score)", "Why? (1)", "Why? (1) (score)", "url", "__proto__"),
  fc
    .tuple(fc.constantFrom("a", "A", "a "), fc.integer({ min: 1, max: 80 }), fc.constantFrom("", "b", "…"))
    .map(([start, count, end]) => `${start.repeat(count).trim()}${end}`),
);
const questions: fc.Arbitrary<TextsById> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 12 }), text), { selector: ([id]) => id })
  .map((pairs) => new Map(pairs));

test("no two columns share a name, and names depend neither on the order of questions nor on capital letters", () => {
  fc.assert(
    fc.property(questions, (texts) => {
      const names = namesFrom(texts);
      const lower = [...names.values()].map((name) => name.toLowerCase());
      expect(new Set(lower).size).toBe(4 * texts.size);
      expect(lower.filter((name) => isColumn(name) || name in {} || [...name].length > 60)).toEqual([]);
      expect(namesFrom(new Map([...texts].reverse()))).toEqual(names);
    }),
    { numRuns: 2_000 },
  );
});

test("a column of two surveys that ask different things by one ID keeps the ID", () => {
  const [one, other] = [new Map([[1, "Why?"]]), new Map([[1, "Who?"]])];
  expect([
    ...columnNames(
      new Map([
        ["a", one],
        ["b", other],
      ]),
    ),
  ]).toEqual([]);
  expect(
    columnNames(
      new Map([
        ["a", one],
        ["b", one],
      ]),
    ).get("answer_1"),
  ).toBe("Why?");
});
