import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import type { PageData } from "../../../sandbox/page/page-data.ts";
import { RecentRequests } from "../../../sandbox/page/page-data.ts";
import { started } from "../support/client.ts";

const HOSTILE = '<script>alert("x")</script>';
const timestamp = "2026-01-01T00:00:00.000000Z";
const surveys = [
  { id: "1", name: HOSTILE, responses: [{ collected_at: timestamp, respondent_uuid: "p" }] },
  { id: "2", name: "Empty", responses: [] },
];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ surveys, limits: { perMinute: 3 } });
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.service.clearFaults());

const at = (path: string, init?: RequestInit) => fetch(new URL(path, sandbox.url), init);
const data = async () => (await (await at("/sandbox/page-data")).json()) as PageData;

describe("the data of the page", () => {
  it("has what a program needs, and each survey with its count and its newest response", async () => {
    expect(await data()).toMatchObject({
      basePath: "/v2",
      apiKey: sandbox.apiKey,
      surveys: [
        {
          ...{ id: "1", name: HOSTILE, type: "PageSurvey", count: 1 },
          newest: { collected_at: timestamp, respondent_uuid: "p" },
        },
        { id: "2", name: "Empty", count: 0 },
      ],
    });
  });

  it("has the last requests, newest first, and the use of the limits", async () => {
    const own = await started({ surveys, limits: { perMinute: 3 } });
    const ask = (path: string) =>
      fetch(`${own.url}${path}`, { headers: { authorization: `Basic ${own.apiKey}` } });
    for (const path of ["/surveys/1/responses", "/surveys/9/responses", "/respondents/p/attributes"]) {
      await (await ask(path)).arrayBuffer();
    }
    await (await ask("/surveys/2/responses")).arrayBuffer();
    const shown = (await (await fetch(new URL("/sandbox/page-data", own.url))).json()) as PageData;
    expect(shown.requests.map(({ number, url, status }) => [number, url, status])).toEqual([
      [4, "/v2/surveys/2/responses", 429],
      [3, "/v2/respondents/p/attributes", 200],
      [2, "/v2/surveys/9/responses", 404],
      [1, "/v2/surveys/1/responses", 200],
    ]);
    expect(shown.load).toEqual({ concurrent: 5, inFlight: 0, perMinute: 3, startsInLastMinute: 3 });
    const sum = (of: "answered" | "refused") =>
      shown.seconds.reduce((total, second) => total + second[of], 0);
    expect([shown.seconds.length, sum("answered"), sum("refused")]).toEqual([60, 3, 1]);
  });

  it("has the faults that can still happen, and a fault goes by its name", async () => {
    const headers = { "content-type": "application/json" };
    const post = (faults: unknown) =>
      at("/sandbox/faults", { method: "POST", headers, body: JSON.stringify(faults) });
    await post([
      { name: "mine", on: "any", reply: "status_503", times: 2 },
      { on: "any", reply: "slow", toMs: 0 },
      { on: "survey_responses", reply: "page_empty" },
    ]);
    expect((await data()).activeFaults).toEqual([
      { name: "mine", on: "any", reply: "status_503", served: 0, timesLeft: 2 },
      { on: "survey_responses", reply: "page_empty", served: 0 },
    ]);
    await at("/sandbox/faults?name=mine", { method: "DELETE" });
    expect((await data()).activeFaults).toMatchObject([{ reply: "page_empty" }]);
  });
});

describe("the list of recent requests", () => {
  it("keeps 50, and the seconds of the last minute", () => {
    let nowMs = 1_000_000;
    const recent = new RecentRequests({ now: () => nowMs, sleep: async () => {} });
    for (let number = 0; number < 1_000; number += 1) {
      nowMs += 100;
      const status = number % 10 === 0 ? 429 : 200;
      recent.add({ url: `/${number}`, endpoint: undefined, status, fault: undefined, startedAtMs: nowMs });
    }
    expect(recent.listed).toHaveLength(50);
    expect(recent.listed[0]).toMatchObject({ number: 1_000, url: "/999" });
    const seconds = recent.seconds();
    expect(seconds).toHaveLength(60);
    expect(seconds[30]).toEqual({ answered: 9, refused: 1 });
    nowMs += 60_000;
    expect(recent.seconds().every(({ answered, refused }) => answered + refused === 0)).toBe(true);
  });
});
