import { beforeEach, describe, expect, it } from "vitest";
import type { AnsweredRequest, ResponseInput } from "../../sandbox/index.ts";
import { inProcess, pageOf, type TestClient, TRANSPORTS } from "./support/client.ts";

const at = (second: number, micros = "000000"): string =>
  `2026-03-01T12:00:${String(second).padStart(2, "0")}.${micros}Z`;
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const anna = uuid(901);
const ben = uuid(902);

const responses: ResponseInput[] = Array.from({ length: 30 }, (_, number) => ({
  uuid: uuid(number),
  collected_at: at(number, "000001"),
  respondent_uuid: number % 3 === 0 ? anna : ben,
  attributes: [
    { name: "plan", value: `response's ${number}` },
    { name: "order & id", value: "7" },
  ],
}));

const options = {
  surveys: [
    { id: "s 1/ü", type: "WidgetSurvey" as const, name: "Ärger?", responses },
    { id: "other", responses: [{ uuid: uuid(500), collected_at: at(10, "500000"), respondent_uuid: anna }] },
    { id: "empty", responses: [] },
  ],
  respondents: [
    {
      uuid: anna,
      attributes: [
        { name: "plan", value: "Pro", id: 5 },
        { name: "city", value: "Łódź", id: 90 },
        { name: "plan ", value: "", id: 12 },
      ],
    },
  ],
};
const list = `/surveys/${encodeURIComponent("s 1/ü")}/responses`;

describe.each(TRANSPORTS)("the API %s", (_, connect) => {
  let client: TestClient;
  beforeEach(async () => {
    client = await connect(options);
  });

  const page = async (path: string) => pageOf(await client.get(path));
  const uuids = async (path: string) => (await page(path)).data.map((item) => item.response.uuid);

  it("lists a survey's responses from the latest to the oldest, each wrapped with its survey", async () => {
    const { data, pagination_data } = await page(`${list}?items_per_page=100`);
    expect(data.map((item) => item.response.uuid)).toEqual(responses.map((one) => one.uuid).reverse());
    expect(new Set(data.map((item) => JSON.stringify(item.survey)))).toEqual(
      new Set(['{"id":"s 1/ü","type":"WidgetSurvey","name":"Ärger?"}']),
    );
    expect(pagination_data).toEqual({ has_more: false });
  });

  it("sends every field of a response, with microseconds", async () => {
    const { response } = (await page(`${list}?items_per_page=1`)).data[0];
    expect(response).toMatchObject({
      uuid: uuid(29),
      collected_at: "2026-03-01T12:00:29.000001Z",
      respondent: { uuid: ben, attributes: [] },
      attributes: [],
    });
    for (const field of ["url", "device_type", "operating_system", "platform"]) {
      expect(response[field], field).toBeTypeOf("string");
    }
    expect(Array.isArray(response.answers)).toBe(true);
  });

  it("includes what was collected exactly at either bound, and nothing a microsecond beyond", async () => {
    expect(await uuids(`${list}?start=${at(9, "000001")}&end=${at(7, "000001")}`)).toEqual(
      [9, 8, 7].map(uuid),
    );
    expect(await uuids(`${list}?start=${at(9, "000000")}&end=${at(7, "000002")}`)).toEqual([8].map(uuid));
    expect(await uuids(`${list}?end=${at(28)}`)).toEqual([29, 28].map(uuid));
    expect(await uuids(`${list}?start=${at(1, "000001")}`)).toEqual([1, 0].map(uuid));
  });

  it("refuses a start that is not later than the end", async () => {
    const same = await client.get(`${list}?start=${at(9)}&end=${at(9)}`);
    const earlier = await client.get(`${list}?start=${at(8)}&end=${at(9)}`);
    expect([same.status, earlier.status]).toEqual([400, 400]);
    expect(JSON.parse(same.text)).toEqual({
      error: { status: 400, message: "start must be later than end." },
    });
  });

  it("gives 1 to 100 items a page, 20 unless asked, and refuses other sizes", async () => {
    expect((await page(`${list}?items_per_page=1`)).data).toHaveLength(1);
    expect((await page(`${list}?items_per_page=100`)).data).toHaveLength(30);
    expect((await page(list)).data).toHaveLength(20);
    for (const size of ["0", "101", "-1", "1.5", "ten", "", "1e1", "%20"]) {
      expect((await client.get(`${list}?items_per_page=${size}`)).status, size).toBe(400);
    }
  });

  it("links to the next page below the base URL, with a new start and everything else kept", async () => {
    const query = `start=${at(25)}&end=${at(3)}&items_per_page=5&attributes[]=plan&attributes[]=order+%26+id&filters=x%3D1`;
    const first = await page(`${list}?${query}`);
    expect(first.pagination_data).toEqual({
      has_more: true,
      next_url:
        `/surveys/s%201%2F%C3%BC/responses?start=${at(19, "000001")}&end=${at(3)}&items_per_page=5` +
        "&attributes[]=plan&attributes[]=order%20%26%20id&filters=x%3D1",
    });
    expect(await uuids(first.pagination_data.next_url!)).toEqual([19, 18, 17, 16, 15].map(uuid));
  });

  it("says at the last page that there is no more, even when the page is full", async () => {
    const full = await page(`${list}?start=${at(4, "000001")}&items_per_page=5`);
    expect(full.data).toHaveLength(5);
    expect(full.pagination_data).toEqual({ has_more: false });
  });

  it("sends attributes only when asked, each where it was recorded", async () => {
    const asked = await page(
      `${list}?items_per_page=2&start=${at(28)}&attributes[]=plan&attributes[]=city&attributes[]=none`,
    );
    expect(asked.data.map(({ response }) => [response.attributes, response.respondent.attributes])).toEqual([
      [
        [{ name: "plan", value: "response's 27" }],
        [
          { name: "plan", value: "Pro" },
          { name: "city", value: "Łódź" },
        ],
      ],
      [[{ name: "plan", value: "response's 26" }], []],
    ]);
    const encoded = await page(`${list}?items_per_page=1&attributes%5B%5D=order%20%26%20id`);
    expect(encoded.data[0].response.attributes).toEqual([{ name: "order & id", value: "7" }]);
  });

  it("lists one person's responses to all surveys, newest first, without any attribute", async () => {
    const { data } = await page(`/respondents/${anna}/responses?items_per_page=100`);
    expect(data.map(({ survey, response }) => [survey.id, response.uuid])).toEqual(
      [27, 24, 21, 18, 15, 12, 500, 9, 6, 3, 0].map((number) => [
        number === 500 ? "other" : "s 1/ü",
        uuid(number),
      ]),
    );
    for (const { response } of data) {
      expect([response.attributes, response.respondent]).toEqual([[], { uuid: anna, attributes: [] }]);
    }
    const from = await page(`/respondents/${anna}/responses?items_per_page=2&start=${at(12, "000001")}`);
    expect(from.data.map(({ response }) => response.uuid)).toEqual([12, 500].map(uuid));
    expect(from.pagination_data.next_url).toBe(
      `/respondents/${anna}/responses?start=${at(9, "000001")}&items_per_page=2`,
    );
  });

  it("lists one person's attributes, the latest id first, going on from an id", async () => {
    const first = await page(`/respondents/${anna}/attributes?items_per_page=2`);
    expect(first).toEqual({
      pagination_data: {
        has_more: true,
        next_url: `/respondents/${anna}/attributes?start=5&items_per_page=2`,
      },
      data: [
        { id: 90, name: "city", value: "Łódź" },
        { id: 12, name: "plan ", value: "" },
      ],
    });
    expect(await page(first.pagination_data.next_url!)).toEqual({
      pagination_data: { has_more: false },
      data: [{ id: 5, name: "plan", value: "Pro" }],
    });
    expect(await page(`/respondents/${ben}/attributes`)).toEqual({
      pagination_data: { has_more: false },
      data: [],
    });
  });

  it("knows an empty survey from one that is not there, and does not know strangers", async () => {
    expect(await page("/surveys/empty/responses")).toEqual({
      pagination_data: { has_more: false },
      data: [],
    });
    for (const path of [
      "/surveys/none/responses",
      `/respondents/${uuid(999)}/attributes`,
      `/respondents/${uuid(999)}/responses`,
      "/respondents/not-a-uuid/attributes",
      "/surveys",
      "/surveys//responses",
      "/surveys/%E0%A4%A/responses",
      `${list}/`,
    ]) {
      expect((await client.get(path)).status, path).toBe(404);
    }
  });

  it("answers GET alone, and only with the literal key", async () => {
    expect((await client.get(list, { method: "POST" })).status).toBe(405);
    const key = client.service.apiKey;
    const twisted = [
      `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      `Bearer ${key}`,
      key,
      "Basic",
      `Basic ${key}x`,
    ];
    for (const authorization of twisted) {
      expect((await client.get(list, { headers: { authorization } })).status, authorization).toBe(401);
    }
  });

  it("refuses timestamps that are not written with six fraction digits and Z, and ids that are not ids", async () => {
    for (const start of [
      "2026-03-01",
      "2026-03-01T12:00:00Z",
      "2026-03-01T12:00:00.000Z",
      "2026-03-01T12:00:00.000000",
      "2026-03-01T12:00:00.000000%2B00:00",
      "2026-02-30T12:00:00.000000Z",
      "2026-03-01T24:00:01.000000Z",
      "",
    ]) {
      expect((await client.get(`${list}?start=${start}`)).status, start).toBe(400);
      expect((await client.get(`${list}?end=${start}`)).status, start).toBe(400);
      expect((await client.get(`/respondents/${anna}/responses?start=${start}`)).status, start).toBe(400);
      expect((await client.get(`/respondents/${anna}/attributes?start=${start}`)).status, start).toBe(400);
    }
  });
});

const one = [
  { id: "1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: "p" }] },
] as const;

describe.each(TRANSPORTS)("names %s", (_, connect) => {
  it("serves under another base path and with another key", async () => {
    const client = await connect({ ...options, basePath: "/export/api/v2", apiKey: "k-2" });
    const page = pageOf(await client.get(`${list}?items_per_page=20`));
    expect(page.data).toHaveLength(20);
    expect(page.pagination_data.next_url).toMatch(/^\/surveys\/s%201%2F%C3%BC\/responses\?/);
    expect((await client.get(list, { headers: { authorization: "Basic sandbox-key-4f1c" } })).status).toBe(
      401,
    );
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])("a survey is called %s", async (id) => {
    const service = await connect({ surveys: [{ id, responses: one[0].responses }] });
    const path = `/surveys/${id}/responses`;
    expect(pageOf(await service.get(path)).data[0].survey.id).toBe(id);
    expect(pageOf(await service.get("/respondents/p/responses")).data).toHaveLength(1);
    expect(service.service.collect(id, 1)).toHaveLength(1);
    const { stats, truth } = service.service;
    expect([truth.surveyIds(), truth.count(id)]).toEqual([[id], 2]);
    expect(Object.entries(stats.byPath)).toContainEqual([`/v2${path}`, 1]);
    expect((await service.get("/surveys/valueOf/responses")).status).toBe(404);
  });
});

describe("a listener", () => {
  it("gets every answer with its time, status and fault", async () => {
    const seen: AnsweredRequest[] = [];
    const clock = { now: () => 1_234, sleep: async () => {} };
    const client = await inProcess({
      surveys: one,
      clock,
      faults: [{ on: "any", nth: 2, reply: "status_503" }],
      onAnswer: (answered) => seen.push(answered),
    });
    await client.get("/surveys/1/responses");
    await client.get("/surveys/1/responses");
    const both = { url: `/v2/surveys/1/responses`, endpoint: "survey_responses", startedAtMs: 1_234 };
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
    from: one[0].responses[0].collected_at,
    to: one[0].responses[0].collected_at,
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
    await expect(inProcess({ surveys: [...one, ...one] })).rejects.toThrow('Two surveys have the id "1".');
    const { service } = await inProcess({ surveys: one });
    expect(() => service.collect("9", 1)).toThrow('There is no survey "9" to collect responses for.');
  });
});
