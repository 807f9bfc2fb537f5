import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A second survey service, written from the service's interface alone and independent of the sandbox.
 * A test holds its data, may change them between two syncs, and may answer any request itself.
 */
export interface Item {
  readonly uuid: string;
  readonly survey: string;
  readonly respondent: string;
  /** Microseconds since 1970. */
  readonly at: bigint;
  /** Replaces or adds fields of the response. `undefined` leaves a field out. */
  readonly change?: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** `surveys`, `responses` (of a respondent) or `attributes`. */
  readonly list: string;
  readonly id: string;
  /** 1 for the first request of the service. */
  readonly number: number;
  /** What the service would answer by itself. */
  page(): { status: number; body: Page };
}

export interface Page {
  data: unknown[];
  pagination_data: { has_more: boolean; next_url?: string };
}

/** A body that is neither a string nor a buffer is sent as JSON. `false` leaves the request to the service. */
export type Answer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | false
  | "handled";

export interface Behaviour {
  items: Item[];
  attributes?: (respondent: string) => { id: number; name: string; value: string }[];
  /** Digits after the second that timestamps show. The service filters by all six. */
  digits?: number;
  /** A link begins at the page's last item and not at the one after it. */
  linksToLast?: boolean;
  script?: ((call: Call, response: ServerResponse) => Answer) | undefined;
}

const PAGE_SIZE = 10;
export const MINUTE = 60_000_000n;
export const HOUR = 60n * MINUTE;
export const NOW = BigInt(Date.now()) * 1000n;

export const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Responses of survey "a", a minute apart and more than a week old, each by a respondent of their own. */
export const item = (number: number, change: Partial<Item> = {}): Item => ({
  uuid: uuid(number),
  survey: "a",
  respondent: uuid(900_000 + number),
  at: NOW - 200n * HOUR + BigInt(number) * MINUTE,
  ...change,
});

export const items = (count: number, change: (number: number) => Partial<Item> = () => ({})): Item[] =>
  Array.from({ length: count }, (_, number) => item(number, change(number)));

export function at(text: string): bigint {
  const [, second, fraction = ""] = /^(.{19})(?:\.(\d+))?Z$/.exec(text) ?? [];
  return BigInt(Date.parse(`${second}Z`)) * 1000n + BigInt(fraction.padEnd(6, "0"));
}

export function timestamp(micros: bigint, digits = 6): string {
  const fraction = String(micros % 1_000_000n)
    .padStart(6, "0")
    .slice(0, digits);
  return `${new Date(Number(micros / 1000n)).toISOString().slice(0, 19)}${fraction && "."}${fraction}Z`;
}

function shown(item: Item, digits?: number) {
  return {
    survey: { id: item.survey, type: "PageSurvey", name: `Survey ${item.survey}` },
    response: {
      uuid: item.uuid,
      collected_at: timestamp(item.at, digits),
      url: "https://shop.example/",
      device_type: "Desktop",
      operating_system: "Linux",
      platform: "web",
      answers: [],
      respondent: { uuid: item.respondent, attributes: [] },
      attributes: [],
      ...item.change,
    },
  };
}

function pageOf(behaviour: Behaviour, url: URL, list: string, id: string): Page {
  const size = Number(url.searchParams.get("items_per_page") ?? PAGE_SIZE);
  const start = url.searchParams.get("start");
  const end = url.searchParams.get("end");
  const entries: { show: unknown; place: string }[] = [];
  if (list === "attributes") {
    for (const one of behaviour.attributes?.(id) ?? []) entries.push({ show: one, place: String(one?.id) });
    const from = entries.findIndex((entry) => entry.place === start);
    entries.splice(0, start === null ? 0 : from);
  } else {
    const of = list === "surveys" ? "survey" : "respondent";
    const newest = start === null ? undefined : at(start);
    const oldest = end === null ? undefined : at(end);
    const found = behaviour.items.filter(
      (item) =>
        item[of] === id &&
        !(newest !== undefined && item.at > newest) &&
        !(oldest !== undefined && item.at < oldest),
    );
    found.sort((a, b) => (a.at === b.at ? a.uuid.localeCompare(b.uuid) : a.at < b.at ? 1 : -1));
    for (const item of found.slice(0, size + 1)) {
      entries.push({ show: shown(item, behaviour.digits), place: timestamp(item.at) });
    }
  }
  const next = entries[behaviour.linksToLast ? size - 1 : size];
  if (entries.length <= size || !next) {
    return { data: entries.map((entry) => entry.show), pagination_data: { has_more: false } };
  }
  const query = new URLSearchParams(url.searchParams);
  query.set("start", next.place);
  return {
    data: entries.slice(0, size).map((entry) => entry.show),
    pagination_data: { has_more: true, next_url: `${url.pathname.slice("/v2".length)}?${query}` },
  };
}

export async function startService(behaviour: Behaviour) {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://service");
    calls.push(url.pathname.slice("/v2".length) + url.search);
    const [, , , id = "", last = ""] = url.pathname.split("/").map(decodeURIComponent);
    const list = url.pathname.startsWith("/v2/surveys/") ? "surveys" : last;
    const page = () => {
      const known = list === "surveys" || behaviour.items.some((item) => item.respondent === id);
      return { status: known ? 200 : 404, body: pageOf(behaviour, url, list, id) };
    };
    const call = { request, url, list, id, number: calls.length, page };
    const answer = behaviour.script?.(call, response) || page();
    if (answer === "handled") return;
    const { status = 200, body = "" } = answer;
    const headers = "headers" in answer ? answer.headers : {};
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    behaviour,
    /** Every request so far, below /v2. */
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
