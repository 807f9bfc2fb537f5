import { expect, it } from "vitest";
import type { Gap } from "../../../../connector/core/coverage/coverage.ts";
import { respondentAttributes } from "../../../../connector/core/streams/respondent-attributes.ts";
import { respondentResponses } from "../../../../connector/core/streams/respondent-responses.ts";
import { attributeList } from "../../../../connector/core/sync/attribute-list.ts";
import { responseList } from "../../../../connector/core/sync/response-list.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";
import { streamOf } from "./support/stream.ts";

const FIRST = "/respondents/anna/attributes?items_per_page=2";
const LARGEST = "/respondents/anna/attributes?items_per_page=100";
const [SECOND, THIRD] = ["2", "3"].map((name) => `/respondents/anna/attributes?page=${name}`) as [
  string,
  string,
];
const page = (data: readonly unknown[], next?: string): string =>
  JSON.stringify({ data, pagination_data: { has_more: next !== undefined, next_url: next } });
const attributes = (ids: readonly unknown[], next?: string): string =>
  page(
    ids.map((id) => ({ id, name: "plan", value: "basic" })),
    next,
  );
/** The paths of a list of attributes that answers with these pages, and what the pages brought. */
function walked(...pages: readonly string[]) {
  const { stream } = streamOf("respondent_attributes");
  const list = attributeList(stream, respondentAttributes, { uuid: "anna", itemsPerPage: 2 });
  const paths = [list.path];
  const brought = pages.map((each) => {
    const { records, problem, holes } = list.accept(list.parse(each, PRESENT, true));
    paths.push(list.path);
    return [
      records.map(({ id }) => id),
      ...holes.map(({ unreadable }) => `${unreadable?.count} ${unreadable?.error.code}`),
      problem?.code,
    ];
  });
  return { paths, brought };
}

it("delivers each attribute once, whether its id is a number or digits, and omits what has no usable id", () => {
  const { paths, brought } = walked(
    attributes([1, 2], SECOND),
    attributes(["2", "3", null, 1.5, "03", 4], THIRD),
    attributes([5]),
  );
  expect(paths).toEqual([FIRST, SECOND, THIRD, undefined]);
  expect(brought).toEqual([
    [[1, 2], undefined],
    [[3, 4], "3 unreadable_item", undefined],
    [[5], undefined],
  ]);
});

it("asks again with the largest page if the links lead in a circle, once", () => {
  const { paths, brought } = walked(
    attributes([1], SECOND),
    attributes([1], FIRST),
    attributes([1, 2], LARGEST),
  );
  expect(paths).toEqual([FIRST, SECOND, LARGEST, undefined]);
  expect(brought.at(-1)).toEqual([[2], "broken_answer"]);
});

it("follows no link to somebody else's list", () => {
  const { paths, brought } = walked(attributes([1], "/respondents/bert/attributes?page=2"));
  expect([paths, brought]).toEqual([[FIRST, undefined], [[[1], "refused_link"]]]);
});

it("reads all gaps of a respondent's responses, the newest first", () => {
  const { stream } = streamOf("respondent_responses");
  const gaps: Gap[] = [
    { older: null, newer: at(10) },
    { older: at(50), newer: at(90) },
  ];
  const list = responseList(stream, respondentResponses, { uuid: "anna", itemsPerPage: 2 }, gaps);
  const covered = [1, 2].map(() => list.accept(list.parse(page([]), PRESENT, true)).covered);
  expect(covered).toEqual([
    [at(50), at(90)],
    [null, at(10)],
  ]);
  expect(list.path).toBeUndefined();
});
