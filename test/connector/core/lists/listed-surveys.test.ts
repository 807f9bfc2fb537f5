import { describe, expect, it } from "vitest";
import { ListedSurveys, surveyIn } from "../../../../connector/core/lists/listed-surveys.ts";

const FIRST = "/surveys?items_per_page=100";
const SECOND = "/surveys?start=2";
/** A survey for each word, such as `a3`: its id, and the second in which it was created. */
const surveys = (words: string) =>
  words
    .split(" ")
    .filter((word) => word !== "")
    .map(([id, second]) => ({ id, created_at: second && `2026-01-01T00:00:0${second}Z` }));
/** The surveys that pages show, and the code of the list's problem. A page that goes on ends with its link. */
function walked(...pages: readonly (readonly [words: string, next?: string])[]) {
  const list = new ListedSurveys();
  for (const [words, next] of pages)
    list.accept({ items: surveys(words), hasMore: next !== undefined, next });
  return [[...list.found.keys()].join(""), list.problem?.code, list.path];
}

it.each([
  ["whole", [["a3 b2", SECOND], ["c1"]], "abc", undefined],
  ["with a survey on two pages", [["a3 b2", SECOND], ["b2 c1"]], "abc", undefined],
  ["with equal times", [["a3 b3", SECOND], ["c3"]], "abc", undefined],
  ["without times", [["a b", SECOND], ["c"]], "abc", undefined],
  ["of one page in the wrong order", [["a1 b2"]], "ab", undefined],
  ["with a page in the wrong order", [["a2 b3", SECOND], ["c1"]], "abc", "broken_answer"],
  ["with two pages in the wrong order", [["a2 b1", SECOND], ["c3"]], "abc", "broken_answer"],
  [
    "in a circle",
    [
      ["a3", SECOND],
      ["b2", FIRST],
      ["a3", SECOND],
    ],
    "ab",
    "broken_answer",
  ],
  ["with a link to another list", [["a3", "/surveys/a/responses"]], "a", "refused_link"],
  ["with a page that is empty once", [["a3", SECOND], ["", "/surveys?start=1"], ["b2 c1"]], "abc", undefined],
] as const)("a list %s", (_, pages, found, code) => {
  expect(walked(...pages)).toEqual([found, code, undefined]);
});

describe("of a full page", () => {
  /** A hundred surveys, the last one created first, if they are in order; and one more, before all of these. */
  const full = (isOrdered = true) => {
    const seconds = Array.from({ length: 100 }, (_, place) => (isOrdered ? 160 - place : 61 + place));
    return seconds.map((second) => ({ id: `${second}`, created_at: new Date(second * 1000).toISOString() }));
  };
  const LAST = { id: "last", created_at: "1970-01-01T00:00:01Z" };

  it("an end is asked for once more: if it was wrong, nothing is missing", () => {
    const list = new ListedSurveys();
    list.accept({ items: full(), hasMore: false, next: undefined });
    expect(list.path).toBe(FIRST);
    list.accept({ items: full(), hasMore: true, next: SECOND });
    expect(list.path).toBe(SECOND);
    list.accept({ items: [LAST], hasMore: false, next: undefined });
    expect([list.found.size, list.path, list.problem]).toEqual([101, undefined, undefined]);
  });

  it("the order is good if it is the only one, though it is asked for twice", () => {
    const list = new ListedSurveys();
    for (let time = 0; time < 2; time++) list.accept({ items: full(false), hasMore: false, next: undefined });
    expect([list.found.size, list.path, list.problem]).toEqual([100, undefined, undefined]);
  });
});

it("begins with a link only if it is one of the list: n8n gets it back from a browser", () => {
  expect(new ListedSurveys(SECOND).path).toBe(SECOND);
  for (const other of [
    "/surveys/a/responses?start=2",
    "/respondents/a/attributes",
    "//surveys",
    "/surveys/..",
  ])
    expect(() => new ListedSurveys(other), other).toThrow(expect.objectContaining({ code: "refused_link" }));
});

it("a record needs an id that can be part of a URL, and nothing else", () => {
  const unusable = [
    undefined,
    7,
    {},
    { id: 0.5 },
    { id: {} },
    { id: "x".repeat(1001) },
    { id: "" },
    { id: ".." },
    { id: "a/../b" },
    { id: "\ud83d" },
  ];
  expect(unusable.map(surveyIn)).toEqual(unusable.map(() => undefined));
  expect(surveyIn({ id: 1002 })?.id).toBe("1002");
  const fields = { id: "ä/ö", name: 7, more: 1 };
  expect(surveyIn(fields)).toEqual({ id: "ä/ö", name: null, type: null, fields });
});

describe("a list with records that cannot be read", () => {
  it.each([
    [0, 0, undefined],
    [0, 1, "unreadable_item"],
    [1, 9, undefined],
    [91, 10, "unreadable_item"],
  ])("of %i surveys and %i such records has the problem %s", (count, unreadable, code) => {
    const list = new ListedSurveys();
    const items = [...Array.from({ length: count }, (_, id) => ({ id })), ...Array(unreadable).fill({})];
    list.accept({ items, hasMore: false, next: undefined });
    expect([list.problem?.code, list.unreadable, list.found.size]).toEqual([code, unreadable, count]);
  });
});

describe("an endless list", () => {
  /** After how many pages of 100 surveys it ends. Each survey has `length` characters more. */
  function pagesOf(length: number): number {
    const list = new ListedSurveys();
    for (let page = 0; list.path !== undefined; page++) {
      const text = "x".repeat(length);
      const items = Array.from({ length: 100 }, (_, place) => ({ id: `${page}-${place}`, text }));
      list.accept({ items, hasMore: true, next: `/surveys?start=${page}` });
    }
    expect(list.problem?.message).toMatch(
      /^The list of surveys did not end after [\d,]+ surveys, so it was not read on\. Name the surveys to read in survey_ids, and report this to the service\.$/,
    );
    return list.pages;
  }

  it("ends with more than 20,000 surveys", () => {
    expect(pagesOf(0)).toBe(201);
  });

  it("ends with more than 50,000,000 characters", () => {
    expect(pagesOf(10_000)).toBe(50);
  });
});
