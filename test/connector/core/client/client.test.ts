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
import { render, say } from "../../../../connector/core/text/message.ts";
import { createSimulatedClock } from "../../../model/support/clock.ts";

const START_MS = Date.UTC(2026, 0, 1);
const GOOD: HttpResponse = { status: 200, headers: {}, body: "good" };
const answer = (status: number, headers: Record<string, string> = {}, body = ""): HttpResponse => ({
  status,
  headers,
  body,
});
const PATH = "/surveys/1/responses?items_per_page=100";

/** A service that gives `script` in turn, its last entry for ever, and when it was asked, in seconds. */
function scripted(script: readonly (HttpResponse | Error)[], options: Partial<ClientOptions> = {}) {
  const clock = createSimulatedClock(START_MS);
  const askedAt: number[] = [];
  const logged: string[] = [];
  const client = createClient(
    {
      clock,
      log: (level, message) => logged.push(`${level} ${render(message)}`),
      transport: async () => {
        const next = script[Math.min(askedAt.length, script.length - 1)]!;
        askedAt.push((clock.now() - START_MS) / 1000);
        if (next instanceof Error) throw next;
        return next;
      },
    },
    { baseUrl: "https://api.example.com/v2", ...options },
  );
  const get = () => client.get(PATH, (body) => body);
  const failure = async (): Promise<SurveyExportError> => {
    const thrown = await get().then(
      () => expect.fail("it answered"),
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(SurveyExportError);
    return thrown as SurveyExportError;
  };
  return { client, get, failure, askedAt, logged, clock };
}

describe("a request that fails for a time is sent again, after growing waits", () => {
  it.each([
    ["a dropped connection", new Error("the connection was cut")],
    ["status 500", answer(500)],
  ])("%s", async (_, fault) => {
    const { get, askedAt } = scripted([fault, fault, fault, GOOD]);
    expect(await get()).toBe("good");
    expect(askedAt).toEqual([0, 1, 3, 7]);
  });

  it("eight times; then the failure names the request, and how often and how long it was tried", async () => {
    const { failure, askedAt } = scripted([answer(500)]);
    const { kind, code, message } = await failure();
    expect([kind, code]).toEqual(["transient", "unavailable"]);
    expect(message).toBe(
      `The service could not answer (status 500 to GET ${PATH}). This was tried 8 times in 91 s. Run the sync again; everything that was delivered is kept. If it continues, ask the service.`,
    );
    expect(askedAt).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  });

  it("four times if good answers have content that cannot be used", async () => {
    const { client, askedAt } = scripted([GOOD]);
    const parse = (): never => {
      throw new SurveyExportError("transient", "broken_answer", say`is not JSON`);
    };
    await expect(client.get(PATH, parse)).rejects.toThrow(
      `The service's answer to GET ${PATH} cannot be used: it is not JSON. This was tried 4 times in 7 s. Check that base_url is the service's address; if it is, report this to the service.`,
    );
    expect(askedAt).toEqual([0, 1, 3, 7]);
  });
});

describe("a request that is only tried", () => {
  const parse = (): never => {
    throw new SurveyExportError("transient", "broken_answer", say`is not JSON`);
  };

  it.each([
    ["a bad status", answer(500), [0, 1]],
    ["an answer that cannot be used, which counts twice", GOOD, [0]],
  ])("is sent as often as it says, and no more: %s", async (_, given, times) => {
    const { client, askedAt } = scripted([given]);
    await expect(client.get(PATH, parse, undefined, 2)).rejects.toThrow();
    expect(askedAt).toEqual(times);
  });
});

describe("requests under way together, to a service that is down", () => {
  it("are one line in the log, until the next attempt", async () => {
    const clock = createSimulatedClock(START_MS);
    const logged: string[] = [];
    const client = createClient(
      {
        clock,
        log: (level, message) => logged.push(`${level} ${render(message)}`),
        transport: () => Promise.reject(new Error("connection refused")),
      },
      { baseUrl: "https://api.example.com/v2" },
    );
    await Promise.allSettled([1, 2, 3].map((id) => client.get(`/surveys/${id}/responses`, () => undefined)));
    expect(logged.filter((line) => line.startsWith("info"))).toHaveLength(7);
    expect(logged).toHaveLength(21);
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
      const { failure } = scripted([answer(status, {}, body)]);
      const { message, answer: quoted } = await failure();
      expect(message).toContain(sentence);
      expect(render(quoted!).length).toBeLessThan(200);
    }
  });

  it("says of a key that worked before since when it is refused", async () => {
    const { client } = scripted([GOOD, answer(401, {}, "")]);
    await client.get("/surveys/1/responses", () => undefined);
    await expect(client.get("/surveys/1/responses", () => undefined)).rejects.toThrow(
      /^The API key worked until \d\d:\d\d:\d\d UTC and is refused now \(status 401 to GET \/surveys\/1\/responses\)\. Was it revoked\? Enter the new key; /,
    );
  });

  it("is passed on as it is when the host says that it is final", async () => {
    const final = new SurveyExportError("config", "no_answer", say`The certificate was not accepted.`);
    const { failure, askedAt } = scripted([final]);
    expect(await failure()).toBe(final);
    expect(askedAt).toEqual([0]);
  });
});

describe("a rate limit is waited out", () => {
  it.each([
    ["as many seconds as the service says", { "retry-after": "30" }, 30],
    ["a second, if it says nothing of use", { "retry-after": "soon" }, 1],
  ])("%s", async (_, headers, seconds) => {
    const { get, askedAt } = scripted([answer(429, headers), GOOD]);
    await get();
    expect(askedAt).toEqual([0, seconds]);
  });

  it("with waits that grow to 16 seconds, for as long as it lasts", async () => {
    const hour = Array.from({ length: 240 }, () => answer(429));
    const { get, askedAt, client } = scripted([...hour, GOOD]);
    const pauses: Pause[] = [];
    client.onPause((pause) => pauses.push(pause));
    expect(await get()).toBe("good");
    expect(askedAt.slice(0, 9)).toEqual([0, 1, 3, 7, 15, 31, 47, 63, 79]);
    expect(askedAt.at(-1)).toBeGreaterThan(3600);
    expect(pauses).toHaveLength(240);
    expect(pauses[0]).toEqual({ reason: "rate_limited", untilMs: START_MS + 1000 });
    expect(client.counts).toEqual({ requests: 241, retries: 240 });
  });

  it("by everybody: nothing else starts before the pause is over", async () => {
    const { client, askedAt } = scripted([answer(429, { "retry-after": "10" }), GOOD], {
      maxConcurrentRequests: 1,
    });
    await Promise.all([client.get(PATH, String), client.get("/other", String)]);
    expect(askedAt).toEqual([0, 10, 10]);
  });

  it("only as long as a caller in a hurry allows", async () => {
    const { failure, askedAt } = scripted([answer(429, { "retry-after": "30" })], {
      retryPolicy: RETRY_POLICIES.check,
    });
    expect(await failure()).toMatchObject({ kind: "transient", code: "rate_limited", retryAfterMs: 30_000 });
    expect(askedAt).toEqual([0]);
  });
});

describe("a service that is unavailable (503)", () => {
  it("is waited for, for two hours; then the failure says so", async () => {
    const { failure, askedAt } = scripted([answer(503)]);
    const { kind, code, message } = await failure();
    expect([kind, code]).toEqual(["transient", "unavailable"]);
    expect(message).toBe(
      `The service is unavailable (status 503 to GET ${PATH}). This was tried for 119 min. Run the sync again; everything that was delivered is kept. If it continues, ask the service.`,
    );
    expect(askedAt.slice(0, 10)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 124, 184]);
    expect(askedAt.at(-1)).toBeLessThanOrEqual(7200);
  });
});

describe("a request", () => {
  it("never leaves base_url", async () => {
    const { client, askedAt } = scripted([GOOD]);
    await expect(client.get("//other.example/v2/x", String)).rejects.toMatchObject({ code: "refused_link" });
    await expect(client.get("/../v1", String)).rejects.toMatchObject({ code: "refused_link" });
    expect(askedAt).toEqual([]);
  });

  it("ends with the signal's reason when it is no longer wanted, be it waiting, asked or between two tries", async () => {
    for (const script of [[answer(429, { "retry-after": "900" })], [answer(500)]]) {
      const { client, clock } = scripted(script);
      const stop = new AbortController();
      const asked = client.get(PATH, String, stop.signal);
      setImmediate(() => stop.abort(new Error("stopped")));
      await expect(asked).rejects.toThrow("stopped");
      expect(clock.now() - START_MS).toBeLessThanOrEqual(900_000);
    }
  });
});

describe("the time of a request", () => {
  it.each(["check", "execution", "poll", "credentialTest"] as const)(
    "ends at the deadline of %s, although the service is silent",
    async (caller) => {
      const clock = createSimulatedClock(START_MS);
      const client = createClient(
        {
          clock,
          log: () => {},
          transport: (_, signal) =>
            new Promise((_resolve, reject) => {
              signal?.addEventListener("abort", () => reject(signal.reason));
            }),
        },
        { baseUrl: "https://api.example.com/v2", retryPolicy: RETRY_POLICIES[caller] },
      );
      await expect(client.get(PATH, String)).rejects.toMatchObject({ code: "no_answer", kind: "transient" });
      expect(clock.monotonicMs() - START_MS).toBe(RETRY_POLICIES[caller].deadlineMs);
    },
  );

  it("ends if other requests use up the limits all the time, and says that it was not sent", async () => {
    const clock = createSimulatedClock(START_MS);
    const rateLimiter = new RateLimiter(clock, { maxConcurrentRequests: 1, requestsPerMinute: 1000 });
    const other = rateLimiter.run(() => clock.sleep(600_000));
    const baseUrl = "https://api.example.com/v2";
    const host = { clock, log: () => {}, transport: async () => GOOD };
    const client = createClient(host, { baseUrl, rateLimiter, retryPolicy: RETRY_POLICIES.credentialTest });
    await expect(client.get(PATH, String)).rejects.toMatchObject({
      kind: "transient",
      code: "not_sent",
      scope: "run",
      message: `The request was not sent within 10 s, because other requests of this program use up the workspace's rate limit (GET ${PATH}). Run the sync again in a minute.`,
    });
    expect(client.counts.requests).toBe(0);
    await other;
  });

  it("fails at once if the service made another client wait for longer, and names that", async () => {
    const clock = createSimulatedClock(START_MS);
    const rateLimiter = new RateLimiter(clock, { maxConcurrentRequests: 1, requestsPerMinute: 1000 });
    rateLimiter.pauseFor(20_000, clock.monotonicMs(), true);
    const host = { clock, log: () => {}, transport: async () => GOOD };
    const retryPolicy = RETRY_POLICIES.credentialTest;
    const client = createClient(host, { baseUrl: "https://api.example.com/v2", rateLimiter, retryPolicy });
    await expect(client.get(PATH, String)).rejects.toMatchObject({ code: "rate_limited" });
    expect(clock.monotonicMs()).toBe(START_MS);
  });

  it("does not depend on the wall clock, which may step back an hour", async () => {
    const { get, clock, askedAt } = scripted([answer(429, { "retry-after": "30" }), answer(500), GOOD]);
    setImmediate(() => clock.stepWall(-3_600_000));
    await get();
    expect(clock.monotonicMs() - START_MS).toBe(31_000);
    expect(askedAt).toHaveLength(3);
  });
});

describe("the service's present (S12)", () => {
  const dated = (date: string): HttpResponse => ({ ...GOOD, headers: { date } });

  it("is the time of the Date header, less a second", async () => {
    const { client } = scripted([dated("Thu, 01 Jan 2026 08:00:00 GMT")]);
    expect(await client.get(PATH, (_, present) => present)).toBe("2026-01-01T07:59:59.000000Z");
    expect(client.present()).toBe("2026-01-01T07:59:59.000000Z");
  });

  it("is the host's time, less a second, if the service sends no valid Date", async () => {
    for (const response of [GOOD, dated("soon")]) {
      const { client } = scripted([response]);
      expect(client.present()).toBe("2025-12-31T23:59:59.000000Z");
      expect(await client.get(PATH, (_, present) => present)).toBe("2025-12-31T23:59:59.000000Z");
    }
  });
});
