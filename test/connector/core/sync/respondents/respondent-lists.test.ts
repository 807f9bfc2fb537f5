import { expect, it } from "vitest";
import { respondentAttributes } from "../../../../../connector/core/streams/respondent-attributes.ts";
import { respondentResponses } from "../../../../../connector/core/streams/respondent-responses.ts";
import { attributeList } from "../../../../../connector/core/sync/respondents/attribute-list.ts";
import { responseList } from "../../../../../connector/core/sync/respondents/response-list.ts";
import { at, PRESENT } from "../../coverage/support/timestamps.ts";
import { streamOf } from "../support/stream.ts";

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
    const { records, problem, unreadable } = list.accept(list.parse(each, PRESENT, true));
    paths.push(list.path);
    return [
      records.map(({ id }) => id),
      ...unreadable.map(({ error, count }) => `${count} ${error.code}`),
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

it("asks once more for an end that a full page tells, and for an empty page that says there is more", () => {
  const { paths, brought } = walked(
    attributes([1, 2]),
    attributes([1, 2], SECOND),
    attributes([], THIRD),
    attributes([3, 4], THIRD),
    attributes([5]),
  );
  expect(paths).toEqual([FIRST, FIRST, SECOND, SECOND, THIRD, undefined]);
  expect(brought.flatMap(([ids]) => ids)).toEqual([1, 2, 3, 4, 5]);
});

it("follows no link to somebody else's list", () => {
  const { paths, brought } = walked(attributes([1], "/respondents/bert/attributes?page=2"));
  expect([paths, brought]).toEqual([[FIRST, undefined], [[[1], "refused_link"]]]);
});

it("reads a respondent's responses from the end date to the start date, and knows if a page is not whole", () => {
  const { stream } = streamOf("respondent_responses");
  const wanted = { older: at(50), newer: at(90) };
  const list = responseList(stream, respondentResponses, { uuid: "anna", itemsPerPage: 2 }, wanted);
  const next = list.path?.replace("end=", "page=2&end=");
  const response = (place: number) => ({
    survey: { id: "t", name: "T" },
    response: { uuid: `r${place}`, collected_at: at(place), respondent: { uuid: "anna" } },
  });
  const brought = [
    page([response(80), response(70)], next),
    page([response(60), { response: { uuid: "broken" } }, response(55), response(40)]),
  ].map((each) => {
    const { records, isWhole, unreadable } = list.accept(list.parse(each, PRESENT, true));
    return [records.map(({ uuid }) => uuid), isWhole, unreadable.length];
  });
  expect(brought).toEqual([
    [["r80", "r70"], true, 0],
    [["r60", "r55"], false, 1],
  ]);
  expect(list.path).toBeUndefined();
});
