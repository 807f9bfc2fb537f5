import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type Clock, createClient, probe, type Transport } from "@survey-export/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.ts";
import { startServer } from "./server.ts";

/** Makes the transport of a host, with the key it is to sign with and the time one answer may take. */
export type MakeTransport = (options: { readonly apiKey: string; readonly timeoutMs: number }) => Transport;

const API_KEY = "key-of-the-contract";
/** More than any machine needs for an answer. Only the test of silence waits for a time to end, a short one. */
const TIMEOUT_MS = 30_000;
const SHORT_TIMEOUT_MS = 500;

/** What the server saw and what the next request gets. */
interface Exchange {
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  seen: IncomingMessage[];
  sockets: Set<Socket>;
}

/**
 * What `Transport` promises in connector/core/ports.ts, whoever keeps it: the same suite for every host, so
 * that the core meets the same service in each. `makeTransport` may be called once for many requests.
 */
export function describeTransport(name: string, makeTransport: MakeTransport): void {
  describe(`the transport of ${name}`, () => {
    const here: Exchange = { answer: () => {}, seen: [], sockets: new Set() };
    const elsewhere: Exchange = { answer: (_, response) => response.end("{}"), seen: [], sockets: new Set() };
    let origin: string;
    let otherOrigin: string;
    let close: () => Promise<void>;
    let transport: Transport;

    beforeAll(async () => {
      const [one, other] = await Promise.all([
        startServer(answering(here)),
        startServer(answering(elsewhere)),
      ]);
      ({ origin } = one);
      otherOrigin = other.origin;
      close = async () => {
        await Promise.all([one.close(), other.close()]);
      };
      transport = makeTransport({ apiKey: API_KEY, timeoutMs: TIMEOUT_MS });
    });
    afterAll(() => close());

    const ask = (answer: Exchange["answer"], signal?: AbortSignal, path = "/v2/a") => {
      Object.assign(here, { answer, seen: [] });
      return transport({ url: `${origin}${path}` }, signal);
    };

    test("signs with the literal key and sends path and query byte for byte", async () => {
      const path =
        "/v2/surveys/a%2Fb/responses?attributes[]=x%20y&start=2026-01-01T00:00:00.000000Z&cursor=%2B=";
      await ask((_, response) => response.end("{}"), undefined, path);
      expect(here.seen.map(({ method, url }) => [method, url])).toEqual([["GET", path]]);
      expect(here.seen[0]!.headers.authorization).toBe(`Basic ${API_KEY}`);
      expect(here.seen[0]!.headers.accept).toContain("application/json");
    });

    test.each([200, 204, 400, 401, 402, 403, 404, 422, 429, 500, 503])(
      "resolves with status %i, its headers in lower case and its body as text",
      async (status) => {
        const body = status === 204 ? "" : `{"status":${status}}`;
        const answered = await ask((_, response) =>
          response.writeHead(status, { "Retry-After": "7", "X-Other": "Ä" }).end(body),
        );
        expect([answered.status, answered.headers["retry-after"], answered.body]).toEqual([
          status,
          "7",
          body,
        ]);
        expect(here.seen).toHaveLength(1);
      },
    );

    test.each([
      ["HTML", "text/html", "<h1>Back soon</h1>"],
      ["JSON that is not whole", "application/json", '{"data":['],
      ["JSON with big numbers", "application/json", '{"id":12345678901234567890}'],
      ["nothing", "application/json", ""],
      ["letters of many scripts", "application/json; charset=utf-8", '{"a":"Größe 美咲 👍"}'],
    ])("gives a body of %s as it came", async (_, type, body) => {
      const { body: given } = await ask((_request, response) =>
        response.writeHead(200, { "content-type": type }).end(body),
      );
      expect(given).toBe(body);
    });

    test("puts a letter together that arrives in two pieces", async () => {
      const bytes = Buffer.from('{"a":"👍"}');
      const { body } = await ask(async (_, response) => {
        response.write(bytes.subarray(0, 8));
        await sleep(30);
        response.end(bytes.subarray(8));
      });
      expect(body).toBe('{"a":"👍"}');
    });

    test("unpacks a compressed body", async () => {
      const { body } = await ask((_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"packed":true}')),
      );
      expect(body).toBe('{"packed":true}');
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
        const { status: given } = await ask((_, response) =>
          response.writeHead(status, { location: `${otherOrigin}/v2/a` }).end(),
        );
        expect(given).toBe(status);
        expect(elsewhere.seen).toEqual([]);
      },
    );

    test("rejects when the connection is cut before, in and after the headers", async () => {
      await expect(ask((request) => request.socket.destroy())).rejects.toThrow();
      await expect(
        ask((request) => {
          request.socket.write("HTTP/1.1 200 OK\r\nContent-Le");
          request.socket.destroy();
        }),
      ).rejects.toThrow();
      await expect(
        ask((request, response) => {
          response.writeHead(200, { "content-length": "100" });
          response.write('{"data":[');
          setTimeout(() => request.socket.destroy(), 20);
        }),
      ).rejects.toThrow();
    });

    test("rejects when a body in chunks stops before its end", async () => {
      await expect(
        ask((request, response) => {
          response.write('{"data":[');
          setTimeout(() => request.socket.destroy(), 20);
        }),
      ).rejects.toThrow();
    });

    test("rejects when nothing comes, or only drops, within its time", async () => {
      const hasty = makeTransport({ apiKey: API_KEY, timeoutMs: SHORT_TIMEOUT_MS });
      here.answer = () => {};
      await expect(hasty({ url: `${origin}/v2/a` })).rejects.toThrow(/no complete response within/);
      here.answer = (_, response) => {
        const timer = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(timer));
      };
      await expect(hasty({ url: `${origin}/v2/a` })).rejects.toThrow(/no complete response within/);
    });

    test("refuses a body of more than 64 MB permanently", async () => {
      const megabyte = Buffer.alloc(1024 * 1024, " ");
      const long = makeTransport({ apiKey: API_KEY, timeoutMs: TIMEOUT_MS });
      here.answer = async (_, response) => {
        response.on("error", () => {});
        const closed = once(response, "close");
        for (let sent = 0; sent < 70 && !response.destroyed; sent++) {
          if (!response.write(megabyte)) await Promise.race([once(response, "drain"), closed]);
        }
        response.end();
      };
      const thrown = await long({ url: `${origin}/v2/a` }).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(Error);
      expect(thrown).toMatchObject({ name: "SurveyExportError", code: "too_large" });
    });

    test("rejects when nobody listens, in a way that may pass", async () => {
      const thrown = await transport({ url: "http://127.0.0.1:9/v2/a" }).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(Error);
      expect(thrown).not.toMatchObject({ name: "SurveyExportError" });
    });

    test("rejects with the signal's reason: before, while waiting, and in the middle of a body", async () => {
      const reason = new Error("enough");
      await expect(ask((_, response) => response.end("{}"), AbortSignal.abort(reason))).rejects.toBe(reason);

      const waiting = new AbortController();
      await expect(ask(() => waiting.abort(reason), waiting.signal)).rejects.toBe(reason);

      const reading = new AbortController();
      const asked = ask((_, response) => {
        response.write('{"data":[');
        setTimeout(() => reading.abort(reason), 30);
      }, reading.signal);
      await expect(asked).rejects.toBe(reason);
    });

    test("an aborted request leaves the line", async () => {
      const gone = new AbortController();
      let left: Promise<unknown> = Promise.resolve();
      const asked = ask((request) => {
        left = once(request.socket, "close");
        gone.abort(new Error("enough"));
      }, gone.signal);
      await expect(asked).rejects.toThrow("enough");
      expect(await Promise.race([left.then(() => "left"), sleep(20_000, "still there")])).toBe("left");
    });

    test("has five requests under way at once, as many as a workspace allows", async () => {
      const waiting: ServerResponse[] = [];
      // Nobody is answered before five have asked: one after another, no answer would come.
      here.answer = (_, response) => {
        waiting.push(response);
        if (waiting.length === 5) for (const one of waiting.splice(0)) one.end("{}");
      };
      const urls = Array.from({ length: 50 }, (_, number) => `${origin}/v2/${number}`);
      const answers = await Promise.all(urls.map((url) => transport({ url })));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(["200 {}"]));
    });

    test("carries the core to the service and back", async () => {
      const sandbox = await startSandbox({ apiKey: API_KEY });
      const clock: Clock = {
        now: Date.now,
        monotonicMs: () => performance.now(),
        sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
      };
      const client = createClient({ transport, clock, log: () => {} }, { baseUrl: sandbox.url });
      expect(await probe(client, { surveyId: "1001" })).toBe("found");
      expect(await probe(client, { surveyId: "nowhere" })).toBe("not found");
      expect(sandbox.service.stats.malformedRequests).toEqual([]);
      await sandbox.close();
    });
  });
}

function answering(exchange: Exchange): RequestListener {
  return (request, response) => {
    exchange.seen.push(request);
    exchange.answer(request, response);
  };
}

const once = (emitter: NodeJS.EventEmitter, event: string) =>
  new Promise((resolve) => {
    emitter.once(event, resolve);
  });
