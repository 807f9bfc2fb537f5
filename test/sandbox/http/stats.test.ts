import { beforeEach, describe, expect, it } from "vitest";
import { type TestClient, TRANSPORTS } from "../support/client.ts";

const surveys = [
  { id: "1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: "p" }] },
];
const list = "/surveys/1/responses";

describe.each(TRANSPORTS)("the stats %s", (_, connect) => {
  let client: TestClient;
  beforeEach(async () => {
    client = await connect({ surveys });
  });

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

  it("count a wrong key as unauthorized, not as malformed", async () => {
    const { status } = await client.get(list, { headers: { authorization: "Basic other-key" } });
    expect(status).toBe(401);
    expect(client.service.stats).toMatchObject({ malformed: 0, unauthorized: 1 });
  });
});
