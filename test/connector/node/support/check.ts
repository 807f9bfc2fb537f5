import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { afterEach, expect } from "vitest";
import { runBin, runWarm } from "../../../support/bin.ts";
import { testFolder } from "../../../support/folder.ts";

export const KEY = "PLANTED-k3y-9f2c";
/** An empty page of the service. */
export const PAGE = '{"data":[],"pagination_data":{"has_more":false}}';
const PROXIES = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "no_proxy"];

/** Checks of a connection by the program, and servers that a test starts. For the tests of one file. */
export function checking() {
  const folder = testFolder();
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const portOf = async (server: Server): Promise<number> => {
    servers.push(server);
    server.on("tlsClientError", () => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  return {
    folder,
    /** Starts a server of this machine. @returns its port */
    portOf,
    /** What `check` answers, over real sockets and with no proxies but those given. */
    async check(baseUrl: string, env: Readonly<Record<string, string>> = {}, survey = "a"): Promise<string> {
      const config = { base_url: baseUrl, api_key: KEY, survey_ids: [survey] };
      // Node reads these only when its process starts.
      const run = "NODE_EXTRA_CA_CERTS" in env || "NODE_OPTIONS" in env ? runBin : runWarm;
      const none = Object.fromEntries(PROXIES.map((name) => [name, ""]));
      const { stdout, stderr, messages } = await run(await folder.words("check", { config }), {
        env: { ...none, ...env },
      });
      expect(stdout + stderr).not.toContain("PLANTED");
      expect(stderr).toBe("");
      const { connectionStatus, trace } = messages.at(-1)!;
      return connectionStatus ? (connectionStatus.message ?? connectionStatus.status) : trace.error.message;
    },
  };
}
