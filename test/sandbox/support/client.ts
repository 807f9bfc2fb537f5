import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../sandbox/index.ts";

/** An answer that came whole. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: pages are looked at in every detail, and some are broken on purpose
export type ListPage = { pagination_data: { has_more: boolean; next_url?: string | null }; data: any[] };

/** A client of a sandbox over HTTP. Paths are below the base URL. */
export interface Client {
  readonly sandbox: Sandbox;
  get(path: string, init?: RequestInit): Promise<Reply>;
  /** Throws if the status is not 200. */
  page(path: string): Promise<ListPage>;
  /** All pages of a list, by its links. Throws if a link comes again. */
  walk(path: string): Promise<ListPage[]>;
}

/** A sandbox and a client of it, until the test is over. */
export async function connected(options: SandboxOptions = {}): Promise<Client> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  const authorization = `Basic ${sandbox.apiKey}`;
  const get: Client["get"] = async (path, init = {}) => {
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    const url = `${sandbox.url}${path.startsWith("/") ? path : `/${path}`}`;
    const answer = await fetch(url, { redirect: "manual", ...init, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const page: Client["page"] = async (path) => {
    const { status, text } = await get(path);
    if (status !== 200) throw new Error(`Status ${status}: ${text}`);
    return JSON.parse(text);
  };
  const walk: Client["walk"] = async (path) => {
    const pages: ListPage[] = [];
    const followed = new Set<string>();
    for (let next = path; ; ) {
      if (followed.has(next)) throw new Error(`The link ${next} came again.`);
      followed.add(next);
      const read = await page(next);
      pages.push(read);
      if (!read.pagination_data.has_more) return pages;
      next = read.pagination_data.next_url!;
    }
  };
  return { sandbox, get, page, walk };
}

/** The response inside an item, wrapped or not. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const responseOf = (item: any): any => item.response ?? item;
