import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { Engine } from "./engine.ts";

const KEY = "a-key-that-nothing-else-looks-like-77";
let sandbox: Sandbox;
let engine: Engine;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKey: KEY });
  engine = await Engine.start(() => ({ baseUrl: sandbox.url, apiKey: KEY }));
});
afterAll(() => sandbox.close());

/** All that n8n could show or store of an error. */
const everythingOf = (thrown: unknown): string =>
  JSON.stringify(thrown, (_, value) =>
    value instanceof Error
      ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
      : value,
  );

test.each([400, 418, 200])(
  "a key that the service quotes with status %i is in no message of the node",
  async (status) => {
    sandbox.service.addFaults({
      on: "any",
      reply: {
        kind: "status",
        status,
        contentType: "text/html",
        body: `<p>Not so: Authorization: Basic ${KEY}</p>`,
      },
    });
    const parameters = { resource: "surveyResponse", operation: "getAll", surveyId: "1001", limit: 1 };
    const { error } = await engine.run(parameters);
    sandbox.service.clearFaults();
    expect(error).toBeDefined();
    expect(everythingOf(error)).toContain("****");
    expect(everythingOf(error)).not.toContain(KEY);
  },
);
