import { createConnection } from "node:net";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../sandbox/index.ts";
import { started, TRANSPORTS } from "../support/client.ts";

const surveys = [{ id: "1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z" }] }];
const list = "/surveys/1/responses";
const clock: Clock = { now: () => Date.UTC(2026, 10, 5, 9, 8, 7, 999.9), sleep: async () => {} };
const present = "Thu, 05 Nov 2026 09:08:07 GMT";

describe("faults of the connection", () => {
  it("break the connection before the status, after it, or in the body", async () => {
    const [, overSocket] = TRANSPORTS[1]!;
    const far: Record<string, [number | undefined, boolean]> = {};
    const names = [
      "reset_before_headers",
      "reset_in_headers",
      "reset_after_headers",
      "reset_in_body",
    ] as const;
    for (const name of [...names, "cut_with_length", "cut_in_chunks", "body_drip", "silence"] as const) {
      const client = await overSocket({ surveys, faults: [{ on: "any", reply: name }] });
      const progress = { bytes: 0 } as { status?: number; bytes: number };
      // Only these two do not end by themselves; the drip has begun long before.
      const timeoutMs = name === "silence" ? 150 : name === "body_drip" ? 3000 : 60_000;
      await expect(client.get(list, { progress, timeoutMs })).rejects.toThrow();
      far[name] = [progress.status, progress.bytes > 0];
    }
    expect(far).toEqual({
      reset_before_headers: [undefined, false],
      reset_in_headers: [undefined, false],
      reset_after_headers: [200, false],
      reset_in_body: [200, true],
      cut_with_length: [200, true],
      cut_in_chunks: [200, true],
      body_drip: [200, true],
      silence: [undefined, false],
    });
  });
});

describe("an answer that stops in its body", () => {
  it("had its Date header, once", async () => {
    const sandbox = await started({ surveys, clock, faults: [{ on: "any", reply: "reset_in_body" }] });
    const head = await headOf(sandbox.url, sandbox.apiKey);
    expect(head.match(/^date: .*$/gim)).toEqual([`date: ${present}`]);
  });
});

/** Everything that comes before the connection ends. */
function headOf(url: string, apiKey: string): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve) => {
    let text = "";
    const socket = createConnection(Number(port), hostname);
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
    socket.write(
      `GET ${pathname}${list} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Basic ${apiKey}\r\n\r\n`,
    );
  });
}
