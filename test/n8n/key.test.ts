import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Fault, type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { Engine } from "./engine.ts";

const KEY = 'Key-with-"quotes"/and+more-77';
let sandbox: Sandbox;
let engine: Engine;
const account = { baseUrl: "", apiKey: KEY };
beforeAll(async () => {
  sandbox = await startSandbox({ apiKey: KEY });
  account.baseUrl = sandbox.url;
  engine = await Engine.start(() => account);
});
afterAll(() => sandbox.close());
afterEach(() => sandbox.service.clearFaults());

/** All that n8n could show or store of an error. */
const everythingOf = (thrown: unknown): string =>
  JSON.stringify(thrown, (_, value) =>
    value instanceof Error
      ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
      : value,
  );

/** Any eight characters of the key in a row would give it away, however they are written. */
function expectNoKey(text: string): void {
  const plain = [
    text,
    text.replaceAll("\\", ""),
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, "%25")),
  ];
  for (const spelling of plain) {
    for (let at = 0; at + 8 <= KEY.length; at++) {
      expect(spelling.toLowerCase()).not.toContain(KEY.slice(at, at + 8).toLowerCase());
    }
  }
}

const quoting = (status: number, body: string): Fault => ({
  on: "any",
  reply: { kind: "status", status, contentType: "text/html", body },
});
const spellings = {
  "as it is": KEY,
  "JSON-escaped": JSON.stringify(KEY),
  "percent-encoded": encodeURIComponent(KEY),
  "in upper case": KEY.toUpperCase(),
};
const getMany = { resource: "surveyResponse", operation: "getAll", surveyId: "1001", limit: 150 };

describe.each(Object.entries(spellings))("a key that the service quotes %s", (_, quoted) => {
  test.each([400, 418])("with status %i is in no message of the node", async (status) => {
    sandbox.service.addFaults(quoting(status, `<p>Not so: Authorization: Basic ${quoted}</p>`));
    const { error } = await engine.run(getMany);
    expect(everythingOf(error)).toContain("****");
    expectNoKey(everythingOf(error));
  });

  test("is in no message of the credential's test", async () => {
    sandbox.service.addFaults(quoting(400, `Not so: ${quoted}`));
    const { status, message } = await engine.testCredential(account);
    expect([status, message.includes("****")]).toEqual(["Error", true]);
    expectNoKey(message);
  });

  test("in a link is in no message, nor in the item that takes the error's place", async () => {
    const to = `https://example.com/${quoted}`;
    sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "link", to } });
    const { error } = await engine.run(getMany);
    expect(error?.message).toBe("The service sent a link that was not followed");
    expectNoKey(everythingOf(error));
    const { outputs } = await engine.run(getMany, { onError: "continueRegularOutput" });
    expectNoKey(JSON.stringify(outputs));
  });

  test("is in no error of the trigger", async () => {
    sandbox.service.addFaults(quoting(400, `Not so: ${quoted}`));
    const poll = engine.poll({ event: "surveyResponse", surveyIds: "1001" }, {});
    const error = await poll.catch((thrown: unknown) => thrown);
    expect(everythingOf(error)).toContain("****");
    expectNoKey(everythingOf(error));
  });
});

test("a good answer that is an error in truth, and quotes the key, gives it away to nobody", async () => {
  sandbox.service.addFaults(quoting(200, JSON.stringify({ error: `Basic ${KEY}` })));
  const { error } = await engine.run(getMany);
  expect(error?.message).toBe("The service's answer cannot be used");
  expectNoKey(everythingOf(error));
}, 30_000);
