import { expect, it } from "vitest";
import { createService, SURVEY_IDS } from "../../sandbox/index.ts";
import { connected } from "./support/client.ts";

const LIST = `/surveys/${SURVEY_IDS[0]}/responses`;
const URL = `/v2${LIST}?items_per_page=1`;

/** A service whose clock stands still until it is told to go on. */
function atOwnPace(limits: { perMinute?: number; concurrent?: number }, latencyMs = 0) {
  const clock = {
    nowMs: Date.UTC(2027, 0, 1),
    now: () => clock.nowMs,
    sleep: () => clock.waiting,
    wake: () => {},
    waiting: Promise.resolve(),
  };
  clock.waiting = new Promise<void>((resolve) => {
    clock.wake = resolve;
  });
  const service = createService({ clock, limits, latencyMs });
  const ask = (url = URL) => service.handle({ url, headers: { authorization: `Basic ${service.apiKey}` } });
  return { clock, service, ask };
}

it("so many requests of any status may start in 60 seconds; the others get 429 with the seconds to wait", async () => {
  const { clock, service, ask } = atOwnPace({ perMinute: 3 });
  const statuses: number[] = [];
  for (const place of [0, 1, 2]) {
    statuses.push((await ask(place === 0 ? "/v2/surveys/9/responses" : URL)).status);
    clock.nowMs += 10_000;
  }
  expect(statuses).toEqual([404, 200, 200]);
  expect(await ask()).toMatchObject({ status: 429, headers: { "retry-after": "30" } });
  clock.nowMs += 29_999;
  expect(await ask()).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
  clock.nowMs += 1;
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(429);
  expect(service.load).toEqual({ concurrent: 5, inFlight: 0, perMinute: 3, startsInLastMinute: 3 });
  expect(service.stats).toMatchObject({ requests: 7, tooManyPerMinute: 3, maxStartsPerMinute: 3 });
});

it("so many requests are answered at once; the others are refused at once", async () => {
  const { clock, service, ask } = atOwnPace({ concurrent: 2 }, 100);
  const answers = [ask(), ask()];
  expect(await ask()).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
  expect(service.load.inFlight).toBe(2);
  clock.wake();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await ask()).status).toBe(200);
  expect(service.stats).toMatchObject({ tooManyConcurrent: 1, maxConcurrent: 3 });
});

it("each request is told of, also one whose client leaves before its answer", async () => {
  const statuses: number[] = [];
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error("The client left.")) };
  const onAnswer = ({ status }: { status: number }) => void statuses.push(status);
  const service = createService({ clock, limits: { perMinute: 1 }, latencyMs: 1, onAnswer });
  const ask = () => service.handle({ url: URL, headers: {} });
  await expect(ask()).rejects.toThrow("The client left.");
  expect((await ask()).status).toBe(429);
  expect(statuses).toEqual([0, 429]);
  expect(service.stats).toMatchObject({ requests: 2, byStatus: { 0: 1, 429: 1 } });
});

it("a fault happens only to requests that the limits admit, and a client that leaves frees its place", async () => {
  const { sandbox, get } = await connected({
    limits: { concurrent: 1 },
    faults: [{ on: "any", nth: 1, reply: "silence" }],
  });
  const leaves = new AbortController();
  const silent = get(LIST, { signal: leaves.signal });
  await expect.poll(() => sandbox.service.load.inFlight).toBe(1);
  expect((await get(LIST)).status).toBe(429);
  expect(sandbox.service.stats.faults).toBe(1);
  leaves.abort();
  await expect(silent).rejects.toThrow();
  await expect.poll(() => sandbox.service.load.inFlight).toBe(0);
  expect((await get(LIST)).status).toBe(200);
});
