import { beforeEach, describe, expect, it } from "vitest";
import { createService, DIALECTS, type ResponseInput, SURVEY_IDS } from "../../sandbox/index.ts";
import { type Client, connected } from "./support/client.ts";

const at = (second: number, micros = "000000"): string =>
  `2026-03-01T12:00:${String(second).padStart(2, "0")}.${micros}Z`;
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const [anna, ben] = [uuid(901), uuid(902)];

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
const LIST = `/surveys/${encodeURIComponent("s 1/ü")}/responses`;

let client: Client;
beforeEach(async () => {
  client = await connected(options);
});
const uuids = async (path: string) => (await client.page(path)).data.map(({ uuid: one }) => one);
const newestFirst = responses.map((response) => response.uuid).reverse();

describe("a survey's list", () => {
  it("runs from the newest to the oldest response", async () => {
    const { data, pagination_data } = await client.page(`${LIST}?items_per_page=100`);
    expect(data.map((response) => response.uuid)).toEqual(newestFirst);
    expect(pagination_data).toEqual({ has_more: false });
    expect(await client.page("/surveys/empty/responses")).toEqual({ pagination_data, data: [] });
  });

  it("has every documented field of a response", async () => {
    const [response] = (await client.page(`${LIST}?items_per_page=1`)).data;
    expect(response).toMatchObject({
      uuid: uuid(29),
      collected_at: "2026-03-01T12:00:29.000001Z",
      attributes: [],
      respondent: { uuid: ben, attributes: [] },
      answers: expect.any(Array),
      url: expect.any(String),
      device_type: expect.any(String),
      operating_system: expect.any(String),
      platform: expect.any(String),
    });
  });

  it("includes what was collected exactly at start and end, and nothing a microsecond beyond", async () => {
    expect(await uuids(`${LIST}?start=${at(9, "000001")}&end=${at(7, "000001")}`)).toEqual(
      [9, 8, 7].map(uuid),
    );
    expect(await uuids(`${LIST}?start=${at(9)}&end=${at(7, "000002")}`)).toEqual([uuid(8)]);
    expect(await uuids(`${LIST}?end=${at(28)}`)).toEqual([29, 28].map(uuid));
    expect(await uuids(`${LIST}?start=${at(1, "000001")}`)).toEqual([1, 0].map(uuid));
  });

  it("links to the next page below the base URL, with a new start and everything else kept", async () => {
    const rest = (names: readonly string[]) =>
      `end=${at(3)}&items_per_page=5&attributes[${names[0]}]=plan&attributes[${names[1]}]=order%20%26%20id&filters=x%3D1`;
    for (const names of [
      ["", ""],
      ["0", "1"],
    ]) {
      const first = await client.page(`${LIST}?start=${at(25)}&${rest(names)}`);
      expect(first.data[0].attributes).toHaveLength(2);
      expect(first.pagination_data).toEqual({
        has_more: true,
        next_url: `/surveys/s%201%2F%C3%BC/responses?start=${at(19, "000001")}&${rest(["0", "1"])}`,
      });
    }
    const pages = await client.walk(`${LIST}?items_per_page=7`);
    expect(pages.map(({ data }) => data.length)).toEqual([7, 7, 7, 7, 2]);
    expect(pages.flatMap(({ data }) => data.map((response) => response.uuid))).toEqual(newestFirst);
    const full = await client.page(`${LIST}?start=${at(4, "000001")}&items_per_page=5`);
    expect(full.data).toHaveLength(5);
    expect(full.pagination_data).toEqual({ has_more: false });
  });

  it("has attributes only if they are asked for, by their exact names", async () => {
    const asked = `${LIST}?items_per_page=2&start=${at(28)}&attributes[]=plan&attributes[]=city&attributes[]=none`;
    const { data } = await client.page(asked);
    const [plan, city] = [
      { name: "plan", value: "Pro" },
      { name: "city", value: "Łódź" },
    ];
    expect(data.map(({ attributes, respondent }) => [attributes, respondent.attributes])).toEqual([
      [[{ name: "plan", value: "response's 27" }], [city, plan]],
      [[{ name: "plan", value: "response's 26" }], []],
    ]);
  });
});

describe("the list of surveys", () => {
  const created = (day: number) => `2026-01-0${day}T10:00:00.123456Z`;
  const launch = { start_at: "2026-01-05T09:00:00+01:00", end_at: null, responses_limit: 7 };
  const surveys = [
    { id: "old", created_at: created(1), responses: [{ collected_at: at(1) }, { collected_at: at(2) }] },
    {
      id: "new",
      created_at: created(3),
      type: "IntercomSurvey",
      name: "New",
      enabled: false,
      launch,
      responses: [],
    },
    { id: "mid", created_at: created(2), responses: [] },
    { id: "gone", created_at: created(2), listed: false, responses: [] },
  ];
  const none = { start_at: null, end_at: null, responses_limit: null };
  const old = { id: "old", type: "PageSurvey", name: "Survey old", created_at: created(1) };
  const records = [
    { ...surveys[1], responses: 0 },
    {
      ...old,
      id: "mid",
      name: "Survey mid",
      created_at: created(2),
      enabled: true,
      responses: 0,
      launch: none,
    },
    { ...old, enabled: true, responses: 2, launch: none },
  ];

  it("has all but archived ones with exactly their fields, newest first, in pages between two bounds", async () => {
    const { page, walk, get, sandbox } = await connected({ surveys });
    expect(await page("/surveys")).toEqual({ pagination_data: { has_more: false }, data: records });
    expect(sandbox.service.truth.surveys()).toEqual(records);
    const pages = await walk(`/surveys?items_per_page=2&end=${created(1)}`);
    expect(pages[0]!.pagination_data.next_url).toBe(
      `/surveys?start=${created(1).replace("6Z", "7Z")}&end=${created(1)}&items_per_page=2`,
    );
    expect(pages.map(({ data }) => data)).toEqual([records.slice(0, 2), records.slice(2)]);
    const bounded = await page(`/surveys?start=${created(2)}&end=${created(1)}`);
    expect(bounded.data).toEqual(records.slice(1));
    expect((await get("/surveys/gone/responses")).status).toBe(200);
    expect(sandbox.service.stats.malformed).toBe(0);
  });

  it("shows what is added, renamed, disabled, archived and removed", async () => {
    const { sandbox, page, walk } = await connected({ surveys, cachePages: true });
    const { service } = sandbox;
    const ids = async () => (await page("/surveys")).data.map(({ id }) => id);
    service.addSurvey({ id: "added", responses: [] });
    expect(await ids()).toEqual(["added", "new", "mid", "old"]);
    service.changeSurvey("old", { name: "Renamed", enabled: false });
    expect((await page("/surveys")).data.at(-1)).toMatchObject({
      name: "Renamed",
      enabled: false,
      responses: 2,
    });
    const [uuid] = service.truth.respondents("old");
    const [item] = (await page(`/respondents/${uuid}/responses`)).data;
    expect(item.survey).toEqual({ id: "old", type: "PageSurvey", name: "Renamed" });
    service.changeSurvey("new", { listed: false });
    service.remove({ surveys: ["mid"] });
    expect(await ids()).toEqual(["added", "old"]);
    expect(await walk("/surveys/new/responses")).toHaveLength(1);
    expect(() => service.addSurvey({ id: "old", responses: [] })).toThrow('Two surveys have the id "old".');
    expect(() => service.changeSurvey("mid", {})).toThrow('There is no survey "mid" to change.');
  });

  it("has a survey alone with what only it shows", async () => {
    const { page, get } = await connected({ surveys });
    const more = { author: { name: expect.any(String), email: expect.any(String) }, folder: null };
    expect(await page("/surveys/old")).toEqual({
      ...records[2],
      ...more,
      first_response_at: at(1),
      last_response_at: at(2),
    });
    expect(await page("/surveys/new")).toEqual({
      ...records[0],
      ...more,
      first_response_at: null,
      last_response_at: null,
    });
    expect((await get("/surveys/none")).status).toBe(404);
  });
});

it("a survey's questions are listed in pages that begin at a question", async () => {
  const questions = createService().truth.questions(SURVEY_IDS[0]).slice(0, 5);
  const { walk, get } = await connected({ surveys: [{ id: "1", questions, responses: [] }] });
  const pages = await walk("/surveys/1/questions?items_per_page=2");
  expect(pages.map(({ data }) => data)).toEqual([0, 2, 4].map((place) => questions.slice(place, place + 2)));
  expect(pages[0]!.pagination_data.next_url).toBe(
    `/surveys/1/questions?start=${questions[2]!.id}&items_per_page=2`,
  );
  expect((await get("/surveys/1/questions?start=7")).status).toBe(400);
  expect((await get("/surveys/2/questions")).status).toBe(404);
});

it("a single response has all its own attributes, and a respondent's by their names", async () => {
  const path = `${LIST}/${uuid(27)}`;
  const [item] = (await client.page(`${LIST}?start=${at(28)}&items_per_page=1`)).data;
  const attributes = responses[27]!.attributes;
  expect(await client.page(path)).toEqual({ ...item, attributes });
  expect(await client.page(`${path}?attributes[]=plan`)).toEqual({
    ...item,
    attributes,
    respondent: { uuid: anna, attributes: [{ name: "plan", value: "Pro" }] },
  });
  expect((await client.get(`${LIST}/${uuid(500)}`)).status).toBe(404);
});

it.each(DIALECTS)(
  "the dialect %s has the endpoints that the document does not show, or none of them",
  async (dialect) => {
    const { get, sandbox } = await connected({ ...options, dialect });
    const paths = [
      "/surveys",
      "/surveys/other",
      "/surveys/other/questions",
      `/surveys/other/responses/${uuid(500)}`,
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status));
    expect(new Set(statuses)).toEqual(new Set([dialect === "without_lists" ? 404 : 200]));
    expect((await get("/surveys/other/responses")).status).toBe(200);
    expect(sandbox.service.stats).toMatchObject({
      malformed: 0,
      byEndpoint: { survey_list: 1, survey: 1, survey_questions: 1, survey_response: 1 },
    });
  },
);

describe("a respondent's lists", () => {
  it("have their responses to all surveys, newest first, without attributes, in pages", async () => {
    const pages = await client.walk(`/respondents/${anna}/responses?items_per_page=4`);
    const items = pages.flatMap(({ data }) => data);
    const theirs = [27, 24, 21, 18, 15, 12, 500, 9, 6, 3, 0].map(uuid);
    expect(items.map(({ response }) => response.uuid)).toEqual(theirs);
    expect(
      items.every(
        ({ response: { attributes, respondent } }) => attributes.length + respondent.attributes.length === 0,
      ),
    ).toBe(true);
    expect(new Set(items.map(({ survey }) => survey.id))).toEqual(new Set(["s 1/ü", "other"]));
  });

  it("have their attributes, largest id first, in pages", async () => {
    const pages = await client.walk(`/respondents/${anna}/attributes?items_per_page=2`);
    expect(pages.map(({ data }) => data)).toEqual([
      [
        { id: 90, name: "city", value: "Łódź" },
        { id: 12, name: "plan ", value: "" },
      ],
      [{ id: 5, name: "plan", value: "Pro" }],
    ]);
    expect((await client.page(`/respondents/${ben}/attributes`)).data).toEqual([]);
  });
});

describe("a request that breaks the rules is refused, and counted as malformed", () => {
  it.each([
    ...["0", "101", "1.5", ""].map((size) => `${LIST}?items_per_page=${size}`),
    `${LIST}?start=${at(9)}&end=${at(9)}`,
    `${LIST}?start=${at(8)}&end=${at(9)}`,
    `${LIST}?start=2026-03-01T12:00:00Z`,
    `${LIST}?start=2026-02-30T12:00:00.000000Z`,
    `${LIST}?start=${at(1)}&start=${at(2)}`,
    `/respondents/${anna}/attributes?start=${at(1)}`,
    ...["/surveys?start=2026", "/surveys?items_per_page=101", "/surveys/other/questions?start=x"],
  ])("%s", async (path) => {
    expect((await client.get(path)).status).toBe(400);
    expect(client.sandbox.service.stats).toMatchObject({
      malformed: 1,
      malformedRequests: [{ url: `/v2${path}` }],
    });
  });

  it.each([
    ["another path", "/surveys/1/answers", {}, 404],
    ["another method", LIST, { method: "POST" }, 405],
    ["another scheme", LIST, { headers: { authorization: "Bearer x" } }, 401],
  ])("%s", async (_, path, init, status) => {
    expect((await client.get(path, init)).status).toBe(status);
    expect(client.sandbox.service.stats.malformed).toBe(1);
  });

  it("a parameter that is not documented is ignored, and counted as malformed", async () => {
    const { data } = await client.page(`/respondents/${anna}/responses?items_per_page=1&end=${at(28)}`);
    expect(data.map(({ response }) => response.uuid)).toEqual([uuid(27)]);
    expect(client.sandbox.service.stats.malformed).toBe(1);
  });
});

it("an unknown survey or respondent gets 404, and a wrong key 401", async () => {
  const wrong = { headers: { authorization: "Basic wrong" } };
  const statusOf = async (path: string, init = {}) => (await client.get(path, init)).status;
  expect(await statusOf("/surveys/9/responses")).toBe(404);
  expect(await statusOf("/respondents/nobody/responses")).toBe(404);
  expect(await statusOf("/respondents/nobody/attributes")).toBe(404);
  expect(await statusOf(LIST, wrong)).toBe(401);
  const { stats } = client.sandbox.service;
  expect(stats).toMatchObject({ requests: 4, malformed: 0, items: 0, byStatus: { 401: 1, 404: 3 } });
  expect(stats.byEndpoint).toMatchObject({
    survey_list: 0,
    survey_responses: 2,
    respondent_responses: 1,
    respondent_attributes: 1,
  });
  expect(stats.byPath["/v2/surveys/9/responses"]).toBe(1);
});

it("answers have the service's date, and are compressed for clients that accept it", async () => {
  const plain = await client.get(LIST, { headers: { "accept-encoding": "identity" } });
  const zipped = await client.get(LIST, { headers: { "accept-encoding": "gzip" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect(zipped.text).toBe(plain.text);
  expect(Math.abs(Date.parse(plain.headers.get("date")!) - Date.now())).toBeLessThan(60_000);
});
