import { describe, expect, it } from "vitest";
import {
  ConnectionFaultError,
  createService,
  type FaultReply,
  type SandboxOptions,
} from "../../../sandbox/index.ts";
import { pageOf, responseOf, TRANSPORTS, walk } from "../support/client.ts";
import { anna, list, respondents, responses, surveys } from "../support/six-responses.ts";

describe.each(TRANSPORTS)("an answer changed by a fault %s", (_, connect) => {
  const connectWith = (options: SandboxOptions = {}) => connect({ surveys, respondents, ...options });

  it("a key is quoted as it was sent, whatever characters it has", async () => {
    const apiKey = "a$&b$1c";
    const service = await connectWith({ apiKey, faults: [{ on: "any", reply: "status_200_quotes_key" }] });
    expect((await service.get(list)).text).toContain(`Basic ${apiKey}"`);
  });

  it("the items of an interval are unreadable, whatever page they are on", async () => {
    const reply: FaultReply = {
      kind: "items",
      which: { from: responses[1]!.collected_at, to: responses[4]!.collected_at },
      drop: ["uuid"],
    };
    const service = await connectWith({ faults: [{ on: "survey_responses", reply }] });
    for (const size of [1, 2, 6]) {
      const { items } = await walk(service, `${list}?items_per_page=${size}`);
      const uuids = items.map((item) => responseOf(item).uuid);
      expect(uuids).toEqual(["r5", undefined, undefined, undefined, undefined, "r0"]);
    }
  });

  it("change lists of attributes too, and leave refusals alone", async () => {
    const service = await connectWith({
      faults: [
        {
          on: "respondent_attributes",
          reply: { kind: "items", which: "last", drop: ["id"], set: { name: 3 } },
        },
        { on: "survey_responses", reply: "no_data" },
      ],
    });
    expect(pageOf(await service.get(`/respondents/${anna}/attributes`)).data).toEqual([
      { id: 2, name: "c", value: "d" },
      { name: 3, value: "b" },
    ]);
    expect((await service.get("/surveys/9/responses")).status).toBe(404);
  });
});

describe("faults of the connection in process", () => {
  it("reject in process; if only a time limit ends them, after that time", async () => {
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
    const service = createService({
      surveys,
      clock,
      faults: [{ on: "any", reply: { kind: "silence", heldMs: 77 } }],
    });
    const request = { url: `/v2${list}`, headers: { authorization: `Basic ${service.apiKey}` } };
    await expect(service.handle(request)).rejects.toThrow(ConnectionFaultError);
    expect(slept).toEqual([77]);
    await expect(service.handle(request)).rejects.toThrow("The connection failed: silence.");
  });
});
