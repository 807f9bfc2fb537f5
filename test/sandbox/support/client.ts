import { request as httpRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import {
  createService,
  type Sandbox,
  type SandboxOptions,
  type Service,
  startSandbox,
} from "../../../sandbox/index.ts";

/** An answer that came whole. */
export interface ClientReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A client of one service. Paths are below the base URL and begin with a slash. */
export interface TestClient {
  readonly service: Service;
  get(path: string, more?: FetchOptions): Promise<ClientReply>;
}

/** A sandbox that is closed when the test is over. */
export async function started(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Both ways to reach the same service. Tests that run over both prove that they behave the same. */
export const TRANSPORTS: readonly (readonly [
  name: string,
  connect: (options?: SandboxOptions) => Promise<TestClient>,
])[] = [
  ["in process", inProcess],
  ["over a socket", overSocket],
];

/** A client without a socket. */
export async function inProcess(options: SandboxOptions = {}): Promise<TestClient> {
  const service = createService(options);
  const authorization = `Basic ${service.apiKey}`;
  return {
    service,
    get: async (path, more = {}) => {
      const { status, headers, body } = await service.handle({
        method: more.method ?? "GET",
        url: `${service.basePath}${path}`,
        headers: { authorization, ...more.headers },
      });
      return { status, headers, text: body };
    },
  };
}

/** A client over 127.0.0.1, until the test is over. */
export async function overSocket(options: SandboxOptions = {}): Promise<TestClient> {
  const sandbox = await started(options);
  return {
    service: sandbox.service,
    get: (path, more) => fetchWhole(`${sandbox.url}${path}`, sandbox.apiKey, more),
  };
}

/** How far an answer came before it failed. */
export interface Progress {
  status?: number;
  bytes: number;
}

export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Time limit for the whole answer. Default 5000. */
  readonly timeoutMs?: number;
  /** Default 5 million. */
  readonly mostBytes?: number;
  readonly progress?: Progress;
}

/** One request on its own connection. Rejects if the answer is incomplete, too large or too late. */
export function fetchWhole(url: string, apiKey: string, more: FetchOptions = {}): Promise<ClientReply> {
  const progress = more.progress ?? { bytes: 0 };
  const { timeoutMs = 5_000, mostBytes = 5_000_000 } = more;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Basic ${apiKey}`, ...more.headers };
    const outgoing = httpRequest(url, { method: more.method ?? "GET", headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      progress.status = incoming.statusCode ?? 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        progress.bytes += chunk.length;
        if (progress.bytes > mostBytes) outgoing.destroy(new Error("Too large."));
      });
      incoming.on("error", reject);
      incoming.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const zipped = incoming.headers["content-encoding"] === "gzip";
        const text = (zipped ? gunzipSync(bytes) : bytes).toString("utf8");
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    const timer = setTimeout(() => outgoing.destroy(new Error("The answer is too late.")), timeoutMs);
    outgoing.on("close", () => clearTimeout(timer));
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** A list's page. */
// biome-ignore lint/suspicious/noExplicitAny: pages are looked at in every detail, and some are broken on purpose
export type ListPage = { pagination_data: { has_more: boolean; next_url?: string | null }; data: any[] };

/** The page of an answer. Throws if the status is not 200. */
export function pageOf(seen: ClientReply): ListPage {
  if (seen.status !== 200) throw new Error(`Status ${seen.status}: ${seen.text}`);
  return JSON.parse(seen.text);
}

/** The response inside an item, wrapped or bare. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const responseOf = (item: any): any => item.response ?? item;

/** The path for a link, which may or may not begin with a slash. */
export const pathOf = (link: string): string => (link.startsWith("/") ? link : `/${link}`);

/** All items of a list, page by page, and how the walk ended. It never follows a link twice. */
export async function walk(
  client: TestClient,
  path: string,
): Promise<{ items: unknown[]; pages: ListPage[]; ended: "last_page" | "empty_page" | "stuck" }> {
  const followed = new Set<string>();
  const pages: ListPage[] = [];
  let next = path;
  for (;;) {
    followed.add(next);
    const page = pageOf(await client.get(next));
    pages.push(page);
    const items = pages.flatMap(({ data }) => data);
    if (!page.pagination_data.has_more) return { items, pages, ended: "last_page" };
    next = pathOf(page.pagination_data.next_url!);
    if (followed.has(next)) return { items, pages, ended: page.data.length === 0 ? "empty_page" : "stuck" };
  }
}
