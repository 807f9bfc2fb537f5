import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { clock, transportOfTest } from "../../../../../n8n-node/nodes/SurveyExport/shared/host.ts";
import { startServer } from "../../../../support/server.ts";
import { describeTransport } from "../../../../support/transport-contract.ts";
import { ofSurvey, startEngine } from "../../../support/set-up.ts";

type Helpers = Parameters<typeof transportOfTest>[0];
const { sandbox, engine, account } = await startEngine();

// n8n loads its client with the first request, which takes longer than the suite grants an answer.
beforeAll(() => engine.run(ofSurvey({ limit: 1 })));
describeTransport("the n8n node (n8n's helper)", ({ apiKey, timeoutMs }) => async (request, signal) => {
  account.apiKey = apiKey;
  return await engine.ask(timeoutMs, request, signal);
});

test("a body larger than any page is refused", async () => {
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "huge", bytes: 20_000_000 } });
  const { error } = await engine.run(ofSurvey({ limit: 5 }));
  expect(error?.message).toBe("The service's answer is too large");
});

test("the credential's test reads no more of an answer than the nodes do: 20 MB that came as 20 kB", async () => {
  const packed = gzipSync(Buffer.alloc(20_000_000, " "));
  const server = await startServer((_, answer) => {
    answer.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(packed);
  });
  const { message } = await engine.testCredential({ baseUrl: `${server.origin}/v2`, apiKey: "any" });
  await server.close();
  expect(message).toMatch(
    /^The service's answer is too large\. Please report this\. The answer is longer than 16 MB/,
  );
});

test("the credential's test waits for no answer after the core's deadline, though n8n's helper takes no signal", async () => {
  const helpers = { request: () => new Promise(() => {}) } as unknown as Helpers;
  const deadline = new AbortController();
  const asked = transportOfTest(
    helpers,
    "any",
    60_000,
  )({ url: "https://api.example.com/v2" }, deadline.signal);
  deadline.abort(new Error("too late"));
  await expect(asked).rejects.toThrow("too late");
});

describe("a wait", () => {
  test("lasts as long as it should, though n8n's own is cut into short ones", async () => {
    const startedMs = clock.monotonicMs();
    await clock.sleep(1_100);
    expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(1_100);
  });

  test("ends at once when it is aborted, with the reason", async () => {
    const stop = new AbortController();
    const waiting = clock.sleep(3_600_000, stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(clock.sleep(1, stop.signal)).rejects.toThrow("enough");
  });
});
