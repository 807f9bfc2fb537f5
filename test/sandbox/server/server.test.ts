import { describe, expect, it } from "vitest";
import { startSandbox } from "../../../sandbox/index.ts";
import { fetchWhole, inProcess, overSocket, pageOf, started } from "../support/client.ts";

const responses = {
  seed: 4,
  count: 300,
  density: "even",
  from: "2025-01-01T00:00:00.000000Z",
  to: "2026-01-01T00:00:00.000000Z",
  respondents: 90,
} as const;
const surveys = [
  { id: "1", responses },
  { id: "2", responses },
];
const list = "/surveys/2/responses?items_per_page=100";
const zipped = { headers: { "accept-encoding": "gzip, deflate" } };

describe("a sandbox over a socket", () => {
  it("sends the same bytes as the service in process", async () => {
    const [here, there] = [await inProcess({ surveys }), await overSocket({ surveys })];
    for (const path of [
      list,
      "/surveys/1/responses",
      "/surveys/9/responses",
      `${list}0`,
      "/respondents/x/attributes",
    ]) {
      const [one, other] = [await here.get(path), await there.get(path)];
      expect(other.text).toBe(one.text);
      expect(other.status).toBe(one.status);
      expect(other.headers["content-type"]).toBe(one.headers["content-type"]);
    }
  });

  it("compresses for clients that accept it, unless switched off, with and without the page cache", async () => {
    for (const cachePages of [false, true]) {
      const client = await overSocket({ surveys, cachePages });
      const plain = await client.get(list);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(Number(plain.headers["content-length"])).toBe(Buffer.byteLength(plain.text));
      for (let again = 0; again < 2; again += 1) {
        const small = await client.get(list, zipped);
        expect(small.headers["content-encoding"]).toBe("gzip");
        expect(Number(small.headers["content-length"])).toBeLessThan(plain.text.length / 3);
        expect(small.text).toBe(plain.text);
      }
    }
    const without = await overSocket({ surveys, gzip: false });
    expect((await without.get(list, zipped)).headers["content-encoding"]).toBeUndefined();
  });

  it("takes as long as its latency says", async () => {
    const sandbox = await started({ surveys, latencyMs: 80 });
    const before = performance.now();
    pageOf(await fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey));
    expect(performance.now() - before).toBeGreaterThan(75);
  });

  it("closes at once, even while a client waits, and does not listen then", async () => {
    const sandbox = await started({ surveys, latencyMs: 60_000 });
    const waiting = fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey);
    const rejected = expect(waiting).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await sandbox.close();
    await rejected;
    await expect(fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey)).rejects.toThrow("ECONNREFUSED");
  });

  it("says so when its port is taken", async () => {
    const sandbox = await started({ surveys });
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ surveys, port })).rejects.toThrow("EADDRINUSE");
  });
});
