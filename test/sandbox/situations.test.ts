import { afterEach, describe, expect, it } from "vitest";
import {
  type Clock,
  DIALECTS,
  type Fault,
  type FaultReply,
  type SandboxOptions,
  startSandbox,
} from "../../sandbox/index.ts";
import {
  fetchWhole,
  inProcess,
  pageOf,
  responseOf,
  type TestClient,
  TRANSPORTS,
  walk,
} from "./test-client.ts";

const anna = "00000000-0000-4000-8000-00000000000a";
const ben = "00000000-0000-4000-8000-00000000000b";
const responses = Array.from({ length: 6 }, (_, number) => ({
  uuid: `r${number}`,
  collected_at: `2026-01-0${number + 1}T00:00:00.123456Z`,
  respondent_uuid: number % 2 === 0 ? anna : ben,
}));
const respondents = [
  {
    uuid: anna,
    attributes: [
      { id: 1, name: "a", value: "b" },
      { id: 2, name: "c", value: "d" },
    ],
  },
];
const surveys = [{ id: "1", responses }];
const list = "/surveys/1/responses";
const theirs = (uuid: string) => `/respondents/${uuid}/responses`;

/** A clock that moves only when told. */
function handClock(startMs: number) {
  let nowMs = startMs;
  const clock: Clock = { now: () => nowMs, sleep: async () => {} };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { clock, pass };
}

describe.each(TRANSPORTS)("a longer situation %s", (_, connect) => {
  let open: TestClient | undefined;
  afterEach(() => open?.close());
  const connectWith = async (options: SandboxOptions = {}): Promise<TestClient> => {
    open = await connect({ surveys, respondents, ...options });
    return open;
  };
  const statuses = async (service: TestClient, paths: readonly string[]): Promise<number[]> => {
    const seen: number[] = [];
    for (const path of paths) seen.push((await service.get(path)).status);
    return seen;
  };

  it("an outage of the respondents' lists lasts from one time to another", async () => {
    const { clock, pass } = handClock(Date.UTC(2026, 5, 1));
    const fault: Fault = { on: "/respondents/", reply: "status_404", fromMs: 1_000, toMs: 61_000 };
    const service = await connectWith({ clock, faults: [fault] });
    const both = [list, theirs(anna), `/respondents/${anna}/attributes`];
    expect(await statuses(service, both)).toEqual([200, 200, 200]);
    pass(1_000);
    expect(await statuses(service, both)).toEqual([200, 404, 404]);
    pass(59_999);
    expect(await statuses(service, both)).toEqual([200, 404, 404]);
    pass(1);
    expect(await statuses(service, both)).toEqual([200, 200, 200]);
  });

  it("a fault without a period stays when the clock steps back", async () => {
    const { clock, pass } = handClock(Date.UTC(2026, 5, 1));
    const service = await connectWith({ clock, faults: [{ on: "any", reply: "status_503" }] });
    pass(-3_600_000);
    expect(await statuses(service, [list])).toEqual([503]);
  });

  it("an outage lasts from one request to another", async () => {
    const fault: Fault = { on: "respondent_responses", reply: "status_404", fromRequest: 2, toRequest: 3 };
    const service = await connectWith({ faults: [fault] });
    const paths = [theirs(anna), list, theirs(ben), theirs(anna), theirs(ben)];
    expect(await statuses(service, paths)).toEqual([200, 200, 404, 404, 200]);
  });

  it("one respondent answers 404, then a page, then 404", async () => {
    const service = await connectWith({ faults: [{ on: anna, reply: "status_404", nth: [1, 3] }] });
    const paths = [theirs(anna), theirs(ben), theirs(anna), theirs(anna), theirs(anna)];
    expect(await statuses(service, paths)).toEqual([404, 200, 200, 404, 200]);
  });

  it.each(["standard", "inclusive", "cursor", "closing"] as const)(
    "a 404 comes on a continuation alone, or on first pages alone, in the dialect %s",
    async (dialect) => {
      const choices = DIALECTS[dialect];
      const first = `${list}?items_per_page=2`;
      const own = `${list}?start=2026-01-04T00:00:00.000000Z&items_per_page=2`;
      const next = async (service: TestClient): Promise<string> => {
        const link = pageOf(await service.get(first)).pagination_data.next_url!;
        return link.startsWith("/") ? link : `/${link}`;
      };
      const service = await connectWith({ choices });
      service.service.addFaults({ on: "survey_responses", reply: "status_404", page: "continuation" });
      const link = await next(service);
      expect(await statuses(service, [first, own, link, link])).toEqual([200, 200, 404, 404]);
      service.service.clearFaults();
      service.service.addFaults({
        on: "survey_responses",
        reply: "status_404",
        page: "first",
        fromRequest: 2,
      });
      expect(await statuses(service, [await next(service), first, own])).toEqual([200, 404, 404]);
    },
  );

  it.each([
    ["a respondent's responses", "respondent_responses", theirs(anna)],
    ["a respondent's attributes", "respondent_attributes", `/respondents/${anna}/attributes`],
  ] as const)("%s are an empty page that links to itself, once and for good", async (_name, on, path) => {
    const service = await connectWith({ faults: [{ on, nth: 2, reply: "page_empty" }] });
    const before = pageOf(await service.get(path));
    expect(before.data.length).toBeGreaterThan(1);
    const empty = { pagination_data: { has_more: true, next_url: path }, data: [] };
    expect(pageOf(await service.get(path))).toEqual(empty);
    expect(pageOf(await service.get(path))).toEqual(before);
    service.service.addFaults({ on, reply: "page_empty" });
    for (let again = 0; again < 3; again += 1) expect(pageOf(await service.get(path))).toEqual(empty);
  });

  it("every list of the dialect closing ends with an empty page that links to itself", async () => {
    const service = await connectWith({ choices: DIALECTS.closing });
    for (const path of [list, theirs(anna), `/respondents/${anna}/attributes`]) {
      const { ended, items } = await walk(service, `${path}?items_per_page=1`);
      expect([path, ended]).toEqual([path, "empty_page"]);
      expect(items.length).toBeGreaterThan(1);
    }
    expect(service.service.stats.malformed).toBe(0);
  });

  it("attribute links that begin at the last item repeat it, and cannot go on with one item a page", async () => {
    const service = await connectWith({ choices: { continuation: "last_item" } });
    const path = `/respondents/${anna}/attributes`;
    const page = pageOf(await service.get(`${path}?items_per_page=1`));
    expect(page.pagination_data.next_url).toBe(`${path}?start=2&items_per_page=1`);
    expect(await walk(service, `${path}?items_per_page=1`)).toMatchObject({ ended: "stuck" });
  });

  it("an hour ahead: responses from the future, and a service whose clock is ahead", async () => {
    const clock: Clock = { now: () => Date.UTC(2026, 5, 1, 12), sleep: async () => {} };
    const service = await connectWith({ clock, serviceClockOffsetMs: 3_600_000 });
    service.service.collect("1", { count: 2, aheadOfClockMs: 3_600_000 });
    const seen = await service.get(`${list}?items_per_page=2`);
    expect(pageOf(seen).data.map((item) => responseOf(item).collected_at)).toEqual([
      "2026-06-01T13:00:01.000000Z",
      "2026-06-01T13:00:00.000000Z",
    ]);
    expect(seen.headers.date).toBe("Mon, 01 Jun 2026 13:00:00 GMT");
  });

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

  it.each([
    ["shows_millis", "2026-01-06T00:00:00.123Z"],
    ["shows_seconds", "2026-01-06T00:00:00Z"],
  ] as const)("the dialect %s filters by digits that it does not show", async (name, shown) => {
    const service = await connectWith({ choices: DIALECTS[name] });
    const count = async (query: string) => pageOf(await service.get(`${list}?${query}`)).data.length;
    expect(responseOf(pageOf(await service.get(list)).data[0]).collected_at).toBe(shown);
    expect(await count("end=2026-01-06T00:00:00.123456Z")).toBe(1);
    expect(await count("end=2026-01-06T00:00:00.123457Z")).toBe(0);
    expect(await count("start=2026-01-01T00:00:00.123456Z")).toBe(1);
    expect(await count("start=2026-01-01T00:00:00.123455Z")).toBe(0);
    expect([...service.service.truth.responses("1")].at(-1)!.collected_at).toBe(shown);
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])("a survey is called %s", async (id) => {
    const service = await connectWith({ surveys: [{ id, responses }] });
    const path = `/surveys/${id}/responses`;
    expect(pageOf(await service.get(path)).data[0].survey.id).toBe(id);
    expect(pageOf(await service.get(theirs(anna))).data).toHaveLength(3);
    expect(service.service.collect(id, 1)).toHaveLength(1);
    const { stats, truth } = service.service;
    expect([truth.surveyIds(), truth.count(id)]).toEqual([[id], 7]);
    expect(Object.entries(stats.byPath)).toContainEqual([`/v2${path}`, 1]);
    expect((await service.get("/surveys/valueOf/responses")).status).toBe(404);
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

describe("a page of 20 million empty objects", () => {
  it("is less than 300 KB on its way and 60 MB once it is inflated", async () => {
    const faults: Fault[] = [{ on: "any", reply: "body_tiny_objects" }];
    const sandbox = await startSandbox({ surveys, faults });
    try {
      const progress = { bytes: 0 };
      const headers = { "accept-encoding": "gzip" };
      const { text } = await fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey, {
        headers,
        progress,
        timeoutMs: 60_000,
      });
      expect(progress.bytes).toBeLessThan(300_000);
      expect(text.length).toBeGreaterThan(60_000_000);
    } finally {
      await sandbox.close();
    }
  });
});
