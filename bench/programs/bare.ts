/**
 * The least a program can do for the same pages: fetch with undici, five at once, parse, one JSON line for each item.
 * No checks, no retries, no limits, no state. Arguments: base URL, key, survey ids.
 */
import "./usage.ts";
import { once } from "node:events";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Pool } from "undici";

const [baseUrl = "", apiKey = "", ...surveyIds] = process.argv.slice(2);
const { origin, pathname } = new URL(baseUrl);
const pool = new Pool(origin, { connections: 5 });
const headers = { authorization: `Basic ${apiKey}`, "accept-encoding": "gzip" };
const inflate = promisify(gunzip);

interface Page {
  readonly pagination_data: { readonly has_more: boolean; readonly next_url?: string };
  readonly data: readonly unknown[];
}

async function fetchPage(path: string): Promise<Page> {
  const answer = await pool.request({ path: pathname + path, method: "GET", headers });
  if (answer.headers["content-encoding"] !== "gzip") return (await answer.body.json()) as Page;
  return JSON.parse((await inflate(await answer.body.bytes())).toString()) as Page;
}

async function work(): Promise<void> {
  for (let id = surveyIds.shift(); id !== undefined; id = surveyIds.shift()) {
    let path: string | undefined = `/surveys/${id}/responses?items_per_page=100`;
    while (path !== undefined) {
      const { data, pagination_data }: Page = await fetchPage(path);
      let lines = "";
      for (const item of data) lines += `${JSON.stringify(item)}\n`;
      if (!process.stdout.write(lines)) await once(process.stdout, "drain");
      path = pagination_data.has_more ? pagination_data.next_url : undefined;
    }
  }
}

await Promise.all([work(), work(), work(), work(), work()]);
await pool.close();
