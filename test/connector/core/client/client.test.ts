import {
  type ClientOptions,
  createClient,
  type HttpResponse,
  type Pause,
  RateLimiter,
  RETRY_POLICIES,
  SurveyExportError,
} from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../../../connector/core/client/client.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { createSimulatedClock } from "../../../support/clock.ts";

const START_MS = Date.UTC(2026, 0, 1);
const replyOf = (status: number, headers: Record<string, string> = {}, body = ""): HttpResponse => ({
  status,
  headers,
  body,
});
const GOOD = replyOf(200, {}, "good");
const later = (seconds: string) => ({ "retry-after": seconds });
const PATH = "/surveys/1/responses?items_per_page=100";
const notJson = (): never => {
  throw new SurveyExportError("transient", "broken_answer", say`is not JSON`);
};

/** The page of a reply; or its error, which no test expects there. */
async function pageOf<T>(asked: Promise<Reply<T>>): Promise<T | SurveyExportError> {
  const reply = await asked;
  return "page" in reply ? reply.page : reply.error;
}

async function errorOf(asked: Promise<Reply<unknown>>): Promise<SurveyExportError> {
  const reply = await asked;
  if ("page" in reply) throw new Error(`There is a page: ${reply.page}`);
  return reply.error;
}

/** A service that gives `script` in turn, its last entry for ever, and when it was asked, in seconds. */
function scripted(
  script: readonly (HttpResponse | Error | "silence")[],
  options: Partial<ClientOptions> = {},
  clock = createSimulatedClock(START_MS),
) {
  const askedAt: number[] = [];
  const logged: string[] = [];
  const transport = async (_: unknown, signal?: AbortSignal) => {
    const next = script[Math.min(askedAt.length, script.length - 1)]!;
    askedAt.push((clock.now() - START_MS) / 1000);
    if (next === "silence")
      await new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    if (next instanceof Error) throw next;
    return next as HttpResponse;
  };
  const log = (level: string, message: Parameters<typeof render>[0]) =>
    logged.push(`${level} ${render(message)}`);
  const client = createClient(
    { clock, log, transport },
    { baseUrl: "https://api.example.com/v2", ...options },
  );
  const get = () => pageOf(client.get(PATH, String));
  const failure = (parse: (body: string) => unknown = String) => errorOf(client.get(PATH, parse));
  return { client, get, failure, askedAt, logged, clock };
}

describe("a request that fails for a time is sent again, after growing waits", () => {
  it.each([new Error("the connection was cut"), replyOf(500)])("%s", async (fault) => {
    const { get, askedAt, logged } = scripted([fault, fault, fault, GOOD]);
    expect(await get()).toBe("good");
    expect(askedAt).toEqual([0, 1, 3, 7]);
    expect(logged.map((line) => line.split(" ")[0])).toEqual(["info", "debug", "debug"]);
  });

  it("eight times; then the failure names the request, and how often and how long it was tried", async () => {
    const { failure, askedAt } = scripted([replyOf(500)]);
    expect(await failure()).toMatchObject({
      kind: "transient",
      code: "unavailable",
      message: `The service could not answer (status 500 to GET ${PATH}). This was tried 8 times in 91 s. Run the sync again; everything that was delivered is kept. If it continues, ask the service.`,
    });
    expect(askedAt).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  });

  it("eight times if good replies have content that cannot be used", async () => {
    const { failure, askedAt } = scripted([GOOD]);
    expect((await failure(notJson)).message).toBe(
      `The service's answer to GET ${PATH} cannot be used: it is not JSON. This was tried 8 times in 91 s. Check that base_url is the service's address; if it is, report this to the service.`,
    );
    expect(askedAt).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  });

  it.each([
    ["status 500", replyOf(500), 2],
    ["content that cannot be used", GOOD, 2],
  ])("as often as its caller says, if that is less: %s", async (_, given, times) => {
    const { client, askedAt } = scripted([given]);
    await errorOf(client.get(PATH, notJson, undefined, { attempts: 2 }));
    expect(askedAt).toHaveLength(times);
  });
});

describe("a failure that no retry can fix comes at once", () => {
  it.each([
    ['{"error":{"status":401,"message":"Your plan has expired."}}', 'It says: "Your plan has expired".'],
    ['{"errors":[{"detail":"start must be\\n later"}]}', 'It says: "start must be later".'],
    [`no JSON ${"x".repeat(500)}`, 'Its answer begins "no JSON xxx'],
    ['{"code": 7}', 'Its answer begins "{\\"code\\": 7}".'],
  ])("and gives the service's own reason: %s", async (body, sentence) => {
    for (const status of [400, 401]) {
      const error = await scripted([replyOf(status, {}, body)]).failure();
      expect(error.message).toContain(sentence);
      expect(render(error.facts).length).toBeLessThan(400);
    }
  });

  it("is forgotten if it was one wrong reply about the key", async () => {
    const { get, askedAt } = scripted([replyOf(401), replyOf(401), GOOD]);
    expect(await get()).toBe("good");
    expect(askedAt).toEqual([0, 1, 3]);
  });

  it("is passed on as it is when the host says that it is final", async () => {
    const final = new SurveyExportError("config", "no_answer", say`The certificate was not accepted.`);
    const { failure, askedAt } = scripted([final]);
    expect(await failure()).toBe(final);
    expect(askedAt).toEqual([0]);
  });

  it.each(["//other.example/v2/x", "/../v1"])("never leaves base_url: %s", async (path) => {
    const { client, askedAt } = scripted([GOOD]);
    expect(await errorOf(client.get(path, String))).toMatchObject({ code: "refused_link" });
    expect(askedAt).toEqual([]);
  });
});

it("a mistake of ours is no reply, but a defect that is thrown", async () => {
  const mistaken = (): never => {
    throw new TypeError("x is not a function");
  };
  await expect(scripted([GOOD]).client.get(PATH, mistaken)).rejects.toMatchObject({ code: "defect" });
});

describe("a rate limit (429) is waited out", () => {
  it.each([
    ["as many seconds as the service says", later("30"), 30],
    ["a second, if it says nothing of use", later("soon"), 1],
  ])("%s", async (_, headers, seconds) => {
    const { get, askedAt } = scripted([replyOf(429, headers), GOOD]);
    await get();
    expect(askedAt).toEqual([0, seconds]);
  });

  it("with waits that grow to 16 seconds, for two hours", async () => {
    const { failure, askedAt, client } = scripted([replyOf(429)]);
    const pauses: Pause[] = [];
    client.onPause((pause) => pauses.push(pause));
    expect(await failure()).toMatchObject({ kind: "transient", code: "rate_limited", scope: "run" });
    expect(askedAt.slice(0, 9)).toEqual([0, 1, 3, 7, 15, 31, 47, 63, 79]);
    expect(askedAt.at(-1)! / 3600).toBeCloseTo(2, 1);
    expect([pauses[0], pauses.length]).toEqual([
      { reason: "rate_limited", untilMs: START_MS + 1000 },
      askedAt.length,
    ]);
  });

  it("from a second again after a good reply", async () => {
    const { get, askedAt } = scripted([replyOf(429), replyOf(429), GOOD, replyOf(429), GOOD]);
    for (let time = 0; time < 2; time++) await get();
    expect(askedAt).toEqual([0, 1, 3, 3, 4]);
  });

  it("only as long as a caller in a hurry allows", async () => {
    const { failure, askedAt } = scripted([replyOf(429, later("30"))], { retryPolicy: RETRY_POLICIES.check });
    expect(await failure()).toMatchObject({ code: "rate_limited", retryAfterMs: 30_000 });
    expect(askedAt).toEqual([0]);
  });
});

it("a service that is unavailable (503) is waited for as long as that has lasted, up to a minute", async () => {
  const { get, askedAt } = scripted([...Array(9).fill(replyOf(503)), GOOD]);
  await get();
  expect(askedAt).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 124, 184]);
});

describe("the time of a request", () => {
  it.each(["check", "execution", "poll", "credentialTest"] as const)(
    "ends at the deadline of %s, although the service is silent",
    async (caller) => {
      const { failure, clock } = scripted(["silence"], { retryPolicy: RETRY_POLICIES[caller] });
      expect(await failure()).toMatchObject({ code: "no_answer", kind: "transient" });
      expect(clock.monotonicMs() - START_MS).toBe(RETRY_POLICIES[caller].deadlineMs);
    },
  );

  it.each([replyOf(429, later("900")), replyOf(500), "silence"] as const)(
    "ends with the signal's reason when it is no longer wanted: %s",
    async (fault) => {
      const { client } = scripted([fault]);
      const stop = new AbortController();
      const asked = client.get(PATH, String, stop.signal);
      setImmediate(() => stop.abort(new Error("stopped")));
      await expect(asked).rejects.toThrow("stopped");
    },
  );

  it("does not depend on the wall clock, which may step back an hour", async () => {
    const { get, clock, askedAt } = scripted([replyOf(429, later("30")), replyOf(500), GOOD]);
    setImmediate(() => clock.stepWall(-3_600_000));
    await get();
    expect(clock.monotonicMs() - START_MS).toBe(31_000);
    expect(askedAt).toHaveLength(3);
  });
});

describe("next to another client of the same workspace, a caller in a hurry", () => {
  function twoClients() {
    const clock = createSimulatedClock(START_MS);
    const rateLimiter = new RateLimiter(clock, { maxConcurrentRequests: 1, requestsPerMinute: 1000 });
    const retryPolicy = RETRY_POLICIES.credentialTest;
    return { ...scripted([GOOD], { rateLimiter, retryPolicy }, clock), rateLimiter };
  }

  it("is told that it was not sent, if the other uses up the limits", async () => {
    const { failure, rateLimiter, clock, client } = twoClients();
    const other = rateLimiter.run(() => clock.sleep(600_000));
    expect(await failure()).toMatchObject({
      kind: "transient",
      code: "rate_limited",
      scope: "run",
      message: `The request was not sent within 10 s, because other requests of this program use up the workspace's rate limit (GET ${PATH}). Run the sync again in a minute.`,
    });
    expect(client.counts.requests).toBe(0);
    await other;
  });

  it("is told at once of a longer wait that the service asked the other for", async () => {
    const { failure, rateLimiter, clock } = twoClients();
    rateLimiter.pauseFor(20_000, clock.monotonicMs(), true);
    expect(await failure()).toMatchObject({ code: "rate_limited" });
    expect(clock.monotonicMs()).toBe(START_MS);
  });
});

it.each([
  ["the Date header", true, "Thu, 01 Jan 2026 08:00:00 GMT", "2026-01-01T07:59:59.000000Z"],
  ["the host's clock, if that is no date,", false, "soon", "2025-12-31T23:59:59.000000Z"],
  ["the host's clock, if that is a date of JavaScript only,", false, "5", "2025-12-31T23:59:59.000000Z"],
])("the service's present is the time of %s less a second (S12)", async (_, isDated, date, present) => {
  const { client } = scripted([replyOf(200, { date })]);
  const asked = client.get(PATH, (_, ...seen) => seen);
  expect(await asked).toEqual({ page: [present, isDated], present });
  expect(client.present()).toBe(present);
});

it.each([
  ["with", { date: "Thu, 01 Jan 2026 00:01:40 GMT" }],
  ["without", {}],
])(
  "%s a Date header, a slow reply shows the present of its request: more may have come since",
  async (_, headers) => {
    const clock = createSimulatedClock(START_MS);
    const transport = async () => {
      await clock.sleep(100_000);
      return replyOf(200, headers);
    };
    const client = createClient(
      { clock, log: () => {}, transport },
      { baseUrl: "https://api.example.com/v2" },
    );
    expect(await pageOf(client.get(PATH, (_, seen) => seen))).toBe("2025-12-31T23:59:59.000000Z");
  },
);
