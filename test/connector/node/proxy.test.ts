import { createServer, type IncomingMessage, request } from "node:http";
import { connect as connectSocket, createServer as createSocketServer, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { freePort, startServer } from "../../support/server.ts";
import { checking, KEY, PAGE } from "./support/check.ts";

/** A forward proxy that brings every request to the sandbox, whatever host it names, and keeps what it was told. */
async function startProxy(sandboxPort: () => number) {
  const seen: string[] = [];
  const keep = (incoming: IncomingMessage): void => {
    seen.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? "without a key"}`);
  };
  const { server, origin, close } = await startServer((incoming, outgoing) => {
    keep(incoming);
    const { pathname, search } = new URL(incoming.url!);
    const onwards = request(
      { host: "127.0.0.1", port: sandboxPort(), path: pathname + search, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onwards.end();
  });
  server.on("connect", (incoming: IncomingMessage, client: Socket) => {
    keep(incoming);
    if (!incoming.url!.endsWith(":80") && !incoming.url!.includes(".internal")) {
      client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      return;
    }
    const onwards = connectSocket(sandboxPort(), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onwards.pipe(client);
      client.pipe(onwards);
    });
    for (const socket of [onwards, client]) socket.on("error", () => {});
  });
  return { seen, url: origin, close };
}

const { check, portOf } = checking();
let sandbox: Sandbox;
let survey: string;
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKey: KEY });
  [survey = ""] = sandbox.service.truth.surveyIds();
  proxy = await startProxy(() => Number(new URL(sandbox.url).port));
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
});
beforeEach(() => {
  proxy.seen.length = 0;
  sandbox.service.resetStats();
});

describe("the proxy that operators configure", () => {
  it("is used for http (HTTP_PROXY)", async () => {
    expect(await check("http://surveys.internal/v2", { HTTP_PROXY: proxy.url }, survey)).toBe("SUCCEEDED");
    expect(proxy.seen.length).toBeGreaterThan(0);
    expect(sandbox.service.stats.requests).toBeGreaterThan(0);
  });

  it("is used for https, which it cannot look into: it is told the host and never the key (HTTPS_PROXY)", async () => {
    expect(await check("https://api.example.com/v2", { HTTPS_PROXY: proxy.url })).toMatch(
      /the proxy that HTTPS_PROXY names could not reach the service, status 502/,
    );
    expect(new Set(proxy.seen)).toEqual(new Set(["CONNECT api.example.com:443 without a key"]));
  });

  it("is left aside for the hosts of NO_PROXY", async () => {
    expect(await check(sandbox.url, { HTTP_PROXY: proxy.url, NO_PROXY: "localhost,127.0.0.1" }, survey)).toBe(
      "SUCCEEDED",
    );
    expect(proxy.seen).toEqual([]);
  });
});

describe("the user's proxy is named as such", () => {
  const SERVICE = "https://api.example.com/v2";

  it("when it demands a password", async () => {
    const proxy = createServer();
    proxy.on("connect", (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    const HTTPS_PROXY = `http://127.0.0.1:${await portOf(proxy)}`;
    expect(await check(SERVICE, { HTTPS_PROXY })).toBe(
      "The proxy that HTTPS_PROXY names demands a user name and a password (status 407). Write them into HTTPS_PROXY, like http://user:password@host:port.",
    );
  });

  it.each([SERVICE, "http://surveys.internal/v2"])("when it is down: %s", async (baseUrl) => {
    expect(await check(baseUrl, { HTTP_PROXY: `http://127.0.0.1:${await freePort()}` })).toContain(
      "the proxy that HTTP_PROXY names cannot be reached: connection refused",
    );
  });

  it("when it hangs up", async () => {
    // After the request has come: a cut before it can reach the program as another fault.
    const port = await portOf(createSocketServer((socket) => socket.once("data", () => socket.destroy())));
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
    const proxy = createServer((request, response) => {
      seen.push(request.url!);
      response.end(PAGE);
    });
    const port = await portOf(proxy);
    expect(await check("http://surveys.internal/v2", { HTTP_PROXY: `127.0.0.1:${port}` })).toBe("SUCCEEDED");
    expect(seen).toEqual(["http://surveys.internal/v2/surveys/a/responses?items_per_page=1"]);
  });

  it.each(["127.0.0.1", "localhost"])("and is never asked for this machine itself: %s", async (host) => {
    let asked = 0;
    const proxy = await portOf(createSocketServer(() => asked++));
    const port = await portOf(createServer((_, response) => response.end(PAGE)));
    expect(await check(`http://${host}:${port}/v2`, { HTTP_PROXY: `http://127.0.0.1:${proxy}` })).toBe(
      "SUCCEEDED",
    );
    expect(asked).toBe(0);
  });
});
