import { expect, it } from "vitest";
import type { Page } from "../../../../connector/core/client/page.ts";
import { AttributeWalk } from "../../../../connector/core/lists/attribute-walk.ts";
import { render } from "../../../../connector/core/text/message.ts";

const FIRST = "/respondents/anna/attributes?items_per_page=2";
const LARGEST = "/respondents/anna/attributes?items_per_page=100";
const link = (name: string): string => `/respondents/anna/attributes?page=${name}`;
const [SECOND, THIRD] = [link("2"), link("3")];
const attribute = (id: unknown, value: unknown = "") => ({ id, value });
const page = (items: readonly unknown[], next?: string): Page => ({
  ...{ items, next, hasMore: next !== undefined },
});
/** A walk, and what each of these pages brought. */
function walked(pages: readonly Page[], itemsPerPage = 2) {
  const walk = new AttributeWalk("anna", itemsPerPage);
  const paths = [walk.path];
  const brought = pages.map((each) => {
    const { items, problem, warning } = walk.accept(each);
    paths.push(walk.path);
    return { ids: items.map(({ id }) => id), problem, warning: warning && render(warning) };
  });
  return { paths, brought, last: brought.at(-1)! };
}

it("follows the links to the end of the list, and delivers each attribute once", () => {
  const { paths, brought } = walked([
    page([attribute(1), attribute(2)], SECOND),
    page([attribute(2), attribute(3)], THIRD),
    page([attribute(4)]),
  ]);
  expect(paths).toEqual([FIRST, SECOND, THIRD, undefined]);
  expect(brought.map(({ ids }) => ids)).toEqual([[1, 2], [3], [4]]);
  for (const each of brought) expect(each).toMatchObject({ problem: undefined, warning: undefined });
});

it.each([[null], ["text"], [[]], [attribute("1")], [attribute(1.5)]])(
  "leaves out an attribute without a usable id, and takes the others: %j",
  (unreadable) => {
    const { last } = walked([page([unreadable, attribute(2)])]);
    expect(last.ids).toEqual([2]);
    expect(last.problem).toMatchObject({
      ...{ kind: "system", code: "unreadable_item" },
      message:
        'The list of attributes of respondent "anna" holds an attribute without a usable id. What cannot be read was left out, and the next sync tries again. Report this to the service.',
    });
  },
);

it("leaves out an attribute that is nested too deeply, alone", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 70; level++) deep = [deep];
  const items = [attribute(1, deep), attribute(2)];
  expect(walked([page(items)]).last).toMatchObject({
    ...{ ids: [2], problem: { code: "unreadable_item" } },
  });
});

it("asks again from the beginning with the largest page if the links lead in a circle, once", () => {
  const { paths, brought, last } = walked([
    page([attribute(1)], SECOND),
    page([attribute(1)], FIRST),
    page([attribute(1), attribute(2)], LARGEST),
  ]);
  expect(paths).toEqual([FIRST, SECOND, LARGEST, undefined]);
  expect(brought[1]).toMatchObject({ ids: [], problem: undefined });
  expect(last).toMatchObject({
    ids: [2],
    problem: {
      ...{ kind: "system", code: "stuck" },
      message:
        'The list of attributes of respondent "anna" could not be read to its end: the link to the next page leads back. The next sync tries again. Report this to the service.',
    },
  });
});

it("does not ask again if the largest page was asked for at first", () => {
  const { paths, last } = walked([page([attribute(1)], LARGEST)], 100);
  expect(paths).toEqual([LARGEST, undefined]);
  expect(last.problem?.code).toBe("stuck");
});

it("follows no link to somebody else's list", () => {
  const { paths, last } = walked([page([attribute(1)], "/respondents/bert/attributes?page=2")]);
  expect(paths).toEqual([FIRST, undefined]);
  expect(last).toMatchObject({ ids: [1], problem: { code: "refused_link" } });
});

it("follows an empty page with a warning", () => {
  const { paths, brought } = walked([
    page([attribute(1)], SECOND),
    page([], THIRD),
    page([attribute(3)], link("4")),
    page([attribute(4)]),
  ]);
  expect(paths).toEqual([FIRST, SECOND, THIRD, link("4"), undefined]);
  expect(brought.map(({ warning }) => warning?.slice(0, 96))).toEqual([
    undefined,
    'The list of attributes of respondent "anna" holds an empty page that says there is more. Reading',
    undefined,
    undefined,
  ]);
});

it("asks once more for an empty page that leads nowhere, and ends there with a warning", () => {
  const { paths, brought } = walked([page([attribute(1)], SECOND), page([], SECOND), page([], SECOND)]);
  expect(paths).toEqual([FIRST, SECOND, SECOND, undefined]);
  expect(brought[1]?.warning).toBeUndefined();
  expect(brought[2]).toMatchObject({
    warning: expect.stringContaining("ends with an empty page that says there is more, twice"),
  });
});

it("goes on if the empty page is whole when it is asked for again", () => {
  const { brought } = walked([page([attribute(1)], SECOND), page([], SECOND), page([attribute(2)])]);
  expect(brought[2]).toMatchObject({ ids: [2], warning: undefined });
});

it.each([
  ["20 bring nothing new", () => [attribute(1)], 21],
  ["100 bring unreadable attributes", () => [null], 100],
  ["1000 bring something new", (number: number) => [attribute(number)], 1000],
])("does not go on for ever: when %s, it asks with the largest page, and then it ends", (_, items, most) => {
  const walk = new AttributeWalk("anna", 2);
  let pages = 0;
  for (; walk.path !== LARGEST; pages++) walk.accept(page(items(pages), link(`${pages}`)));
  expect(pages - 1).toBe(most);
  expect(walk.accept(page([], undefined)).problem).toBeUndefined();
  expect(walk.path).toBeUndefined();
});
