import { spawnSync } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import type { TlsOptions } from "node:tls";
import { beforeAll, describe, expect, it } from "vitest";
import { createAuthority } from "../../support/certificates.ts";
import { checking, PAGE } from "./support/check.ts";

const { check, folder, portOf } = checking();
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

describe.runIf(hasOpenssl)("a fault of https is named, with what helps", () => {
  let authority: ReturnType<typeof createAuthority>;
  beforeAll(() => {
    authority = createAuthority(folder.path("authority"));
  });
  const trusting = () => ({ NODE_EXTRA_CA_CERTS: authority.file });
  const serve = (options: TlsOptions) =>
    portOf(createHttpsServer(options, (_, response) => response.end(PAGE)));

  it("and a certificate that is trusted and right is none", async () => {
    const port = await serve(authority.issue("IP:127.0.0.1"));
    expect(await check(`https://127.0.0.1:${port}/v2`, trusting())).toBe("SUCCEEDED");
  });

  it("an authority that nobody knows", async () => {
    const port = await serve(authority.issue("IP:127.0.0.1"));
    expect(await check(`https://127.0.0.1:${port}/v2`)).toBe(
      "The service's certificate comes from an authority that Node.js does not know. If this machine trusts the certificate's authority, set NODE_USE_SYSTEM_CA=1; else name the authority's file in NODE_EXTRA_CA_CERTS.",
    );
  });

  it("another host name", async () => {
    const port = await serve(authority.issue("DNS:elsewhere.example"));
    expect(await check(`https://127.0.0.1:${port}/v2`, trusting())).toBe(
      "The service's certificate is for another host name. Correct the host name in the base URL.",
    );
  });

  it("a certificate that has expired", async () => {
    const port = await serve(authority.issue("IP:127.0.0.1", "20200101000000Z", "20210101000000Z"));
    expect(await check(`https://127.0.0.1:${port}/v2`, trusting())).toBe(
      "The service's certificate has expired. Check this machine's clock; if it is right, tell the service.",
    );
  });

  it("a client certificate that is demanded", async () => {
    const port = await serve({
      ...authority.issue("IP:127.0.0.1"),
      requestCert: true,
      rejectUnauthorized: true,
    });
    expect(await check(`https://127.0.0.1:${port}/v2`, trusting())).toContain(
      "the connection was cut before any answer, as happens if the service demands a client certificate",
    );
  });

  it("a port that speaks plain http", async () => {
    const port = await portOf(createHttpServer((_, response) => response.end(PAGE)));
    expect(await check(`https://127.0.0.1:${port}/v2`)).toMatch(
      /^The service does not answer with https at this port\. Correct the port in the base URL/,
    );
  });
});

describe("an answer that is none is named", () => {
  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9\r\n", "(the answer is not HTTP; "],
    [
      "endless headers",
      `HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}\r\n\r\n{}`,
      "(the answer's headers are too large; ",
    ],
    ["an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "cannot be used: it is empty. "],
  ])("%s", async (_, answer, words) => {
    const port = await portOf(
      createServer((socket) => {
        socket.on("error", () => {}).once("data", () => socket.end(answer));
      }),
    );
    expect(await check(`http://127.0.0.1:${port}/v2`)).toContain(words);
  });
});
