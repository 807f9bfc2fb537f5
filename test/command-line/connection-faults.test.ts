import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { TlsOptions } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createAuthority } from "../node/certificates.ts";
import { createFolder, runBin } from "./bin.ts";
import { runWarm } from "./warm-bin.ts";

const KEY = "PLANTED-k3y-9f2c";
const NO_PROXY = {
  http_proxy: "",
  https_proxy: "",
  HTTP_PROXY: "",
  HTTPS_PROXY: "",
  NO_PROXY: "",
  no_proxy: "",
};
let folder: Awaited<ReturnType<typeof createFolder>>;
const servers: Server[] = [];
beforeAll(async () => {
  folder = await createFolder();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => folder.remove());

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** What `check` answers, in one process and over real sockets. */
async function check(baseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const config = { base_url: baseUrl, api_key: KEY, survey_ids: ["a"] };
  const file = await folder.file("config.json", config);
  // Node reads these certificates only when its process starts.
  const run = "NODE_EXTRA_CA_CERTS" in env ? runBin : runWarm;
  const { stdout, stderr, messages } = await run(["check", "--config", file], {
    env: { ...NO_PROXY, ...env },
  });
  expect(stdout + stderr).not.toContain("PLANTED");
  expect(stderr).toBe("");
  const { connectionStatus, trace } = messages.at(-1)!;
  return connectionStatus ? (connectionStatus.message ?? connectionStatus.status) : trace.error.message;
}

const PAGE = '{"data":[],"pagination_data":{"has_more":false}}';
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

  it.each(["TLSv1", "TLSv1.1"] as const)("a version of TLS that is too old: %s", async (version) => {
    const port = await serve({
      ...authority.issue("IP:127.0.0.1"),
      minVersion: version,
      maxVersion: version,
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    expect(await check(`https://127.0.0.1:${port}/v2`, trusting())).toMatch(
      /^The service and this program have no version or cipher of TLS in common/,
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

describe("the user's proxy is named as such", () => {
  const SERVICE = "https://api.example.com/v2";

  it("when it demands a password", async () => {
    const proxy = createHttpServer();
    proxy.on("connect", (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    const HTTPS_PROXY = `http://127.0.0.1:${await portOf(proxy)}`;
    expect(await check(SERVICE, { HTTPS_PROXY })).toBe(
      "The proxy that HTTPS_PROXY names demands a user name and a password (status 407). Write them into HTTPS_PROXY, like http://user:password@host:port.",
    );
  });

  it("when it demands a password for plain http", async () => {
    const port = await portOf(createHttpServer((_, response) => response.writeHead(407).end()));
    expect(await check("http://surveys.internal/v2", { http_proxy: `http://127.0.0.1:${port}` })).toMatch(
      /^The proxy that http_proxy names demands a user name and a password/,
    );
  });

  it("when it refuses the service", async () => {
    const proxy = createHttpServer();
    proxy.on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    expect(await check(SERVICE, { HTTPS_PROXY: `http://127.0.0.1:${await portOf(proxy)}` })).toMatch(
      /^The proxy that HTTPS_PROXY names refuses to connect to the service \(status 403\)/,
    );
  });

  it.each([SERVICE, "http://surveys.internal/v2"])("when it is down: %s", async (baseUrl) => {
    const closed = createServer();
    const port = await portOf(closed);
    closed.close();
    await once(closed, "close");
    expect(await check(baseUrl, { HTTP_PROXY: `http://127.0.0.1:${port}` })).toContain(
      "the proxy that HTTP_PROXY names cannot be reached: connection refused",
    );
  });

  it("when it hangs up", async () => {
    // After the request has come: a cut before it can reach the program as another fault.
    const port = await portOf(createServer((socket) => socket.once("data", () => socket.destroy())));
    expect(await check(SERVICE, { HTTPS_PROXY: `http://127.0.0.1:${port}` })).toContain(
      "the proxy that HTTPS_PROXY names cannot be reached: the connection was cut",
    );
  });

  it.each(["http://", "ftp://proxy.example.com", "http://proxy:99999", "http://user:s3cret@"])(
    "when its address is none, without showing it: %s",
    async (address) => {
      expect(await check(SERVICE, { HTTPS_PROXY: address })).toBe(
        "The environment variable HTTPS_PROXY is not a proxy's address. Write it like http://proxy.example.com:3128, or remove it.",
      );
    },
  );

  it.each(["http://user:s3cr%zz@127.0.0.1:8447", "http://us%er:s3cr3t@127.0.0.1:8447"])(
    "when its user name or password holds a bare percent sign, without showing it: %s",
    async (address) => {
      expect(await check(SERVICE, { HTTPS_PROXY: address })).toBe(
        "The user name or the password in the environment variable HTTPS_PROXY cannot be decoded. Write each % in them as %25.",
      );
    },
  );

  it("and one without a scheme works", async () => {
    const seen: string[] = [];
    const proxy = createHttpServer((request, response) => {
      seen.push(request.url!);
      response.end(PAGE);
    });
    const port = await portOf(proxy);
    expect(await check("http://surveys.internal/v2", { HTTP_PROXY: `127.0.0.1:${port}` })).toBe("SUCCEEDED");
    expect(seen).toEqual(["http://surveys.internal/v2/surveys/a/responses?items_per_page=1"]);
  });

  it.each(["127.0.0.1", "localhost"])("and is never asked for this machine itself: %s", async (host) => {
    let asked = 0;
    const proxy = await portOf(createServer(() => asked++));
    const port = await portOf(createHttpServer((_, response) => response.end(PAGE)));
    expect(await check(`http://${host}:${port}/v2`, { HTTP_PROXY: `http://127.0.0.1:${proxy}` })).toBe(
      "SUCCEEDED",
    );
    expect(asked).toBe(0);
  });
});

describe("an answer that is no answer of HTTP", () => {
  it("with status 099 is refused at once, not waited for", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write("HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\n{}"));
    });
    expect(await check(`http://127.0.0.1:${await portOf(server)}/v2`)).toContain("(status 099 to GET ");
  });
});

describe("a port that there cannot be", () => {
  it("is a fault of base_url", async () => {
    expect(await check("https://api.example.com:99999/v2")).toBe(
      "base_url has a port above 65535. Correct the port.",
    );
  });
});
