import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AnsweredRequest } from "../../sandbox/index.ts";
import { inProcess, type TestClient, TRANSPORTS } from "./test-client.ts";

const surveys = [
  { id: "1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: "p" }] },
];
const list = "/surveys/1/responses";
const timestamp = "2026-01-01T00:00:00.000000Z";

describe.each(TRANSPORTS)("the stats %s", (_, connect) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect({ surveys });
  });
  beforeEach(() => client.service.resetStats());
  afterAll(() => client.close());

  it("count requests by endpoint, path and status", async () => {
    await client.get(`${list}?items_per_page=1`);
    await client.get(`${list}?items_per_page=2`);
    await client.get("/respondents/p/responses");
    await client.get("/respondents/p/attributes");
    await client.get("/respondents/q/attributes");
    expect(client.service.stats).toMatchObject({
      requests: 5,
      byEndpoint: {
        survey_responses: 2,
        respondent_responses: 1,
        respondent_attributes: 2,
      },
      byPath: { "/v2/surveys/1/responses": 2, "/v2/respondents/p/responses": 1 },
      byStatus: { 200: 4, 404: 1 },
      items: 3,
      malformed: 0,
      unauthorized: 0,
      maxConcurrent: 1,
      maxStartsPerMinute: 5,
    });
  });

  it.each([
    ["a method other than GET", list, { method: "PUT" }],
    ["another scheme of authorization", list, { headers: { authorization: "Bearer x" } }],
    ["a path that is not in the API", "/surveys/1", {}],
    ["a slash too many", "//surveys/1/responses", {}],
    ["attributes without brackets", `${list}?attributes=plan`, {}],
    ["an unknown parameter", `${list}?page=2`, {}],
    ["an end though none is accepted", `/respondents/p/responses?end=${timestamp}`, {}],
    ["attribute names though none are accepted", "/respondents/p/responses?attributes[]=plan", {}],
    ["a page size out of range", `${list}?items_per_page=101`, {}],
    ["a page size that is not a number", `${list}?items_per_page=many`, {}],
    ["the same parameter twice", `${list}?items_per_page=5&items_per_page=5`, {}],
    ["a timestamp without microseconds", `${list}?start=2026-01-01T00:00:00Z`, {}],
    ["bounds the wrong way round", `${list}?start=${timestamp}&end=2026-01-02T00:00:00.000000Z`, {}],
    ["bounds that are equal", `${list}?start=${timestamp}&end=${timestamp}`, {}],
    ["a start that is not an attribute's id", `/respondents/p/attributes?start=${timestamp}`, {}],
    ["a broken encoding", `${list}?filters=%zz`, {}],
    ["a cursor that the service never gave", `${list}?cursor=abc`, {}],
  ])("report %s", async (_name, path, more) => {
    await client.get(path, more);
    const { malformed, malformedRequests } = client.service.stats;
    expect(malformed).toBe(1);
    expect(malformedRequests).toEqual([{ url: `/v2${path}`, problem: expect.stringMatching(/\.$/) }]);
  });

  it("count a wrong key as unauthorized, not as malformed", async () => {
    const { status } = await client.get(list, { headers: { authorization: "Basic other-key" } });
    expect(status).toBe(401);
    expect(client.service.stats).toMatchObject({ malformed: 0, unauthorized: 1 });
  });

  it("report no request that the document shows", async () => {
    for (const path of [
      list,
      `${list}?start=${timestamp}&end=2025-01-01T00:00:00.000000Z&items_per_page=100&attributes[]=a&attributes[]=b&filters=c`,
      `${list}?start=2026-01-01T00%3A00%3A00.000000Z&attributes%5B%5D=a+b`,
      `/respondents/p/responses?start=${timestamp}&items_per_page=1`,
      "/respondents/p/attributes?start=17&items_per_page=1",
    ]) {
      expect((await client.get(path)).status, path).toBe(200);
    }
    expect(client.service.stats).toMatchObject({ requests: 5, malformed: 0 });
  });
});

describe("a listener", () => {
  it("gets every answer with its time, status and fault", async () => {
    const seen: AnsweredRequest[] = [];
    const clock = { now: () => 1_234, sleep: async () => {} };
    const client = await inProcess({
      surveys,
      clock,
      faults: [{ on: "any", nth: 2, reply: "status_503" }],
      onAnswer: (answered) => seen.push(answered),
    });
    await client.get(list);
    await client.get(list);
    const both = { url: `/v2${list}`, endpoint: "survey_responses", startedAtMs: 1_234 };
    expect(seen).toEqual([
      { ...both, status: 200, fault: undefined },
      { ...both, status: 503, fault: "status_503" },
    ]);
  });
});

describe("wrong options", () => {
  const generated = {
    seed: 1,
    count: 1,
    density: "even",
    from: timestamp,
    to: timestamp,
    respondents: 1,
  } as const;
  it.each([
    [
      { ...generated, respondents: 0 },
      'surveys["1"].responses.respondents is 0; 1 responses need at least 1.',
    ],
    [{ ...generated, count: -1 }, 'surveys["1"].responses.count is -1; give a whole number, 0 or more.'],
    [
      { ...generated, from: "today" },
      'surveys["1"].responses.from is "today"; write it like 2026-01-31T12:00:00.000000Z.',
    ],
    [
      { ...generated, to: "2020-01-01T00:00:00Z" },
      'surveys["1"].responses.from is later than surveys["1"].responses.to.',
    ],
    [
      [{ collected_at: "x" }],
      'surveys["1"]: collected_at of response 0 is "x"; write it like 2026-01-31T12:00:00.000000Z.',
    ],
  ])("are refused with a sentence", async (responses, sentence) => {
    await expect(inProcess({ surveys: [{ id: "1", responses }] })).rejects.toThrow(sentence);
  });

  it("are two surveys of one id, and collecting for none", async () => {
    await expect(inProcess({ surveys: [...surveys, ...surveys] })).rejects.toThrow(
      'Two surveys have the id "1".',
    );
    const { service } = await inProcess({ surveys });
    expect(() => service.collect("9", 1)).toThrow('There is no survey "9" to collect responses for.');
  });
});
