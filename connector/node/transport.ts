import type { IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { type HttpResponse, SurveyExportError, type Transport } from "@survey-export/core";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import packageJson from "../../package.json" with { type: "json" };

export interface TransportOptions {
  readonly apiKey: string;
  readonly maxConcurrentRequests?: number;
  /** For one whole answer, from the request to its last byte. Default two minutes. */
  readonly timeoutMs?: number;
}

const LARGEST_BODY = 64 * 1024 * 1024;
/** Inflated in small pieces: the last of each answer outlives it until a full garbage collection. */
const INFLATED_AT_ONCE = 32 * 1024;

/**
 * The core's transport over undici: a pool of kept-alive connections, the key in the header (the literal
 * `Basic <key>`, see the service interface), gzip, bounded bodies, a deadline for each answer, no redirects.
 * Proxies are taken from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as operators expect.
 */
export function createTransport(options: TransportOptions): Transport {
  const { apiKey, maxConcurrentRequests = 5, timeoutMs = 120_000 } = options;
  const settings = {
    connections: maxConcurrentRequests,
    pipelining: 1,
    connect: { timeout: 15_000 },
    maxResponseSize: LARGEST_BODY,
  };
  const dispatcher: Dispatcher = usesProxy() ? new EnvHttpProxyAgent(settings) : new Agent(settings);
  const headers = {
    accept: "application/json",
    "accept-encoding": "gzip",
    authorization: `Basic ${apiKey}`,
    "user-agent": `survey-export/${packageJson.version} (+${packageJson.homepage})`,
  };

  return async ({ url }, signal) => {
    const { origin } = new URL(url);
    const deadline = new AbortController();
    const stop = (): void => deadline.abort(signal?.reason);
    if (signal?.aborted) throw signal.reason;
    signal?.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(
      () => deadline.abort(new Error(`no whole answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    try {
      const answer = await receive(
        dispatcher,
        {
          origin,
          path: url.slice(origin.length),
          method: "GET",
          headers,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        },
        deadline.signal,
      );
      return { status: answer.status, headers: single(answer.headers), body: decoded(answer) };
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason;
      throw understandable(deadline.signal.aborted ? deadline.signal.reason : thrown);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  };
}

function usesProxy(): boolean {
  return ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].some((name) =>
    Boolean(process.env[name]),
  );
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/**
 * One whole answer, by undici's plainest interface: pages are taken whole anyway, and a stream for each of them
 * costs more than all the rest of receiving it.
 */
function receive(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    let started: Dispatcher.DispatchController | undefined;
    const stop = (): void => {
      started?.abort(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        started = controller;
        if (signal.aborted) stop();
      },
      onResponseStart(_, statusCode, received) {
        status = statusCode;
        headers = received;
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        resolve({
          status,
          headers,
          bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
        });
      },
      onResponseError: (_, error) => reject(error),
    });
  });
}

/** Inflating a page takes less than handing it to another thread would. */
function decoded({ headers, bytes }: Answer): string {
  const compressed = headers["content-encoding"]?.toString().toLowerCase() === "gzip";
  const body = compressed
    ? gunzipSync(bytes, { maxOutputLength: LARGEST_BODY, chunkSize: INFLATED_AT_ONCE })
    : bytes;
  return body.toString("utf8");
}

function single(headers: IncomingHttpHeaders): HttpResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

function tooLarge(): SurveyExportError {
  return new SurveyExportError(
    "system",
    "too_large",
    "The service sent an answer of more than 64 MB, which no page of responses should be. Lower items_per_page, and report this to the service if it goes on.",
  );
}

const PLAIN: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing accepts connections there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 15 s",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "the answer stopped coming",
};

/** The fault in plain words. One that no waiting will mend (a certificate) is final. */
function understandable(thrown: unknown): unknown {
  if (thrown instanceof SurveyExportError || !(thrown instanceof Error)) return thrown;
  const first =
    thrown instanceof AggregateError && thrown.errors[0] instanceof Error ? thrown.errors[0] : thrown;
  const code = String((first as { code?: unknown }).code ?? "");
  if (code === "ERR_BUFFER_TOO_LARGE" || code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return tooLarge();
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS/.test(code)) {
    return new SurveyExportError(
      "config",
      "no_answer",
      `The service's certificate was not accepted (${code}). Check base_url; if the service's certificate comes from an authority of your own, name its file in NODE_EXTRA_CA_CERTS.`,
      { cause: thrown },
    );
  }
  return new Error(PLAIN[code] ?? first.message, { cause: thrown });
}
