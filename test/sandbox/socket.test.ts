import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../sandbox/index.ts";
import { Sender } from "../../sandbox/wire/send.ts";
import { fetchWhole, inProcess, overSocket, pageOf, TRANSPORTS } from "./test-client.ts";

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
    try {
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
    } finally {
      await there.close();
    }
  });

  it("compresses for clients that accept it, unless switched off, with and without the page cache", async () => {
    for (const cachePages of [false, true]) {
      const client = await overSocket({ surveys, cachePages });
      try {
        const plain = await client.get(list);
        expect(plain.headers["content-encoding"]).toBeUndefined();
        expect(Number(plain.headers["content-length"])).toBe(Buffer.byteLength(plain.text));
        for (let again = 0; again < 2; again += 1) {
          const small = await client.get(list, zipped);
          expect(small.headers["content-encoding"]).toBe("gzip");
          expect(Number(small.headers["content-length"])).toBeLessThan(plain.text.length / 3);
          expect(small.text).toBe(plain.text);
        }
      } finally {
        await client.close();
      }
    }
    const without = await overSocket({ surveys, gzip: false });
    try {
      expect((await without.get(list, zipped)).headers["content-encoding"]).toBeUndefined();
    } finally {
      await without.close();
    }
  });

  it("takes as long as its latency says", async () => {
    const sandbox = await startSandbox({ surveys, latencyMs: 80 });
    try {
      const before = performance.now();
      pageOf(await fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey));
      expect(performance.now() - before).toBeGreaterThan(75);
    } finally {
      await sandbox.close();
    }
  });

  it("closes at once, even while a client waits, and does not listen then", async () => {
    const sandbox = await startSandbox({ surveys, latencyMs: 60_000 });
    const waiting = fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey);
    const rejected = expect(waiting).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await sandbox.close();
    await rejected;
    await expect(fetchWhole(`${sandbox.url}${list}`, sandbox.apiKey)).rejects.toThrow("ECONNREFUSED");
  });

  it("says so when its port is taken", async () => {
    const sandbox = await startSandbox({ surveys });
    try {
      const port = Number(new URL(sandbox.url).port);
      await expect(startSandbox({ surveys, port })).rejects.toThrow("EADDRINUSE");
    } finally {
      await sandbox.close();
    }
  });
});

describe("the last byte of an answer", () => {
  it("leaves only after the request has ceased to count as unanswered", () => {
    const steps: unknown[] = [];
    const outgoing = {
      writeHead: (status: number, headers: object) => steps.push([status, headers]),
      write: (bytes: Buffer, written: () => void) => {
        steps.push(bytes.toString());
        written();
      },
      end: (bytes: Buffer) => steps.push(bytes.toString()),
    };
    const reply = { status: 200, headers: {}, body: "body" };
    const incoming = { headers: {} } as IncomingMessage;
    const sender = new Sender(true);
    sender.whole(reply, incoming, outgoing as unknown as ServerResponse, () => steps.push("released"));
    expect(steps).toEqual([[200, { "content-length": 4 }], "bod", "released", "y"]);
  });
});

describe.each(TRANSPORTS)("another base path %s", (_, connect) => {
  it("serves under another base path and with another key", async () => {
    const client = await connect({ surveys, basePath: "/export/api/v2", apiKey: "k-2" });
    try {
      const page = pageOf(await client.get(list));
      expect(page.data).toHaveLength(100);
      expect(page.pagination_data.next_url).toMatch(/^\/surveys\/2\/responses\?/);
      expect((await client.get(list, { headers: { authorization: "Basic sandbox-key-4f1c" } })).status).toBe(
        401,
      );
    } finally {
      await client.close();
    }
  });
});
