import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect as connectSocket, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { createFolder, runBin } from "../command-line/bin.ts";

const KEY = "PLANTED-k3y-9f2c";

/** A forward proxy that brings every request to the sandbox, whatever host it names, and keeps what it was told. */
async function startProxy(sandboxPort: () => number) {
  const seen: string[] = [];
  const keep = (incoming: IncomingMessage): void => {
    seen.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? "without a key"}`);
  };
  const server = createServer((incoming, outgoing) => {
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
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

let folder: Awaited<ReturnType<typeof createFolder>>;
let sandbox: Sandbox;
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  folder = await createFolder();
  sandbox = await startSandbox({ apiKey: KEY });
  proxy = await startProxy(() => Number(new URL(sandbox.url).port));
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
  await folder.remove();
});
beforeEach(() => {
  proxy.seen.length = 0;
  sandbox.service.resetStats();
});

async function check(baseUrl: string, env: Readonly<Record<string, string>>): Promise<string> {
  const config = { base_url: baseUrl, api_key: KEY, survey_ids: [sandbox.service.truth.surveyIds()[0]] };
  // Both spellings are in use, and either may be set where the tests run.
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  const all = names.flatMap((name) => [
    [name, env[name] ?? ""],
    [name.toLowerCase(), env[name] ?? ""],
  ]);
  const ended = await runBin(["check", "--config", await folder.file("config.json", config)], {
    env: Object.fromEntries(all),
  });
  const { connectionStatus } = ended.messages.find(({ type }) => type === "CONNECTION_STATUS")!;
  expect(ended.stdout + ended.stderr).not.toContain("PLANTED");
  return `${connectionStatus.status} ${connectionStatus.message ?? ""}`.trim();
}

describe("the proxy that operators configure", () => {
  it("is used for http (HTTP_PROXY)", async () => {
    expect(await check("http://surveys.internal/v2", { HTTP_PROXY: proxy.url })).toBe("SUCCEEDED");
    expect(proxy.seen.length).toBeGreaterThan(0);
    expect(sandbox.service.stats.requests).toBeGreaterThan(0);
  });

  it("is used for https, which it cannot look into: it is told the host and never the key (HTTPS_PROXY)", async () => {
    expect(await check("https://api.example.com/v2", { HTTPS_PROXY: proxy.url })).toMatch(
      /the proxy that https_proxy names could not reach the service, status 502/,
    );
    expect(new Set(proxy.seen)).toEqual(new Set(["CONNECT api.example.com:443 without a key"]));
  });

  it("is left aside for the hosts of NO_PROXY", async () => {
    expect(await check(sandbox.url, { HTTP_PROXY: proxy.url, NO_PROXY: "localhost,127.0.0.1" })).toBe(
      "SUCCEEDED",
    );
    expect(proxy.seen).toEqual([]);
  });

  it("never sees a request to a public host over plain http, which is refused before it is made", async () => {
    expect(await check("http://api.example.com/v2", { HTTP_PROXY: proxy.url })).toBe(
      "FAILED base_url uses plain http, which would show the key to everyone on the way. Use https. Plain http is accepted only for this machine, a private address, a name without dots, .local and .internal.",
    );
    expect(proxy.seen).toEqual([]);
  });
});
