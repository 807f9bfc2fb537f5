import { describe, expect, it } from "vitest";
import {
  type Clock,
  DIALECTS,
  type Fault,
  type FaultName,
  type SandboxOptions,
} from "../../../sandbox/index.ts";
import { inProcess, pageOf, type TestClient, TRANSPORTS } from "../support/client.ts";
import { anna, ben, list, respondents, surveys } from "../support/six-responses.ts";

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

describe.each(TRANSPORTS)("faults %s", (_, connect) => {
  const withFaults = (faults: readonly Fault[]) => connect({ surveys, respondents, faults });

  it("come on the nth, on several, on every nth, always, or a limited number of times", async () => {
    const hits = async (fault: Omit<Fault, "on" | "reply">): Promise<number[]> => {
      const service = await withFaults([{ on: "any", reply: "status_500", ...fault }]);
      const statuses: number[] = [];
      for (let asked = 1; asked <= 9; asked += 1) statuses.push((await service.get(list)).status);
      return statuses.flatMap((code, place) => (code === 500 ? [place + 1] : []));
    };
    expect(await hits({ nth: 4 })).toEqual([4]);
    expect(await hits({ nth: [1, 9] })).toEqual([1, 9]);
    expect(await hits({ every: 3 })).toEqual([3, 6, 9]);
    expect(await hits({})).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await hits({ times: 2 })).toEqual([1, 2]);
  });

  it("come at a rate that its seed repeats", async () => {
    const hits = async (seed: number): Promise<string> => {
      const service = await withFaults([{ on: "any", rate: 0.3, seed, reply: "status_503" }]);
      let text = "";
      for (let asked = 0; asked < 100; asked += 1)
        text += (await service.get(list)).status === 503 ? "x" : ".";
      return text;
    };
    const [one, again, other] = [await hits(1), await hits(1), await hits(2)];
    expect(one).toBe(again);
    expect(one).not.toBe(other);
    const count = one.replaceAll(".", "").length;
    expect(count).toBeGreaterThan(15);
    expect(count).toBeLessThan(45);
  });

  it("keep to their endpoint or path, and the first of two that are due wins", async () => {
    const service = await withFaults([
      { on: "respondent_attributes", reply: "status_500" },
      { on: "items_per_page=2$", nth: 1, reply: "status_503" },
      { on: "^/v2/surveys/", nth: 2, reply: "status_504" },
    ]);
    const statuses = [
      await service.get(`/respondents/${anna}/attributes`),
      await service.get(`/respondents/${anna}/responses`),
      await service.get("/surveys/1/responses?items_per_page=2"),
      await service.get(list),
      await service.get(list),
    ].map((seen) => seen.status);
    expect(statuses).toEqual([500, 200, 503, 504, 200]);
    expect(service.service.stats.byFault).toEqual({ status_500: 1, status_503: 1, status_504: 1 });
  });

  it("are added and cleared while the service runs", async () => {
    const service = await withFaults([]);
    service.service.addFaults({ on: "any", reply: "status_500" });
    expect((await service.get(list)).status).toBe(500);
    service.service.clearFaults();
    expect((await service.get(list)).status).toBe(200);
  });

  it.each(["coffee", "constructor", "toString"])("are refused when they are not known: %s", async (name) => {
    await expect(withFaults([{ on: "any", reply: name as FaultName }])).rejects.toThrow(
      `No fault is called "${name}".`,
    );
  });

  it.each([{ status: 401 }, { kind: "coffee" }, { kind: "constructor" }, null, undefined, 401])(
    "are refused without a known kind: %j",
    async (reply) => {
      const faults = [{ on: "any", reply }] as unknown as Fault[];
      await expect(withFaults(faults)).rejects.toThrow(
        "The reply of a fault must be a name from the catalogue, or have a kind. Kinds are: status, ",
      );
    },
  );
});

describe.each(TRANSPORTS)("a longer situation %s", (_, connect) => {
  const connectWith = (options: SandboxOptions = {}) => connect({ surveys, respondents, ...options });
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
      service.service.addFaults({ on: "survey_responses", reply: "status_404", page: "first", nth: [2, 3] });
      expect(await statuses(service, [await next(service), first, own])).toEqual([200, 404, 404]);
    },
  );

  it.each([
    ["a respondent's responses", "respondent_responses", theirs(anna)],
    ["a respondent's attributes", "respondent_attributes", `/respondents/${anna}/attributes`],
  ] as const)("%s are an empty page that links to itself, once and permanently", async (_name, on, path) => {
    const service = await connectWith({ faults: [{ on, nth: 2, reply: "page_empty" }] });
    const before = pageOf(await service.get(path));
    expect(before.data.length).toBeGreaterThan(1);
    const empty = { pagination_data: { has_more: true, next_url: path }, data: [] };
    expect(pageOf(await service.get(path))).toEqual(empty);
    expect(pageOf(await service.get(path))).toEqual(before);
    service.service.addFaults({ on, reply: "page_empty" });
    for (let again = 0; again < 3; again += 1) expect(pageOf(await service.get(path))).toEqual(empty);
  });
});

describe("changes that wait for a request", () => {
  it("happen once, right after the request they wait for", async () => {
    const client = await inProcess({
      surveys,
      events: [
        { afterRequest: 1, change: { remove: { responses: ["r3"] } } },
        {
          afterRequest: 2,
          change: {
            collect: {
              surveyId: "1",
              responses: [{ uuid: "new", collected_at: "2026-03-01T00:00:00.000000Z" }],
            },
          },
        },
        { afterRequest: 1, on: "respondent_attributes", change: { remove: { respondents: [anna] } } },
      ],
    });
    const first = pageOf(await client.get(`${list}?items_per_page=2`));
    expect(first.data.map(({ response }) => response.uuid)).toEqual(["r5", "r4"]);
    expect(first.pagination_data.next_url).toContain("2026-01-04");
    const second = pageOf(await client.get(first.pagination_data.next_url!));
    expect(second.data.map(({ response }) => response.uuid)).toEqual(["r2", "r1"]);
    expect((await client.get(`/respondents/${anna}/attributes`)).status).toBe(200);
    expect((await client.get(`/respondents/${anna}/attributes`)).status).toBe(404);
    expect(client.service.truth.count("1")).toBe(6);
    expect(pageOf(await client.get(list)).data[0].response.uuid).toBe("new");
  });

  it("can be cleared", async () => {
    const client = await inProcess({
      surveys,
      events: [{ afterRequest: 1, change: { remove: { surveys: ["1"] } } }],
    });
    client.service.clearEvents();
    await client.get(list);
    expect((await client.get(list)).status).toBe(200);
  });
});
