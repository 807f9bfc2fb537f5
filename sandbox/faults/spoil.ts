import type { ServiceReply } from "../http/exchange.ts";
import { dropAt, type JsonObject, setAt } from "./dotted.ts";
import type { ContentFault, ItemsFault, StatusFault } from "./reply.ts";

/** What a fault may need to know of the request it spoils. */
export interface Spoiled {
  /** Path and query below the base URL. */
  readonly self: string;
  /** Path and query below the origin. */
  readonly url: string;
  readonly nowMs: number;
  /** An error answer in the service's own form. */
  readonly error: (status: number) => ServiceReply;
}

/** The true answer as a fault leaves it. Faults of envelopes and items leave alone what is not a list's page. */
export function spoil(reply: ServiceReply, fault: ContentFault, request: Spoiled): ServiceReply {
  switch (fault.kind) {
    case "status":
      return otherStatus(fault, request);
    case "redirect":
      return {
        status: fault.status ?? 302,
        headers: { location: fault.to.replaceAll("{path}", request.url) },
        body: "",
      };
    case "delay":
      return reply;
    case "envelope":
      return reworked(reply, (page) => {
        for (const path of fault.drop ?? []) dropAt(page, path);
        for (const [path, value] of Object.entries(fault.set ?? {})) setAt(page, path, value);
      });
    case "link":
      return reworked(reply, (page) => relink(page, fault.to, request));
    case "items":
      return reworked(reply, (page) => changeItems(page, fault));
    case "reverse":
      return reworked(reply, (page) => itemsOf(page).reverse());
    case "empty_page":
      return reworked(reply, (page) => {
        relink(page, fault.to ?? "{self}", request);
        page.data = [];
      });
  }
}

function otherStatus(fault: StatusFault, request: Spoiled): ServiceReply {
  const own = request.error(fault.status);
  const { retryAfter } = fault;
  const wait =
    typeof retryAfter === "object"
      ? new Date(request.nowMs + retryAfter.dateInMs).toUTCString()
      : retryAfter?.toString();
  return {
    status: fault.status,
    headers: {
      ...own.headers,
      ...(fault.contentType !== undefined && { "content-type": fault.contentType }),
      ...(wait !== undefined && { "retry-after": wait }),
    },
    body: fault.body ?? own.body,
  };
}

function reworked(reply: ServiceReply, rework: (page: JsonObject) => void): ServiceReply {
  if (reply.status !== 200) return reply;
  const page = JSON.parse(reply.body) as JsonObject;
  if (!Array.isArray(page.data)) return reply;
  rework(page);
  return { ...reply, body: JSON.stringify(page) };
}

const itemsOf = (page: JsonObject): unknown[] => page.data as unknown[];

function relink(page: JsonObject, to: string, request: Spoiled): void {
  const pagination = page.pagination_data as JsonObject;
  const path = request.self.split("?")[0]!;
  const link = pagination.has_more === true ? String(pagination.next_url) : request.self;
  const text = to
    .replaceAll("{link}", link.startsWith("/") ? link : `/${link}`)
    .replaceAll("{self}", request.self)
    .replaceAll("{path}", path);
  page.pagination_data = { ...pagination, has_more: true, next_url: text };
}

function changeItems(page: JsonObject, fault: ItemsFault): void {
  const items = itemsOf(page);
  const { which = "first" } = fault;
  const first = which === "every" || which === "first" ? 0 : which === "last" ? items.length - 1 : which;
  const count = which === "every" ? items.length : 1;
  for (let place = Math.max(0, first); place < Math.min(items.length, first + count); place += 1) {
    if ("become" in fault) items[place] = fault.become;
    else changeItem(items[place] as JsonObject, fault);
  }
}

function changeItem(item: JsonObject, fault: ItemsFault): void {
  const record = (item.response ?? item) as JsonObject;
  for (const path of fault.drop ?? []) dropAt(record, path);
  for (const [path, value] of Object.entries(fault.set ?? {})) setAt(record, path, value);
  for (const [path, count] of Object.entries(fault.fill ?? {})) setAt(record, path, "x".repeat(count));
}
