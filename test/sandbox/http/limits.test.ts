import { describe, expect, it } from "vitest";
import { type Clock, createService, type ServiceOptions } from "../../../sandbox/index.ts";
import { fetchWhole, started } from "../support/client.ts";

const surveys = [{ id: "1", content: "little" as const, responses: [] }];
const start = Date.UTC(2026, 5, 1);

/** A clock that moves only when told, and wakes its sleepers in order. */
function handClock() {
  let now = start;
  const sleepers: { at: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: (ms) => new Promise((wake) => void sleepers.push({ at: now + ms, wake: () => wake() })),
  };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (const sleeper of sleepers.splice(0)) {
      if (sleeper.at <= now) sleeper.wake();
      else sleepers.push(sleeper);
    }
    for (let turn = 0; turn < 10; turn += 1) await undefined;
  };
  return { clock, pass };
}

function served(options: ServiceOptions = {}) {
  const { clock, pass } = handClock();
  const service = createService({ surveys, clock, ...options });
  const headers = { authorization: `Basic ${service.apiKey}` };
  const ask = () => service.handle({ url: "/v2/surveys/1/responses", headers });
  return { service, ask, pass };
}

describe("the limit of requests at once", () => {
  it("refuses the sixth while five are unanswered, and no sixth afterwards", async () => {
    const { service, ask, pass } = served({ latencyMs: 100 });
    const five = Array.from({ length: 5 }, ask);
    const sixth = await ask();
    expect(sixth.status).toBe(429);
    expect(sixth.headers["retry-after"]).toBe("1");
    await pass(100);
    expect((await Promise.all(five)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const again = ask();
    await pass(100);
    expect((await again).status).toBe(200);
    expect(service.stats).toMatchObject({
      maxConcurrent: 6,
      tooManyConcurrent: 1,
      byStatus: { 200: 6, 429: 1 },
    });
  });

  it("counts even if answers take no time", async () => {
    const { ask, service } = served();
    const statuses = (await Promise.all(Array.from({ length: 8 }, ask))).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(service.stats.maxConcurrent).toBe(8);
  });

  it("can be changed or switched off", async () => {
    const two = served({ limits: { concurrent: 2 } });
    expect((await Promise.all([two.ask(), two.ask(), two.ask()])).map(({ status }) => status)).toEqual([
      200, 200, 429,
    ]);
    const none = served({ limits: { concurrent: false } });
    const statuses = await Promise.all(Array.from({ length: 50 }, none.ask));
    expect(statuses.every(({ status }) => status === 200)).toBe(true);
  });
});

describe("the limit of requests a minute", () => {
  it("refuses the 1001st start in any 60 seconds, and serves it when the first is a minute old", async () => {
    const { service, ask, pass } = served();
    for (let asked = 0; asked < 1_000; asked += 1) {
      expect((await ask()).status).toBe(200);
      await pass(10);
    }
    await pass(49_999);
    const refused = await ask();
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
    await pass(1);
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
    expect(service.stats).toMatchObject({ tooManyPerMinute: 2, requests: 1_003 });
  });

  it("slides: ten a minute means ten in every minute, however they fall", async () => {
    const { ask, pass, service } = served({ limits: { perMinute: 10 } });
    const served10: number[] = [];
    for (let second = 0; second < 300; second += 1) {
      if ((await ask()).status === 200) served10.push(second);
      await pass(1_000);
    }
    expect(served10).toHaveLength(50);
    for (const second of served10) {
      expect(served10.filter((other) => other > second - 60 && other <= second).length).toBeLessThanOrEqual(
        10,
      );
    }
    expect(service.stats.maxStartsPerMinute).toBe(60);
  });

  it("says when to try again in seconds, as a date or not at all", async () => {
    const waits = await Promise.all(
      (["seconds", "date", "none"] as const).map(async (retryAfter) => {
        const { ask, pass } = served({ limits: { perMinute: 1 }, choices: { retryAfter } });
        await ask();
        await pass(17_500);
        return (await ask()).headers["retry-after"];
      }),
    );
    expect(waits).toEqual(["43", new Date(start + 61_000).toUTCString(), undefined]);
  });

  it("can block for a while and count refused requests", async () => {
    const blocking = served({ limits: { perMinute: 1 }, choices: { blockMs: 90_000 } });
    await blocking.ask();
    expect((await blocking.ask()).headers["retry-after"]).toBe("90");
    await blocking.pass(89_999);
    expect((await blocking.ask()).status).toBe(429);
    await blocking.pass(1);
    expect((await blocking.ask()).status).toBe(200);

    const counting = served({ limits: { perMinute: 2 }, choices: { refusedCount: true } });
    await counting.ask();
    await counting.ask();
    await counting.pass(59_000);
    expect((await counting.ask()).status).toBe(429);
    await counting.pass(1_000);
    expect([(await counting.ask()).status, (await counting.ask()).status]).toEqual([200, 429]);
  });
});

describe("over a socket", () => {
  it("five at once are served and a sixth is refused; the next after an answer never is", async () => {
    const sandbox = await started({ surveys, latencyMs: 1_000 });
    const ask = () => fetchWhole(`${sandbox.url}/surveys/1/responses`, sandbox.apiKey);
    const six = await Promise.all(Array.from({ length: 6 }, ask));
    expect(six.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429]);
    expect(sandbox.service.stats.maxConcurrent).toBe(6);
  });

  it("a client that keeps five going and waits for each answer is never refused", async () => {
    const count = 5_000;
    const generated = {
      seed: 1,
      count,
      density: "even",
      from: "2025-01-01T00:00:00.000000Z",
      to: "2026-01-01T00:00:00.000000Z",
      respondents: 100,
    } as const;
    const sandbox = await started({
      surveys: [{ id: "1", responses: generated }],
      limits: { perMinute: false },
      latencyMs: 1,
    });
    const line = async (): Promise<void> => {
      for (let asked = 0; asked < 60; asked += 1) {
        const url = `${sandbox.url}/surveys/1/responses?items_per_page=${asked % 2 === 0 ? 100 : 1}`;
        expect((await fetchWhole(url, sandbox.apiKey)).status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: 5 }, line));
    expect(sandbox.service.stats).toMatchObject({
      requests: 300,
      tooManyConcurrent: 0,
      byStatus: { 200: 300 },
    });
    expect(sandbox.service.stats.maxConcurrent).toBeGreaterThan(1);
    expect(sandbox.service.stats.maxConcurrent).toBeLessThanOrEqual(5);
  });

  it("clients that go away are not counted as waiting", async () => {
    const sandbox = await started({ surveys, latencyMs: 600_000 });
    const ask = () => fetchWhole(`${sandbox.url}/surveys/1/responses`, sandbox.apiKey, { timeoutMs: 150 });
    const impatient = Array.from({ length: 5 }, ask);
    expect((await Promise.allSettled(impatient)).every(({ status }) => status === "rejected")).toBe(true);
    let refused = 0;
    for (let tries = 0; tries < 50; tries += 1) {
      const [another] = await Promise.allSettled([ask()]);
      if (another?.status === "rejected") break;
      expect(another?.value.status).toBe(429);
      refused += 1;
    }
    expect(refused).toBeLessThan(50);
  });
});
