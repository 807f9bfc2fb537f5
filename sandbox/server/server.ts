import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { BASE_PATH } from "../http/request.ts";
import { pageReply } from "../page/document.ts";
import { RecentRequests } from "../page/page-data.ts";
import type { AnsweredRequest, ServiceOptions } from "../request-handler.ts";
import { createService, type Service } from "../service.ts";
import type { Clock } from "../time.ts";
import { control, tooLarge } from "./control.ts";
import { Sender, sendBroken } from "./send.ts";

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

/** The most bytes in the body of a control request. */
const LARGEST_BODY = 16 * 1024 * 1024;

/** What takes part in answering. */
interface Parts {
  readonly service: Service;
  readonly recent: RecentRequests;
  readonly sender: Sender;
}

/** Starts the service on 127.0.0.1. A page for people is at `/`, and the control routes are under `/sandbox/`. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = machineClock } = options;
  const recent = new RecentRequests(clock);
  const onAnswer = (answered: AnsweredRequest): void => {
    recent.add(answered);
    options.onAnswer?.(answered);
  };
  const service = createService({ ...options, clock, onAnswer });
  const parts: Parts = { service, recent, sender: new Sender(options.gzip ?? true) };
  const server = createServer({ keepAliveTimeout: 30_000 }, (incoming, outgoing) => {
    serve(parts, incoming, outgoing).catch((thrown: unknown) => {
      if (!outgoing.destroyed) outgoing.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `Port ${options.port} is taken (EADDRINUSE); choose another, or none to get a free one.`;
      reject(error.code === "EADDRINUSE" ? new Error(taken, { cause: error }) : error);
    });
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}${BASE_PATH}`,
    apiKey: service.apiKey,
    service,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(parts: Parts, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { service, recent, sender } = parts;
  const request = { method: incoming.method ?? "GET", url: incoming.url ?? "/", headers: incoming.headers };
  if (request.method === "GET" && /^\/(\?|$)/.test(request.url)) {
    sender.send(pageReply, incoming, outgoing, () => {});
    return;
  }
  if (request.url.startsWith("/sandbox/")) {
    const body = await bodyOf(incoming);
    if (body === undefined) outgoing.setHeader("connection", "close");
    const reply = body === undefined ? tooLarge : control(service, recent, { ...request, body });
    sender.send(reply, incoming, outgoing, () => {});
    return;
  }
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  try {
    const { reply, date, wire, release } = await service.answer(request, gone.signal);
    outgoing.setHeader("date", date);
    outgoing.once("close", release);
    if (gone.signal.aborted) release();
    else if (wire === undefined) sender.send(reply, incoming, outgoing, release);
    else sendBroken(reply, wire, outgoing);
  } catch (thrown) {
    if (!gone.signal.aborted) throw thrown;
  }
}

/** The body of a control request. Undefined if it is too large; then the rest of it is not read. */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop would close the connection without an answer.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The machine's time, from a source that never jumps back. */
const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  },
};
