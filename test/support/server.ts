import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server of this machine that answers as the test says. */
export async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  const firstRequest = once(server, "request");
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    server,
    firstRequest,
    port,
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The same until the running test is over. */
export async function serverForTest(listener: RequestListener) {
  const server = await startServer(listener);
  onTestFinished(server.close);
  return server;
}

/** A port of this machine at which nothing listens. */
export async function freePort(): Promise<number> {
  const { port, close } = await startServer(() => {});
  await close();
  return port;
}
