import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { clock, transportOfTest } from "../../../../../n8n-node/nodes/SurveyExport/shared/host.ts";
import { surveyOf } from "../../../../support/sandbox.ts";
import { serverForTest } from "../../../../support/server.ts";
import { describeTransport } from "../../../../support/transport-contract.ts";
import { errorOf, ofSurvey, startEngine } from "../../../support/set-up.ts";

const KEY = 'Key-with-"quotes"/and+more-77';
const { sandbox, engine, account, messageOf } = await startEngine({
  apiKey: KEY,
  surveys: ["1001", "1002"].map((id) => surveyOf(id, 100)),
});

// n8n loads its client with the first request, which takes longer than the suite grants an answer.
beforeAll(() => engine.run(ofSurvey({ limit: 1 })));
describeTransport("the n8n node (n8n's helper)", ({ apiKey, timeoutMs }) => async (request, signal) => {
  account.apiKey = apiKey;
  return await engine.ask(timeoutMs, request, signal);
});

test("a wait lasts as long as it should, though n8n's own is cut into short ones, and ends if it is aborted", async () => {
  const startedMs = clock.monotonicMs();
  await clock.sleep(350);
  expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(350);
  const stop = new AbortController();
  const waiting = clock.sleep(3_600_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

/** All that n8n could show or store of an error. */
const everythingOf = (thrown: unknown): string =>
  JSON.stringify(thrown, (_, value) =>
    value instanceof Error
      ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
      : value,
  );

const watched = { surveys: ["1001", "1002"] };
/** Every way in which somebody sees what the service said. */
const WAYS = {
  "Get Many": async () => (await engine.run(ofSurvey())).error,
  "the trigger by hand": () => errorOf(engine.poll(watched, {}, { mode: "manual" })),
  "the trigger's report and memory": async () => {
    const coverage = { version: 1, surveys: { 1001: [[null, "2026-01-01T00:00:00.000000Z"]] } };
    const memory = { memory: JSON.stringify({ state: coverage, handed_over: {} }) };
    engine.nodeId = crypto.randomUUID();
    const { reported } = await engine.poll(watched, memory);
    expect(reported).toHaveLength(1);
    return [reported, memory];
  },
  "the credential's test": () => engine.testCredential(account),
};

/** Eight characters of the key in a row would give it away. The core's tests know all the ways to write it. */
test.each(Object.entries(WAYS))("a key that the service quotes is not in what %s shows", async (_, shown) => {
  const body = `<p>Not so: Authorization: Basic ${KEY}</p>`;
  const reply = { kind: "status", status: 418, contentType: "text/html", body } as const;
  sandbox.service.addFaults({ on: "/surveys(/1001|[?])", reply });
  const logs = (["info", "warn", "error"] as const).map((level) => vi.spyOn(engine.logger, level));
  const text = everythingOf([await shown(), logs.map(({ mock }) => mock.calls)]).replaceAll("\\", "");
  vi.restoreAllMocks();
  expect(text).toContain("status 418");
  for (let start = 0; start + 8 <= KEY.length; start++)
    expect(text).not.toContain(KEY.slice(start, start + 8));
});

describe("a credential that cannot be used", () => {
  test("a key", async () => {
    account.apiKey = "wrong";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("The service does not accept the API key");
    expect([error?.failure, error?.httpCode]).toEqual([{ cause: "credential-invalid" }, "401"]);
  });

  test.each([
    [" ", "is empty", /^Give the service's address up to and including \/v2, such as https:/],
    ["api.example.com/v2", "is not an https address", /^Give the service's address/],
    ["https://api.example.com", "does not end in /v2", /^Give the service's address/],
    ["https://api.example.com/v1", "does not end in /v2", /^Give the service's address/],
    [
      "https://me:secret@api.example.com/v2",
      "holds a user name or a password",
      /^Remove what stands before the @/,
    ],
    ["https://api.example.com/v2?key=1", "holds a query or a fragment", /^Remove the \? or # and/],
    [
      "http://export.example.com/v2",
      "begins with http, which would show the key to everyone on the way",
      /^Write https\./,
    ],
  ])("an address that cannot be the service's: %s", async (baseUrl, facts, advice) => {
    account.baseUrl = baseUrl;
    expect(await messageOf(ofSurvey())).toEqual([
      `The credential's Base URL ${facts}`,
      expect.stringMatching(advice),
    ]);
    const tested = await engine.testCredential(account);
    expect([tested.status, tested.message]).toEqual(["Error", expect.stringContaining(facts)]);
  });

  test("an address where nobody answers, named with the network's own words", async () => {
    account.baseUrl = "http://127.0.0.1:9/v2";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("The service did not answer");
    expect(error?.description).toContain("connection refused; GET /surveys/1001/responses");
    expect(error?.description?.match(/Base URL/g)).toHaveLength(1);
    expect(error?.failure).toEqual({ cause: "temporarily-unavailable" });
  });
});

test("a key works with spaces around it, copied with Basic before it, or given by an expression", async () => {
  for (const apiKey of [` ${KEY}\n`, `basic  ${KEY} `, `={{ ${JSON.stringify(KEY)} }}`]) {
    account.apiKey = apiKey;
    expect((await engine.run(ofSurvey())).status).toBe("success");
    if (!apiKey.startsWith("=")) expect((await engine.testCredential(account)).status).toBe("OK");
  }
});

describe("the credential's test", () => {
  test("passes with the right address and key, by one request for nobody's data", async () => {
    const result = await engine.testCredential(account);
    expect(result).toEqual({ status: "OK", message: "The service accepts the key" });
    expect(sandbox.service.stats.byPath).toEqual({ "/v2/surveys": 1 });
  });

  test.each([
    [{ apiKey: "wrong" }, /^The service does not accept the API key\./],
    [{ apiKey: "  " }, /^The credential's API Key is empty\. .+ Access Keys\.$/],
    [
      { baseUrl: "https://api.example.com/v1" },
      /^The credential's Base URL does not end in \/v2\. Give the service's address/,
    ],
    [{ baseUrl: "http://127.0.0.1:9/v2" }, /^The service did not answer\./],
  ])("says what is wrong with %j", async (change, said) => {
    const { status, message } = await engine.testCredential({ ...account, ...change });
    expect([status, message]).toEqual(["Error", expect.stringMatching(said)]);
  });

  test("does not take any web server for the service, and reads no more of it than the nodes do", async () => {
    const packed = gzipSync(Buffer.alloc(20_000_000, " "));
    const [server, large] = await Promise.all([
      serverForTest((_, answer) => answer.writeHead(404).end("Not found")),
      serverForTest((_, answer) => answer.writeHead(200, { "content-encoding": "gzip" }).end(packed)),
    ]);
    const tested = ({ origin }: { origin: string }) =>
      engine.testCredential({ baseUrl: `${origin}/v2`, apiKey: "any" });
    const messages = (await Promise.all([server, large].map(tested))).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(
        /^The service has no list of surveys at this address\. Check that .+ up to and including \/v2\./,
      ),
      expect.stringMatching(/^The service's answer is too large\..* a body of more than 16 MB/),
    ]);
  });

  test("waits for no answer after the core's deadline, though n8n's helper takes no signal", async () => {
    const helpers = { request: () => new Promise(() => {}) } as never;
    const deadline = new AbortController();
    const transport = transportOfTest(helpers, "any", 60_000);
    const asked = transport({ url: "https://api.example.com/v2" }, deadline.signal);
    deadline.abort(new Error("too late"));
    await expect(asked).rejects.toThrow("too late");
  });
});
