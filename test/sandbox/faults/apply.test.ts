import { describe, expect, it } from "vitest";
import {
  type Clock,
  ConnectionFaultError,
  createService,
  type Fault,
  type FaultReply,
  type SandboxOptions,
} from "../../../sandbox/index.ts";
import { fetchWhole, inProcess, pageOf, responseOf, started, TRANSPORTS, walk } from "../support/client.ts";
import { anna, list, respondents, responses, surveys } from "../support/six-responses.ts";

describe.each(TRANSPORTS)("an answer changed by a fault %s", (_, connect) => {
  const connectWith = (options: SandboxOptions = {}) => connect({ surveys, respondents, ...options });

  it("a key is quoted as it was sent, whatever characters it has", async () => {
    const apiKey = "a$&b$1c";
    const service = await connectWith({ apiKey, faults: [{ on: "any", reply: "status_200_quotes_key" }] });
    expect((await service.get(list)).text).toContain(`Basic ${apiKey}"`);
  });

  it("links that hold the key lead to every page and end at the last", async () => {
    const service = await connectWith({ faults: [{ on: "survey_responses", reply: "link_with_key" }] });
    const { items, pages, ended } = await walk(service, `${list}?items_per_page=2`);
    expect(ended).toBe("last_page");
    expect(items.map((item) => responseOf(item).uuid)).toEqual(["r5", "r4", "r3", "r2", "r1", "r0"]);
    const links = pages.map(({ pagination_data }) => pagination_data.next_url);
    expect(links.map((link) => link?.includes(service.service.apiKey))).toEqual([true, true, undefined]);
  });

  it("an item's time is moved an hour ahead of the clock, the Date header an hour to either side", async () => {
    const clock: Clock = { now: () => Date.UTC(2026, 5, 1, 12), sleep: async () => {} };
    const replies = ["item_an_hour_ahead", "date_hour_ahead", "date_hour_behind"] as const;
    const service = await connectWith({
      clock,
      faults: replies.map((reply, place) => ({ on: "any", nth: place + 1, reply })),
    });
    const [first] = pageOf(await service.get(list)).data;
    expect(responseOf(first).collected_at).toBe("2026-06-01T13:00:00.000000Z");
    expect((await service.get(list)).headers.date).toBe("Mon, 01 Jun 2026 13:00:00 GMT");
    expect((await service.get(list)).headers.date).toBe("Mon, 01 Jun 2026 11:00:00 GMT");
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

describe("thousands of unreadable items in a row", () => {
  it("lie where the truth says, and the list goes on below them", async () => {
    const client = await inProcess({
      limits: false,
      surveys: [
        {
          id: "1",
          content: "little",
          responses: {
            seed: 1,
            count: 4_000,
            density: "even",
            from: "2025-01-01T00:00:00.000000Z",
            to: "2026-01-01T00:00:00.000000Z",
            respondents: 100,
            ties: { every: 1_000, size: 1 },
          },
        },
      ],
    });
    const truth = [...client.service.truth.responses("1")];
    const which = { from: truth[1_000]!.collected_at, to: truth[3_499]!.collected_at };
    client.service.addFaults({ on: "survey_responses", reply: { kind: "items", which, drop: ["uuid"] } });
    const { items } = await walk(client, `${list}?items_per_page=100`);
    const readable = items.map((item) => responseOf(item).uuid !== undefined);
    expect(readable.slice(0, 500)).not.toContain(false);
    expect(readable.slice(500, 3_000)).not.toContain(true);
    expect(readable.slice(3_000)).not.toContain(false);
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

describe("a page of 20 million empty objects", () => {
  it("is less than 300 KB on its way and 60 MB once it is inflated", async () => {
    const faults: Fault[] = [{ on: "any", reply: "body_tiny_objects" }];
    const sandbox = await started({ surveys, faults });
    const progress = { bytes: 0 };
    const headers = { "accept-encoding": "gzip" };
    const { text } = await fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey, {
      headers,
      progress,
      timeoutMs: 60_000,
    });
    expect(progress.bytes).toBeLessThan(300_000);
    expect(text.length).toBeGreaterThan(60_000_000);
  });
});
