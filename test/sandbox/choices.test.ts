import { describe, expect, it } from "vitest";
import { type Choices, DIALECTS, type DialectName, type SandboxOptions } from "../../sandbox/index.ts";
import { pageOf, TRANSPORTS } from "./support/client.ts";

const responses = Array.from({ length: 5 }, (_, number) => ({
  uuid: `r${number}`,
  collected_at: `2026-01-0${number + 1}T00:00:00.120456Z`,
  respondent_uuid: "somebody",
}));
const surveys = [{ id: "1", content: "little" as const, responses }];
const list = "/surveys/1/responses";

describe.each(TRANSPORTS)("what the document leaves open is a choice %s:", (_, connect) => {
  const under = (choices: Partial<Choices>, more: SandboxOptions = {}) =>
    connect({ surveys, choices, ...more });
  const first = async (choices: Partial<Choices>, query = "items_per_page=2") =>
    pageOf(await (await under(choices)).get(`${list}?${query}`));

  it("the default page size", async () => {
    expect((await first({ defaultPageSize: 3 }, "")).data).toHaveLength(3);
    expect((await first({ defaultPageSize: 100 }, "")).data).toHaveLength(5);
  });

  it("whether an item is wrapped, bare, or the two in turn", async () => {
    const shapes = async (itemShape: Choices["itemShape"]) =>
      (await first({ itemShape }, "")).data.map((item) => ("response" in item ? "wrapped" : "bare"));
    expect(new Set(await shapes("wrapped"))).toEqual(new Set(["wrapped"]));
    expect(new Set(await shapes("bare"))).toEqual(new Set(["bare"]));
    expect(await shapes("mixed")).toEqual(["wrapped", "bare", "wrapped", "bare", "wrapped"]);
  });

  it("where the next page starts, and how that is written", async () => {
    const link = async (choices: Partial<Choices>) => (await first(choices)).pagination_data.next_url;
    expect(await link({ continuation: "next_item" })).toBe(
      `${list}?start=2026-01-03T00:00:00.120456Z&items_per_page=2`,
    );
    expect(await link({ continuation: "last_item", linkSlash: "none" })).toBe(
      `${list.slice(1)}?start=2026-01-04T00:00:00.120456Z&items_per_page=2`,
    );
    expect(await link({ continuation: "cursor", linkEncoding: "percent" })).toMatch(
      /\?start=2026-01-03T00%3A00%3A00\.120456Z&items_per_page=2&cursor=[\w-]+$/,
    );
  });

  it("the link of a last page", async () => {
    const last = async (linkOnLastPage: Choices["linkOnLastPage"]) =>
      (await first({ linkOnLastPage }, "items_per_page=5")).pagination_data;
    expect(await last("absent")).toEqual({ has_more: false });
    expect(await last("null")).toEqual({ has_more: false, next_url: null });
    expect(await last("present")).toEqual({
      has_more: false,
      next_url: `${list}?start=2026-01-01T00:00:00.120456Z&items_per_page=5`,
    });
  });

  it("whether a list closes with an empty page that links to itself", async () => {
    const client = await under({ listEnd: "empty_page" });
    const last = pageOf(await client.get(`${list}?items_per_page=5`));
    expect(last.data).toHaveLength(5);
    const link = last.pagination_data.next_url!;
    const closing = pageOf(await client.get(link));
    expect(closing).toEqual({ pagination_data: { has_more: true, next_url: link }, data: [] });
    expect(client.service.stats.malformed).toBe(0);
  });

  it("the precision of timestamps", async () => {
    const times = async (fraction: Choices["fraction"]) =>
      (await first({ fraction }, "items_per_page=1")).data[0].response.collected_at;
    expect(await times("micros")).toBe("2026-01-05T00:00:00.120456Z");
    expect(await times("millis")).toBe("2026-01-05T00:00:00.120Z");
    expect(await times("seconds")).toBe("2026-01-05T00:00:00Z");
    const coarse = await first({ fraction: "millis" }, "end=2026-01-05T00:00:00.120000Z");
    expect(coarse.data).toHaveLength(1);
    const coarser = await first({ fraction: "millis" }, "end=2026-01-05T00:00:00.120001Z");
    expect(coarser.data).toHaveLength(0);
  });

  it("how strictly timestamps are read, and whether start may equal end", async () => {
    const lenient = await under({ requestTimestamps: "lenient", startEqualToEnd: "answered" });
    expect((await lenient.get(`${list}?start=2026-01-03T00:00:00Z`)).status).toBe(200);
    const same = "2026-01-03T00:00:00.120456Z";
    expect(pageOf(await lenient.get(`${list}?start=${same}&end=${same}`)).data).toHaveLength(1);
    expect((await lenient.get(`${list}?start=2026-01-03&end=${same}`)).status).toBe(400);
  });

  it("never a link that would be refused: with equal bounds refused, it starts a microsecond above the end", async () => {
    const end = "2026-01-03T00:00:00.120456Z";
    const client = await under({ startEqualToEnd: "refused" });
    const page = pageOf(await client.get(`${list}?end=${end}&items_per_page=2`));
    expect(page.pagination_data.next_url).toContain("start=2026-01-03T00:00:00.120457Z");
    expect(pageOf(await client.get(page.pagination_data.next_url!)).data).toHaveLength(1);
  });

  it("whether filters and unknown parameters are passed over or refused", async () => {
    const kind = await under({});
    expect((await kind.get(`${list}?filters=a&colour=red`)).status).toBe(200);
    const stern = await under({ filters: "refused", unknownParameters: "refused" });
    expect((await stern.get(`${list}?filters=a`)).status).toBe(400);
    expect((await stern.get(`${list}?colour=red`)).status).toBe(400);
  });

  it("an account without the plan", async () => {
    const client = await under({}, { subscription: false });
    expect((await client.get(list)).status).toBe(402);
    client.service.setSubscription(true);
    expect((await client.get(list)).status).toBe(200);
  });

  it.each(Object.keys(DIALECTS) as DialectName[])(
    "the whole dialect %s keeps what the document promises",
    async (name) => {
      const client = await under(DIALECTS[name]);
      const page = pageOf(await client.get(`${list}?items_per_page=2`));
      expect(page.data).toHaveLength(2);
      expect(page.pagination_data.has_more).toBe(true);
      expect(page.pagination_data.next_url).toMatch(/^\/?surveys\/1\/responses\?/);
      const theirs = pageOf(await client.get("/respondents/somebody/responses?items_per_page=100"));
      expect(theirs.data.map((item) => Object.keys(item))).toEqual(
        theirs.data.map(() => ["survey", "response"]),
      );
      expect(theirs.data).toHaveLength(5);
      expect((await client.get("/respondents/nobody/responses")).status).toBe(404);
      expect((await client.get(`${list}?items_per_page=101`)).status).toBeGreaterThanOrEqual(400);
    },
  );
});
