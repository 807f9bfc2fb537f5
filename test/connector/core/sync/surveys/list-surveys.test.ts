import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../../../connector/core/errors.ts";
import type { Page } from "../../../../../connector/core/lists/page.ts";
import { ListOfSurveys, surveyIn } from "../../../../../connector/core/sync/surveys/list-surveys.ts";
import { say } from "../../../../../connector/core/text/message.ts";
import { PRESENT } from "../../coverage/support/timestamps.ts";

const FIRST = "/surveys?items_per_page=100";
const SECOND = "/surveys?start=2";
const page = (items: readonly unknown[], next?: string): Page => ({
  items,
  hasMore: next !== undefined,
  next,
});

/** Reads the list of a service that gives these answers in turn: what it is then, the paths, and where its pages said it goes on. */
async function read(answers: Iterable<Page | SurveyExportError>, from?: string) {
  const list = new ListOfSurveys(from);
  const paths: string[] = [];
  const remaining = answers[Symbol.iterator]();
  const get = async (path: string) => {
    paths.push(path);
    const { value } = remaining.next();
    return value instanceof SurveyExportError ? { error: value } : { page: value as Page, present: PRESENT };
  };
  const came: string[] = [];
  const nexts: unknown[] = [];
  for await (const { surveys, next } of list.read(get)) {
    came.push(...surveys.map(({ id }) => id));
    nexts.push(next);
  }
  expect(came, "each survey comes on one page").toEqual([...list.found.keys()]);
  return { list, paths, nexts };
}

/** A survey for each word, such as `a3`: its id, and the second in which it was created. */
const surveys = (words: string) =>
  words
    .split(" ")
    .filter((word) => word !== "")
    .map(([id, second]) => ({ id, created_at: second && `2026-01-01T00:00:0${second}Z` }));

it.each<[string, (readonly [words: string, next?: string])[], found: string, code: string | undefined]>([
  ["whole", [["a3 b2", SECOND], ["c1"]], "abc", undefined],
  ["with a survey on two pages", [["a3 b2", SECOND], ["b2 c1"]], "abc", undefined],
  ["with equal times", [["a3 b3", SECOND], ["c3"]], "abc", undefined],
  ["without times", [["a b", SECOND], ["c"]], "abc", undefined],
  ["with a page that is empty once", [["a3", SECOND], ["", "/surveys?start=1"], ["b2 c1"]], "abc", undefined],
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
])("a list %s", async (_, pages, found, code) => {
  const { list, paths } = await read(pages.map(([words, next]) => page(surveys(words), next)));
  expect([[...list.found.keys()].join(""), list.problem?.code]).toEqual([found, code]);
  expect([list.isRead, paths.length]).toEqual([true, pages.length]);
});

it("a list of which a page fails has what it showed before", async () => {
  const failed = new SurveyExportError("transient", "unavailable", say`It failed.`);
  const { list } = await read([page(surveys("a3"), SECOND), failed]);
  expect([[...list.found.keys()], list.problem, list.isRead]).toEqual([["a"], failed, false]);
});

describe("a full page", () => {
  /** A hundred surveys, the newest first if they are in order. */
  const full = (isOrdered = true) => {
    const seconds = Array.from({ length: 100 }, (_, place) => (isOrdered ? 160 - place : 61 + place));
    return seconds.map((second) => ({ id: `${second}`, created_at: new Date(second * 1000).toISOString() }));
  };
  const LAST = { id: "last", created_at: "1970-01-01T00:00:01Z" };

  it("that ends the list is asked for once more: if the end was wrong, nothing is missing", async () => {
    const { list, paths, nexts } = await read([page(full()), page(full(), SECOND), page([LAST])]);
    expect([paths, list.found.size, list.problem]).toEqual([[FIRST, FIRST, SECOND], 101, undefined]);
    expect(nexts, "a later call never begins with the page that is in doubt").toEqual([
      undefined,
      SECOND,
      undefined,
    ]);
  });

  it("may be in the wrong order if it is the only one, though it is asked for twice", async () => {
    const { list } = await read([page(full(false)), page(full(false))]);
    expect([list.found.size, list.isRead, list.problem]).toEqual([100, true, undefined]);
  });
});

it("begins with a link only if it is one of the list: n8n gets it back from a browser", async () => {
  expect((await read([page([])], SECOND)).paths).toEqual([SECOND]);
  for (const other of [
    "/surveys/a/responses?start=2",
    "/respondents/a/attributes",
    "//surveys",
    "/surveys/..",
  ])
    expect(() => new ListOfSurveys(other), other).toThrow(expect.objectContaining({ code: "refused_link" }));
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

it.each([
  [0, 0, undefined],
  [0, 1, "unreadable_item"],
  [1, 9, undefined],
  [89, 10, "unreadable_item"],
])(
  "a list of %i surveys and %i records that cannot be read has the problem %s",
  async (count, unreadable, code) => {
    const items = [...Array.from({ length: count }, (_, id) => ({ id })), ...Array(unreadable).fill({})];
    const { list } = await read([page(items)]);
    expect([list.problem?.code, list.unreadable, list.found.size]).toEqual([code, unreadable, count]);
  },
);

describe("an endless list", () => {
  /** Each survey has `length` characters more. */
  function* endless(length: number) {
    for (let number = 0; ; number++) {
      const text = "x".repeat(length);
      const items = Array.from({ length: 100 }, (_, place) => ({ id: `${number}-${place}`, text }));
      yield page(items, `/surveys?start=${number}`);
    }
  }

  it.each([
    ["20,000 surveys", 0, 201],
    ["50,000,000 characters", 10_000, 50],
  ])("ends with more than %s", async (_, length, pages) => {
    const { list, paths } = await read(endless(length));
    expect([paths.length, list.isRead]).toEqual([pages, true]);
    expect(list.problem?.message).toMatch(
      /^The list of surveys did not end after [\d,]+ surveys, so it was not read on\. Name the surveys to read in survey_ids, and report this to the service\.$/,
    );
  });
});
