import { describe, expect, it } from "vitest";
import { leavesList, PaginationGuard } from "../../../../connector/core/lists/link.ts";

describe("a continuation stays on its list's own path, however it is spelled", () => {
  const LIST = "/surveys/a%20b/responses?items_per_page=1";
  const [ANN, OTHER] = ["6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10", "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e11"];
  const listOf = (uuid: string): string => `/respondents/${uuid}/responses?items_per_page=1`;
  it.each([
    [LIST, "/surveys/a%20b/responses?start=x"],
    [LIST, "surveys/a b/responses"],
    [LIST, "/surveys/%61%20b/responses/?x"],
    [listOf(ANN), listOf(ANN.toUpperCase())],
    [listOf(ANN.toUpperCase()), listOf(ANN.replace("6f1c", "%36F1C"))],
  ])("%j goes on with %j", (list, link) => expect(leavesList(list, link)).toBeUndefined());
  it.each([
    [LIST, "/surveys/2/responses?start=x"],
    [LIST, "/respondents/a%20b/responses"],
    [LIST, "?start=x"],
    [listOf(ANN), listOf(OTHER)],
    [listOf("ann"), listOf("Ann")],
    [listOf(ANN), listOf(ANN).replace("responses", "Responses")],
  ])("%j does not go on with %j", (list, link) => {
    expect(leavesList(list, link)?.message).toMatch(/^The service sent a link .+ leads to another list /);
  });

  it.each([
    ...["https://other.example/v2", "HTTPS://api.example.com/v2", "//other.example/v2"],
    ...["/\\other.example/v2", "user:password@other.example"],
  ])("nor with an absolute address, not even with the service's own: %j", (address) => {
    const link = `${address}/surveys/a%20b/responses?start=x`;
    expect(leavesList(LIST, link)?.message).toBe(
      `The service sent a link to the next page that is an absolute address (${JSON.stringify(link)}). The link was not followed, to protect the API key and the data. Check that base_url is the service's own address, and report this to the service.`,
    );
  });
});

/** What follows pages with these paths and links. */
function kinds(
  pages: readonly (readonly [path: string, next: string])[],
  isMoving: (page: number) => boolean,
) {
  const guard = new PaginationGuard();
  return pages.map(([path, next], page) => guard.after({ path, next, moved: isMoving(page) }).kind);
}

it("no link is followed twice until the list goes on (I7)", () => {
  const circle = [
    ["a", "b"],
    ["b", "c"],
    ["c", "a"],
  ] as const;
  expect(kinds(circle, () => false)).toEqual(["follow", "follow", "stuck"]);
  expect(
    kinds(circle, () => true),
    "it goes on",
  ).toEqual(["follow", "follow", "follow"]);
  expect(kinds([["a", "a"]], () => true)).toEqual(["stuck"]);
});

it.each([
  ["at most 100 pages come if it does not", () => false, 100],
  ["all come if it does", () => true, 2000],
  ["which begins the count again", (page: number) => page % 100 === 99, 2000],
])("%s", (_, isMoving, most) => {
  const pages = Array.from({ length: 2000 }, (_, page) => [`${page}`, `${page + 1}`] as const);
  const followed = kinds(pages, isMoving).indexOf("stuck");
  expect(followed === -1 ? 2000 : followed).toBe(most);
});
