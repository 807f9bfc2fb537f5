import { describe, expect, it } from "vitest";
import type { Clock, Fault, FaultName, SandboxOptions } from "../../sandbox/index.ts";
import { inProcess, pageOf, responseOf, TRANSPORTS } from "./support/client.ts";

const surveys = [{ id: "1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z" }] }];
const list = "/surveys/1/responses";
const clock: Clock = { now: () => Date.UTC(2026, 10, 5, 9, 8, 7, 999.9), sleep: async () => {} };
const present = "Thu, 05 Nov 2026 09:08:07 GMT";

describe.each(TRANSPORTS)("the Date header %s", (_, connect) => {
  const dates = async (paths: readonly string[], options: SandboxOptions = {}) => {
    const client = await connect({ surveys, clock, ...options });
    const dated: unknown[] = [];
    for (const path of paths) dated.push((await client.get(path)).headers.date);
    return dated;
  };

  it("shows the sandbox's clock in whole seconds, rounded down, on every kind of answer", async () => {
    const faults: Fault[] = ["status_503", "redirect_same_host", "cut_without_length"].map(
      (reply, place) => ({
        on: "respondent_responses",
        nth: place + 1,
        reply: reply as FaultName,
      }),
    );
    const theirs = "/respondents/p/responses";
    const paths = [list, list, "/surveys/9/responses", "/nowhere", theirs, theirs, theirs];
    expect(await dates(paths, { faults })).toEqual(paths.map(() => present));
  });

  it("moves with the clock, for pages from the cache too", async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const moving: Clock = { now: () => (nowMs += 1_000), sleep: async () => {} };
    const [first, second] = await dates([list, list], { clock: moving, cachePages: true });
    expect(Date.parse(String(second))).toBeGreaterThan(Date.parse(String(first)));
  });

  it("is ahead of the clock, or behind it, by the offset given", async () => {
    expect(await dates([list], { serviceClockOffsetMs: 3_600_000 })).toEqual([
      "Thu, 05 Nov 2026 10:08:07 GMT",
    ]);
    expect(await dates([list], { serviceClockOffsetMs: -8_000 })).toEqual(["Thu, 05 Nov 2026 09:07:59 GMT"]);
  });

  it("is left out by a service that sends none", async () => {
    const paths = [list, "/nowhere"];
    expect(await dates(paths, { choices: { dateHeader: "absent" } })).toEqual([undefined, undefined]);
  });
});

describe("the Date header of a refusal by a limit", () => {
  it("is there too, while dates of Retry-After keep to the clock without the offset", async () => {
    const client = await inProcess({
      surveys,
      clock,
      limits: { perMinute: 0 },
      choices: { retryAfter: "date" },
      serviceClockOffsetMs: 86_400_000,
    });
    const { status, headers } = await client.get(list);
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      date: "Fri, 06 Nov 2026 09:08:07 GMT",
      "retry-after": "Thu, 05 Nov 2026 09:08:08 GMT",
    });
  });
});

describe.each(TRANSPORTS)("the future %s", (_, connect) => {
  it("an hour ahead: responses from the future, and a service whose clock is ahead", async () => {
    const clock: Clock = { now: () => Date.UTC(2026, 5, 1, 12), sleep: async () => {} };
    const service = await connect({ surveys, clock, serviceClockOffsetMs: 3_600_000 });
    service.service.collect("1", { count: 2, aheadOfClockMs: 3_600_000 });
    const seen = await service.get(`${list}?items_per_page=2`);
    expect(pageOf(seen).data.map((item) => responseOf(item).collected_at)).toEqual([
      "2026-06-01T13:00:01.000000Z",
      "2026-06-01T13:00:00.000000Z",
    ]);
    expect(seen.headers.date).toBe("Mon, 01 Jun 2026 13:00:00 GMT");
  });
});
