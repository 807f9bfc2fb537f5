import { beforeEach, describe, expect, it } from "vitest";
import { type TestClient, TRANSPORTS } from "../support/client.ts";

const surveys = [
  { id: "1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: "p" }] },
];
const list = "/surveys/1/responses";
const timestamp = "2026-01-01T00:00:00.000000Z";

describe.each(TRANSPORTS)("the service %s", (_, connect) => {
  let client: TestClient;
  beforeEach(async () => {
    client = await connect({ surveys });
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
  ])("reports %s", async (_name, path, more) => {
    await client.get(path, more);
    const { malformed, malformedRequests } = client.service.stats;
    expect(malformed).toBe(1);
    expect(malformedRequests).toEqual([{ url: `/v2${path}`, problem: expect.stringMatching(/\.$/) }]);
  });

  it("reports no request that the document shows", async () => {
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
