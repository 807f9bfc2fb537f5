import { gzipSync } from "node:zlib";
import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";
import { createTransport } from "../../connector/node/transport.ts";
import packageJson from "../../package.json" with { type: "json" };
import { startServer } from "./server.ts";

const ORIGIN = "http://service.test";
const ask = (
  options: Partial<Parameters<typeof createTransport>[0]> = {},
  signal?: AbortSignal,
  address = ORIGIN,
) => createTransport({ apiKey: "key-1234", ...options })({ url: `${address}/v2/a` }, signal);

afterEach(() => {
  nock.cleanAll();
  nock.restore();
  nock.activate();
});

describe("the transport over undici", () => {
  it("sends the key literally, says who it is, accepts gzip, and sends path and query byte for byte", async () => {
    const seen: unknown[] = [];
    const server = await startServer((request, response) => {
      seen.push(request.url, request.headers);
      response.end("{}");
    });
    const path = "/v2/surveys/a%2Fb/responses?attributes[]=x&start=2026-01-01T00:00:00.000000Z&q='%27";
    await createTransport({ apiKey: "key-1234" })({ url: `${server.origin}${path}` });
    await server.close();
    expect(seen).toEqual([
      path,
      expect.objectContaining({
        authorization: "Basic key-1234",
        "accept-encoding": "gzip",
        "user-agent": `survey-export/${packageJson.version} (+${packageJson.homepage})`,
      }),
    ]);
  });

  it.each([200, 204, 302, 404, 429, 500])("resolves with status %i and follows nothing", async (status) => {
    nock(ORIGIN)
      .get("/v2/a")
      .reply(status, "body", { Location: "http://elsewhere.test/", "Retry-After": "7" });
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.headers["retry-after"]).toBe("7");
  });

  it("unpacks gzip", async () => {
    nock(ORIGIN).get("/v2/a").reply(200, gzipSync('{"ä":1}'), { "Content-Encoding": "gzip" });
    expect((await ask()).body).toBe('{"ä":1}');
  });

  it("refuses a body of more than 64 MB, packed ones too", async () => {
    const sentence = /more than 64 MB/;
    const server = await startServer((_, response) => response.end("x".repeat(65 * 1024 * 1024)));
    await expect(ask({}, undefined, server.origin)).rejects.toThrow(sentence);
    await server.close();
    nock(ORIGIN)
      .get("/v2/a")
      .reply(200, gzipSync("x".repeat(65 * 1024 * 1024)), { "Content-Encoding": "gzip" });
    await expect(ask()).rejects.toThrow(sentence);
  });

  it("gives up on an answer that does not come in time, or that drips", async () => {
    const silent = await startServer(() => {});
    await expect(ask({ timeoutMs: 50 }, undefined, silent.origin)).rejects.toThrow(
      "no whole answer within 0.05 s",
    );
    await silent.close();
    const dripping = await startServer((_, response) => {
      const timer = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(timer));
    });
    await expect(ask({ timeoutMs: 100 }, undefined, dripping.origin)).rejects.toThrow(
      "no whole answer within 0.1 s",
    );
    await dripping.close();
  });

  it("rejects with the signal's reason once that is aborted, before and during a request", async () => {
    const reason = new Error("enough");
    await expect(ask({}, AbortSignal.abort(reason))).rejects.toBe(reason);
    const silent = await startServer(() => controller.abort(reason));
    const controller = new AbortController();
    await expect(ask({}, controller.signal, silent.origin)).rejects.toBe(reason);
    await silent.close();
  });

  it.each([
    ["ECONNREFUSED", "nothing accepts connections there"],
    ["ENOTFOUND", "the host name is not known"],
    ["ECONNRESET", "the connection was cut"],
  ])("tells %s in plain words", async (code, words) => {
    nock(ORIGIN)
      .get("/v2/a")
      .replyWithError(Object.assign(new Error("?"), { code }));
    await expect(ask()).rejects.toThrow(words);
  });

  it("takes a certificate that is not accepted for final, since waiting mends none", async () => {
    nock(ORIGIN)
      .get("/v2/a")
      .replyWithError(Object.assign(new Error("?"), { code: "SELF_SIGNED_CERT_IN_CHAIN" }));
    await expect(ask()).rejects.toMatchObject({ kind: "config", code: "no_answer" });
  });
});
