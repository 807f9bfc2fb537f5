import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Transport } from "@survey-export/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "./server.ts";

/** Makes the transport of a host, with the key it is to sign with and the time one answer may take. */
export type MakeTransport = (options: { readonly apiKey: string; readonly timeoutMs: number }) => Transport;

const API_KEY = "key-of-the-contract";
/** More than any machine needs for an answer. Only the test of silence waits for a time to end, a short one. */
const TIMEOUT_MS = 30_000;
const SHORT_TIMEOUT_MS = 500;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * What `Transport` promises in connector/core/ports.ts, whichever host keeps it: the same suite for every host, so
 * that the core meets the same service in each. `makeTransport` may be called once for many requests.
 */
export function describeTransport(name: string, makeTransport: MakeTransport): void {
  let answer: Answer;
  const seen: IncomingMessage[] = [];
  let server: Awaited<ReturnType<typeof startServer>>;
  let transport: Transport;

  beforeAll(async () => {
    server = await startServer((request, response) => {
      seen.push(request);
      answer(request, response);
    });
    transport = makeTransport({ apiKey: API_KEY, timeoutMs: TIMEOUT_MS });
  });
  afterAll(() => server.close());

  const ask = (given: Answer, signal?: AbortSignal, path = "/v2/a") => {
    answer = given;
    seen.length = 0;
    return transport({ url: `${server.origin}${path}` }, signal);
  };

  describe(`the transport of ${name}`, () => {
    test("signs with the literal key and sends path and query byte for byte", async () => {
      const path =
        "/v2/surveys/a%2Fb/responses?attributes[]=x%20y&start=2026-01-01T00:00:00.000000Z&cursor=%2B=";
      await ask((_, response) => response.end("{}"), undefined, path);
      expect(seen.map(({ method, url }) => [method, url])).toEqual([["GET", path]]);
      expect(seen[0]!.headers.authorization).toBe(`Basic ${API_KEY}`);
      expect(seen[0]!.headers.accept).toContain("application/json");
    });

    test.each([200, 204, 400, 401, 402, 403, 404, 422, 429, 500, 503])(
      "resolves with status %i, its headers in lower case and its body as text",
      async (status) => {
        const body = status === 204 ? "" : `{"status":${status}}`;
        const headers = { "Retry-After": "7", "X-Other": "Ä" };
        const answered = await ask((_, response) => response.writeHead(status, headers).end(body));
        expect(answered).toMatchObject({ status, body });
        expect(answered.headers["retry-after"]).toBe("7");
        expect(seen).toHaveLength(1);
      },
    );

    test.each([
      ["HTML", "text/html", "<h1>Back soon</h1>"],
      ["nothing", "application/json", ""],
      ["letters of many scripts", "application/json; charset=utf-8", '{"a":"Größe 美咲 👍"}'],
    ])("gives a body of %s unchanged, in pieces or compressed", async (_, type, body) => {
      const bytes = Buffer.from(body);
      const pieces = await ask(async (_request, response) => {
        response.writeHead(200, { "content-type": type });
        for (const byte of bytes) response.write(Buffer.of(byte));
        response.end();
      });
      expect(pieces.body).toBe(body);
      for (const encoding of ["gzip", "x-gzip", "X-GZip"]) {
        const headers = { "content-type": type, "content-encoding": encoding };
        const packed = await ask((_, response) => response.writeHead(200, headers).end(gzipSync(bytes)));
        expect(packed.body).toBe(body);
      }
    });

    test.each([
      ["of bytes that UTF-8 does not have", [0x22, 0xff, 0xfe, 0x22]],
      ["that ends in the middle of a letter", [0x7b, 0xf0, 0x9f]],
    ])("cannot use a page %s, and passes a refusal on", async (_, bytes) => {
      const sent = (status: number) =>
        ask((_request, response) => response.writeHead(status).end(Buffer.from(bytes)));
      await expect(sent(200)).rejects.toMatchObject({ code: "broken_answer", message: "is not UTF-8" });
      expect(await sent(503)).toMatchObject({ status: 503, body: "" });
    });

    test.each([301, 302, 303, 307, 308])(
      "does not follow a redirect (%i), so the key goes nowhere",
      async (status) => {
        const location = `${server.origin}/elsewhere`;
        const answered = await ask((_, response) => response.writeHead(status, { location }).end());
        expect(answered.status).toBe(status);
        expect(seen).toHaveLength(1);
      },
    );

    test("has five requests under way at once, as many as a workspace allows", async () => {
      const waiting: ServerResponse[] = [];
      // Nobody is answered before five have asked: one after another, no answer would come.
      answer = (_, response) => {
        waiting.push(response);
        if (waiting.length === 5) for (const one of waiting.splice(0)) one.end("{}");
      };
      const urls = Array.from({ length: 50 }, (_, number) => `${server.origin}/v2/${number}`);
      const answers = await Promise.all(urls.map((url) => transport({ url })));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(["200 {}"]));
    });
  });

  describe(`without a whole answer, the transport of ${name}`, () => {
    test.each<[string, Answer]>([
      ["before the headers", ({ socket }) => socket.destroy()],
      ["in the headers", ({ socket }) => socket.end("HTTP/1.1 200 OK\r\nContent-Le")],
      [
        "in a body of a known length",
        ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":['),
      ],
      [
        "in a body in chunks",
        ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"data":[\r\n'),
      ],
    ])("rejects when the connection is cut %s", async (_, cut) => {
      await expect(ask(cut)).rejects.toThrow();
    });

    test.each<[string, Answer]>([
      ["nothing comes", () => {}],
      [
        "only drops come",
        (_, response) => {
          const timer = setInterval(() => response.write(" "), 20);
          response.on("close", () => clearInterval(timer));
        },
      ],
    ])("rejects when %s within its time", async (_, given) => {
      const hasty = makeTransport({ apiKey: API_KEY, timeoutMs: SHORT_TIMEOUT_MS });
      answer = given;
      await expect(hasty({ url: `${server.origin}/v2/a` })).rejects.toThrow(/no complete response within/);
    });

    test("refuses a body of more than 16 MB permanently", async () => {
      const megabyte = Buffer.alloc(1024 * 1024, " ");
      const asked = ask(async (_, response) => {
        response.on("error", () => {});
        const closed = once(response, "close");
        for (let sent = 0; sent < 20 && !response.destroyed; sent++) {
          if (!response.write(megabyte)) await Promise.race([once(response, "drain"), closed]);
        }
        response.end();
      });
      await expect(asked).rejects.toMatchObject({ name: "SurveyExportError", code: "too_large" });
    });

    test("rejects when nobody listens, in a way that may pass", async () => {
      const thrown = await transport({ url: "http://127.0.0.1:9/v2/a" }).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(Error);
      expect(thrown).not.toMatchObject({ name: "SurveyExportError" });
    });

    test("rejects with the signal's reason: before, while waiting, when its request leaves the line, and in the middle of a body", async () => {
      const reason = new Error("enough");
      await expect(ask((_, response) => response.end("{}"), AbortSignal.abort(reason))).rejects.toBe(reason);

      const waiting = new AbortController();
      let left: Promise<unknown> = Promise.resolve();
      const unanswered: Answer = ({ socket }) => {
        left = once(socket, "close");
        waiting.abort(reason);
      };
      await expect(ask(unanswered, waiting.signal)).rejects.toBe(reason);
      expect(await Promise.race([left.then(() => "left"), sleep(20_000, "still there")])).toBe("left");

      const reading = new AbortController();
      const asked = ask((_, response) => {
        response.write('{"data":[');
        setTimeout(() => reading.abort(reason), 30);
      }, reading.signal);
      await expect(asked).rejects.toBe(reason);
    });
  });
}
