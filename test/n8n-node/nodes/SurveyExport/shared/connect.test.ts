import { describe, expect, test } from "vitest";
import { type Fault, startSandbox } from "../../../../../sandbox/index.ts";
import { startServer } from "../../../../support/server.ts";
import { errorOf, ofSurvey, spyOnLog, startEngine } from "../../../support/set-up.ts";

const KEY = 'Key-with-"quotes"/and+more-77';
const { sandbox, engine, account, messageOf } = await startEngine({ apiKey: KEY });
const getMany = ofSurvey({ limit: 150 });

/** All that n8n could show or store of an error. */
const everythingOf = (thrown: unknown): string =>
  JSON.stringify(thrown, (_, value) =>
    value instanceof Error
      ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
      : value,
  );

/** Eight characters of the key in a row would give it away. The core's tests know all the ways to write it. */
function expectNoKey(text: string): void {
  const plain = text.replaceAll("\\", "");
  for (let at = 0; at + 8 <= KEY.length; at++) expect(plain).not.toContain(KEY.slice(at, at + 8));
}

const quoting = (status: number, body: string): Fault => ({
  on: "surveys/1001|respondents",
  reply: { kind: "status", status, contentType: "text/html", body },
});
const watched = { event: "surveyResponse", surveyIds: "1001, 1002" };
/** Every way in which somebody sees what the service said. */
const WAYS = {
  "Get Many": async () => (await engine.run(getMany)).error,
  "the list of columns": () => errorOf(engine.options("surveyExport", "getColumns", { surveyId: "1001" })),
  "the trigger": () => errorOf(engine.poll(watched, {})),
  "the trigger by hand": () => errorOf(engine.poll(watched, {}, { mode: "manual" })),
  "the trigger's report and memory": async () => {
    const memory = {
      memory:
        '{"state":{"version":1,"surveys":{"1001":[[null,"2026-01-01T00:00:00.000000Z"]]}},"handed_over":{}}',
    };
    engine.nodeId = crypto.randomUUID();
    const { reported } = await engine.poll(watched, memory, { activation: "init" });
    expect(reported).toHaveLength(1);
    return [reported, memory];
  },
  "the credential's test": () => engine.testCredential(account),
};
const log = spyOnLog(engine);

test.each(Object.entries(WAYS))(
  "a key that the service quotes is not in what %s shows",
  async (_, shown) => {
    for (const status of [200, 401, 418]) {
      sandbox.service.clearFaults();
      sandbox.service.addFaults(quoting(status, `<p>Not so: Authorization: Basic ${KEY}</p>`));
      const text = everythingOf([await shown(), log()]);
      expect(text).toContain(status === 200 ? "The service's answer cannot be used" : `status ${status}`);
      expectNoKey(text);
    }
  },
  30_000,
);

describe("a credential that cannot be used", () => {
  test("a key", async () => {
    account.apiKey = "wrong";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("The service does not accept the API key");
    expect(error?.failure).toEqual({ cause: "credential-invalid" });
    expect(error?.httpCode).toBe("401");
  });

  test("a plan", async () => {
    sandbox.service.setSubscription(false);
    expect(await messageOf(ofSurvey())).toEqual([
      "The account's plan does not include API access",
      'Ask the owner of the account to choose a plan with API access. The service answered with status 402: "The plan does not include API access".',
    ]);
  });

  test("an address that cannot be the service's", async () => {
    account.baseUrl = "http://export.example.com/v2";
    expect(await messageOf(ofSurvey())).toEqual([
      "The credential's Base URL cannot be used",
      "It uses plain http, which would show the key to everyone on the way. Use https. It looks like https://api.example.com/v2.",
    ]);
  });

  test("a key with spaces around it, or copied with Basic before it: both work", async () => {
    for (const apiKey of [` ${sandbox.apiKey}\n`, `Basic ${sandbox.apiKey}`, `basic  ${sandbox.apiKey} `]) {
      account.apiKey = apiKey;
      expect((await engine.run(ofSurvey())).status).toBe("success");
      expect((await engine.testCredential(account)).status).toBe("OK");
    }
  });

  test("a key that an expression gives as a number works", async () => {
    const other = await startSandbox({ apiKey: "1234567890123456" });
    Object.assign(account, { baseUrl: other.url, apiKey: "={{ 1234567890123456 }}" });
    const { error } = await engine.run(ofSurvey());
    await other.close();
    expect(error).toBeUndefined();
  });

  test("no message speaks of the other adapter's settings", async () => {
    const redirect = { kind: "redirect" as const, to: "https://example.com{path}" };
    for (const reply of ["no_data", "link_absolute", redirect] as const) {
      sandbox.service.clearFaults();
      sandbox.service.addFaults({ on: "survey_responses", reply });
      const { error } = await engine.run(ofSurvey({ limit: 250 }));
      expect(`${error?.message} ${error?.description}`).not.toMatch(/base_url|survey_ids|\bsync\b/);
      expect(error?.message).toMatch(/^[A-Z]/);
    }
  }, 60_000);

  test("an address where nobody answers, named with the network's own words", async () => {
    account.baseUrl = "http://127.0.0.1:9/v2";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("Could not connect to the service");
    expect(error?.description).toContain("connection refused; GET /surveys/1001/responses");
    expect(error?.description?.match(/Base URL/g)).toHaveLength(1);
    expect(error?.failure).toEqual({ cause: "temporarily-unavailable" });
  }, 30_000);
});

describe("the credential's test", () => {
  test("passes with the right address and key, with one refused request", async () => {
    const result = await engine.testCredential(account);
    expect(result).toEqual({ status: "OK", message: "The service accepts the key" });
    expect(sandbox.service.stats.byStatus).toEqual({ 401: 1, 404: 1 });
  });

  test("names a wrong key, plan or address", async () => {
    const said = async (change: Partial<typeof account>) =>
      (await engine.testCredential({ ...account, ...change })).message;
    expect(await said({ apiKey: "wrong" })).toMatch(/^The service does not accept the API key\./);
    expect(await said({ baseUrl: `${sandbox.url}/surveys` })).toMatch(/It does not end in \/v2/);
    expect(await said({ baseUrl: "http://127.0.0.1:9/v2" })).toMatch(/^Could not connect to the service\./);
    sandbox.service.setSubscription(false);
    expect(await said({})).toMatch(/^The account's plan does not include API access\./);
  }, 30_000);

  test("says that the key is empty, and where it is found", async () => {
    for (const apiKey of ["", "  "]) {
      const { message } = await engine.testCredential({ ...account, apiKey });
      expect(message).toMatch(/^The credential's API Key is empty\. .+ Access Keys\.$/);
    }
    expect(sandbox.service.stats.requests).toBe(0);
    account.apiKey = "";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("The credential's API Key is empty");
  });

  test("does not take any web server for the service", async () => {
    const server = await startServer((_, answer) => answer.writeHead(404).end("Not found"));
    const result = await engine.testCredential({ baseUrl: `${server.origin}/v2`, apiKey: "any" });
    await server.close();
    expect(result.status).toBe("Error");
    expect(result.message).toMatch(/^The address answers, but not like the service: it accepts any key\./);
  });
});
