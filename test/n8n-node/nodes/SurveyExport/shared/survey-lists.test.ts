import { expect, test } from "vitest";
import { testSandbox } from "../../../../support/sandbox.ts";
import { errorOf, startEngine } from "../../../support/set-up.ts";

const NUMBERS = Array.from({ length: 500 }, (_, number) => number);
const idOf = (number: number) => `s${number}`;
const { sandbox, engine, account } = await startEngine({
  surveys: NUMBERS.map((number) => ({ id: idOf(number), name: `Survey number ${number}`, responses: [] })),
});
const withoutLists = await testSandbox({ dialect: "without_lists" });

/** The whole list, as somebody sees it who goes on to its end. */
async function listed(filter?: string) {
  const pages = [await engine.surveys(filter)];
  for (let { paginationToken } = pages[0]!; paginationToken !== undefined; ) {
    const page = await engine.surveys(filter, paginationToken as string);
    pages.push(page);
    paginationToken = page.paginationToken;
  }
  return { pages, results: pages.flatMap(({ results }) => results) };
}

test("the list has each survey once, newest first, in parts of one request each", async () => {
  const { pages, results } = await listed();
  expect(results.map(({ value }) => value)).toEqual(NUMBERS.map(idOf).reverse());
  expect(pages.map(({ results }) => results.length)).toEqual([100, 100, 100, 100, 100]);
  expect(sandbox.service.stats.requests).toBe(5);
});

test.each([
  [" NUMBER 49", [499, 498, 497, 496, 495, 494, 493, 492, 491, 490, 49]],
  ["s123", [123]],
  ["nowhere", []],
])("the filter %j is looked for in names and IDs of the whole list", async (filter, numbers) => {
  const { pages, results } = await listed(filter);
  expect(results.map(({ value }) => value)).toEqual(numbers.map(idOf));
  expect(pages).toHaveLength(1);
});

test("a survey is shown with what tells it from another of the same name", async () => {
  sandbox.service.addSurvey({ id: "new", name: "Twice", responses: [] });
  sandbox.service.addSurvey({ id: "old", name: "Twice", enabled: false, responses: [] });
  sandbox.service.collect("new", 1);
  sandbox.service.collect("old", 1_234);
  expect((await engine.surveys("twice")).results).toEqual([
    { name: "Twice (1,234 responses, disabled)", value: "old" },
    { name: "Twice (1 response)", value: "new" },
  ]);
});

test("a service without the list says to choose By ID", async () => {
  Object.assign(account, { baseUrl: withoutLists.url, apiKey: withoutLists.apiKey });
  const { message, description } = await errorOf(engine.surveys());
  expect([message, description]).toEqual([
    "The service does not list its surveys",
    "Give surveys by their IDs. They cannot be chosen from a list.",
  ]);
});

test("a list that fails after its beginning shows what it has, and says so", async () => {
  sandbox.service.addFaults({ on: "start=", reply: { kind: "status", status: 403 } });
  const { results, paginationToken } = await engine.surveys("number 49");
  expect(results.length).toBe(11);
  expect(results.at(-1)).toEqual({ name: "The rest of the list could not be read", value: "" });
  expect(paginationToken).toBeUndefined();
});
