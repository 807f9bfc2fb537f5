import { gzipSync } from "node:zlib";
import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";
import { createTransport } from "../../../connector/node/transport.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { startServer } from "../../support/server.ts";

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

  it.each<[string, Buffer, string]>([
    ["br", Buffer.from("{}"), 'is in the encoding "br", and only gzip was asked for'],
    ["gzip, gzip", gzipSync(gzipSync("{}")), 'is in the encoding "gzip, gzip", and only gzip was asked for'],
    ["gzip", Buffer.from("{}"), "is not valid gzip"],
    ["gzip", gzipSync(Buffer.from([0x22, 0xfe, 0xff, 0x22])), "is not UTF-8"],
  ])("refuses a page that cannot be read, in the encoding %j", async (encoding, body, reason) => {
    nock(ORIGIN).get("/v2/a").reply(200, body, { "Content-Encoding": encoding });
    await expect(ask()).rejects.toMatchObject({ code: "broken_answer", message: reason });
  });

  it("passes a refusal on whose body cannot be read", async () => {
    for (const encoding of ["br", "gzip"]) {
      nock(ORIGIN)
        .get("/v2/a")
        .reply(503, Buffer.from([0xe4]), { "Content-Encoding": encoding, "Retry-After": "7" });
      expect(await ask()).toMatchObject({ status: 503, body: "", headers: { "retry-after": "7" } });
    }
  });

  it("keeps bodies apart that come in pieces at the same time, whatever their length", async () => {
    const bodyOf = (path: string): string => path.repeat(Number(path.slice("/v2/".length)));
    const server = await startServer(async (request, response) => {
      const body = bodyOf(request.url!);
      for (let at = 0; at < body.length; at += body.length / 4) {
        response.write(body.slice(at, at + body.length / 4));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end();
    });
    const transport = createTransport({ apiKey: "key-1234" });
    const paths = ["4", "40000", "8", "400000", "80000", "400", "44000", "12"].map((times) => `/v2/${times}`);
    const answers = await Promise.all(paths.map((path) => transport({ url: `${server.origin}${path}` })));
    await server.close();
    for (const [at, { body }] of answers.entries()) expect(body === bodyOf(paths[at]!)).toBe(true);
  });

  it("leaves out a byte order mark", async () => {
    nock(ORIGIN).get("/v2/a").reply(200, '\uFEFF{"a":"\uFEFF"}');
    expect((await ask()).body).toBe('{"a":"\uFEFF"}');
  });

  it("tells why the connection failed, and that a certificate that is not accepted is final", async () => {
    const failing = (code: string) =>
      nock(ORIGIN)
        .get("/v2/a")
        .replyWithError(Object.assign(new Error("?"), { code }));
    failing("ECONNREFUSED");
    await expect(ask()).rejects.toThrow("connection refused");
    failing("SELF_SIGNED_CERT_IN_CHAIN");
    await expect(ask()).rejects.toMatchObject({ kind: "config", code: "no_answer" });
  });
});
