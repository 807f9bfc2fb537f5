import { describe, expect, it } from "vitest";
import { type Choices, DIALECTS } from "../../../sandbox/index.ts";
import { type ClientReply, pageOf, TRANSPORTS } from "../support/client.ts";
import { list, surveys } from "../support/six-responses.ts";

describe.each(TRANSPORTS)("a refusal %s follows the choices:", (_, connect) => {
  const under = (choices: Partial<Choices>) => connect({ surveys, choices });

  it("the statuses of refusals, while those that the document shows stay", async () => {
    const { statuses } = DIALECTS.stern;
    const client = await under({ statuses });
    const status = async (path: string, headers?: Record<string, string>) =>
      (await client.get(path, headers && { headers })).status;
    expect(await status(list, { authorization: "Basic wrong" })).toBe(403);
    expect(await status(`${list}?items_per_page=0`)).toBe(422);
    expect(await status("/respondents/nobody/attributes")).toBe(404);
    client.service.setSubscription(false);
    expect(await status(list)).toBe(403);
  });

  it("the body of an error", async () => {
    const body = async (errorBody: Choices["errorBody"]): Promise<ClientReply> =>
      (await under({ errorBody })).get("/surveys/9/responses");
    expect(JSON.parse((await body("object")).text)).toEqual({
      error: { status: 404, message: "There is no survey 9." },
    });
    expect(JSON.parse((await body("list")).text)).toEqual({ errors: [{ detail: "There is no survey 9." }] });
    expect((await body("text")).text).toBe("There is no survey 9.\n");
    expect((await body("html")).headers["content-type"]).toContain("text/html");
    expect((await body("empty")).text).toBe("");
  });

  it("an unknown survey that looks like an empty one", async () => {
    expect(
      pageOf(await (await under({ unknownSurvey: "empty_list" })).get("/surveys/9/responses")).data,
    ).toEqual([]);
  });
});
