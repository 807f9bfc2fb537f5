import { expect, test, vi } from "vitest";
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
  expect(await engine.allSurveys()).toEqual(results);
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
  sandbox.service.addSurvey({ id: "blank", name: " ", responses: [] });
  expect((await engine.surveys("blank")).results).toEqual([{ name: "blank (0 responses)", value: "blank" }]);
  expect((await engine.surveys("twice")).results).toEqual([
    { name: "Twice (1,234 responses, disabled)", value: "old" },
    { name: "Twice (1 response)", value: "new" },
  ]);
});

test("records without an ID are omitted, as n8n's log says; a list of nothing else is an error", async () => {
  const warn = vi.spyOn(engine.logger, "warn").mockReturnValue();
  const drop = { kind: "items", drop: ["id"] } as const;
  sandbox.service.addFaults({ on: "survey_list", reply: { ...drop, which: 7 } });
  const { results } = await engine.surveys("number 49");
  const said = warn.mock.calls.map(([message]) => message);
  warn.mockRestore();
  expect(results.map(({ value }) => value)).not.toContain("s492");
  expect(said).toEqual([expect.stringMatching(/^The list of surveys holds \d records? without an id/)]);
  sandbox.service.clearFaults();
  sandbox.service.addFaults({ on: "survey_list", reply: { ...drop, which: "every" } });
  for (const asked of [engine.surveys(), engine.poll({ event: "surveyResponse", watch: "all" }, {})])
    expect((await errorOf(asked)).message).toBe("The service sent something that cannot be read");
});

test("what the list does not tell of a survey is not shown", async () => {
  const reply = { kind: "items", which: "every", drop: ["enabled", "responses"] } as const;
  sandbox.service.addFaults({ on: "survey_list", reply });
  expect((await engine.surveys("number 123")).results[0]?.name).toBe("Survey number 123");
});

test("the editor waits half a minute", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  const { message } = await errorOf(engine.surveys());
  const limits = timeout.mock.calls.flat();
  timeout.mockRestore();
  expect(message).toBe("The service's list of surveys takes too long");
  expect(limits).toEqual([30_000]);
});

test("a service without the list says to choose By ID", async () => {
  Object.assign(account, { baseUrl: withoutLists.url, apiKey: withoutLists.apiKey });
  const { message, description } = await errorOf(engine.surveys());
  expect([message, description]).toEqual([
    "The service has no list of surveys at this address",
    "Check that the credential's Base URL is the service's address up to and including /v2. If it is, the service does not list its surveys: give them by their IDs.",
  ]);
});

test("a list that fails after its beginning shows what it has, and says so", async () => {
  sandbox.service.addFaults({ on: "start=", reply: { kind: "status", status: 403 } });
  const { results, paginationToken } = await engine.surveys("number 49");
  expect(results.length).toBe(11);
  expect(results.at(-1)).toEqual({ name: "The rest of the list could not be read", value: "" });
  expect(paginationToken).toBeUndefined();
});
