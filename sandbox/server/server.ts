import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { BASE_PATH } from "../http/request.ts";
import { pageReply } from "../page/document.ts";
import { RecentRequests } from "../page/page-data.ts";
import { Service, type ServiceOptions } from "../service.ts";
import type { Clock } from "../time.ts";
import { control } from "./control.ts";
import { acceptsGzip, send, sendBroken } from "./send.ts";

export interface SandboxOptions extends ServiceOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Compresses bodies for clients that accept it. Default true. */
  readonly gzip?: boolean;
}

/** A running service on this machine. */
export interface Sandbox {
  /** The base URL, such as `http://127.0.0.1:40123/v2`. */
  readonly url: string;
  readonly apiKey: string;
  readonly service: Service;
  /** Closes all connections, also in the middle of an answer. */
  close(): Promise<void>;
}

/** Starts the service on 127.0.0.1. A page for people is at `/`, and the control routes are under `/sandbox/`. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = machineClock, gzip = true } = options;
  const recent = new RecentRequests(clock);
  const service = new Service({
    ...options,
    clock,
    onAnswer(answered) {
      recent.add(answered);
      options.onAnswer?.(answered);
    },
  });
  const server = createServer({ keepAliveTimeout: 30_000 }, (incoming, outgoing) => {
    serve(service, recent, gzip, incoming, outgoing).catch((thrown: unknown) => {
      if (!outgoing.destroyed) outgoing.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${BASE_PATH}`,
    apiKey: service.apiKey,
    service,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  service: Service,
  recent: RecentRequests,
  gzip: boolean,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = incoming;
  const mayZip = gzip && acceptsGzip(incoming);
  if (method === "GET" && /^\/(\?|$)/.test(url)) return send(pageReply, outgoing, mayZip, () => {});
  if (url.startsWith("/sandbox/")) {
    return send(await control(service, recent, incoming), outgoing, mayZip, () => {});
  }
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  try {
    const { reply, date, wire, release } = await service.answer({ method, url, headers }, gone.signal);
    outgoing.setHeader("date", date);
    outgoing.once("close", release);
    if (gone.signal.aborted) release();
    else if (wire === undefined) send(reply, outgoing, mayZip, release);
    else sendBroken(reply, wire, outgoing);
  } catch (thrown) {
    if (!gone.signal.aborted) throw thrown;
  }
}

/** The machine's time, from a source that never jumps back. */
export const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  },
};
