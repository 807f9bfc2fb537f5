import { expect, test, vi } from "vitest";
import { serverForTest } from "../../../../support/server.ts";
import { errorOf, startEngine } from "../../../support/set-up.ts";

const NUMBERS = Array.from({ length: 500 }, (_, number) => number);
const idOf = (number: number) => `s${number}`;
const { sandbox, engine, account } = await startEngine({
  surveys: NUMBERS.map((number) => ({ id: idOf(number), name: `Survey number ${number}`, responses: [] })),
});
const CUT_SHORT = {
  name: "The rest of the list was not read: give other surveys by their IDs",
  value: "",
};

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
  // The last part is full, so its end is asked for once more.
  expect(sandbox.service.stats.requests).toBe(6);
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

test("a survey is shown by its name, and by what tells it from others of the same name", async () => {
  const hostile = `All\u202e \u0000surveys\n${"x".repeat(300)}`;
  const made = [
    ["one", "Twice", "2026-03-01T00:00:00.000000Z"],
    ["two", "Twice", "2026-03-02T00:00:00.000000Z"],
    ["blank", " ", "2026-03-02T00:00:00.000000Z"],
    ["hostile", hostile, "2026-03-02T00:00:00.000000Z"],
  ] as const;
  for (const [id, name, created_at] of made)
    sandbox.service.addSurvey({ id, name, created_at, responses: [] });
  const labels = new Map((await engine.allSurveys()).map(({ value, name }) => [value, name]));
  expect(made.map(([id]) => labels.get(id))).toEqual([
    ...["Twice (2026-03-01, one)", "Twice (2026-03-02, two)", "blank"],
    `All surveys ${"x".repeat(187)}…`,
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
  for (const asked of [engine.surveys(), engine.poll({ watch: "all" }, {})])
    expect((await errorOf(asked)).message).toBe("The service sent something that cannot be read");
});

test("a list without an end costs thirty requests, and shows what it has", async () => {
  let asked = 0;
  const endless = await serverForTest((_, answer) => {
    const pagination_data = { has_more: true, next_url: `/surveys?start=${++asked}` };
    answer.end(
      JSON.stringify({ data: [{ id: `endless-${asked}`, name: `Endless ${asked}` }], pagination_data }),
    );
  });
  account.baseUrl = `${endless.origin}/v2`;
  for (const [search, found] of [
    [() => engine.surveys("endless"), 30],
    [() => engine.surveys("nowhere"), 0],
    [async () => ({ results: await engine.allSurveys() }), 30],
  ] as const) {
    asked = 0;
    const { results } = await search();
    expect([asked, results.length, results.at(-1)]).toEqual([30, found + 1, CUT_SHORT]);
  }
});

test("a list goes on at a page of the list of surveys only", async () => {
  const { message } = await errorOf(engine.surveys("", "/surveys/s1/responses?items_per_page=100"));
  expect(message).toBe("The service sent a link that was not followed");
  expect(sandbox.service.stats.requests).toBe(0);
});

test("the editor waits half a minute", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  const { message } = await errorOf(engine.surveys());
  const limits = timeout.mock.calls.flat();
  timeout.mockRestore();
  expect(message).toBe("The service's list of surveys takes too long");
  expect(limits).toEqual([30_000]);
});

test("a list that fails after its beginning shows what it has, and says so", async () => {
  sandbox.service.addFaults({ on: "start=", reply: { kind: "status", status: 403 } });
  const { results, paginationToken } = await engine.surveys("number 49");
  expect(results.length).toBe(11);
  expect(results.at(-1)).toEqual(CUT_SHORT);
  expect(paginationToken).toBeUndefined();
});
