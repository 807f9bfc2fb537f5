import type { ServiceReply } from "../http/request-and-reply.ts";
import { changedItems } from "./change-items.ts";
import { dropAt, type JsonObject, setAt } from "./field-path.ts";
import { reworked } from "./page.ts";
import type { ContentFault, StatusFault } from "./reply.ts";

/** The request to whose answer a fault is applied. */
export interface FaultContext {
  /** Path and query below the base URL. */
  readonly self: string;
  /** Path and query below the origin. */
  readonly url: string;
  readonly nowMs: number;
  /** The API key of the request; empty if there is none. */
  readonly key: string;
  /** The id of a survey that is not the one asked for. */
  readonly otherSurvey: string;
  /** An error answer in the form of `choices.errorBody`. */
  readonly error: (status: number) => ServiceReply;
}

/** The true answer, changed by a fault. Faults of envelopes and items change only pages of lists. */
export function applyFault(reply: ServiceReply, fault: ContentFault, request: FaultContext): ServiceReply {
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
    case "date_header":
      return reply;
    case "prefix":
      return { ...reply, body: fault.text + reply.body };
    case "tiny_objects":
      return reply.status === 200 ? { ...reply, body: tinyObjects(fault.count) } : reply;
    case "envelope":
      return reworked(reply, (page) => {
        for (const path of fault.drop ?? []) dropAt(page, path);
        for (const [path, value] of Object.entries(fault.set ?? {})) setAt(page, path, value);
      });
    case "link":
      return reworked(reply, (page) => {
        if (fault.keepLastPage !== true || hasMore(page)) relink(page, fault.to, request);
      });
    case "items":
      return changedItems(reply, fault, request.nowMs);
    case "reverse":
      return reworked(reply, (page) => itemsOf(page).reverse());
    case "empty_page":
      return reworked(reply, (page) => {
        relink(page, fault.to ?? "{self}", request);
        page.data = [];
      });
  }
}

function otherStatus(fault: StatusFault, request: FaultContext): ServiceReply {
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
    body: fault.body === undefined ? own.body : withKey(fault.body, request.key),
  };
}

/** Fills in the API key, in each of the spellings in which a service may quote it. */
function withKey(text: string, key: string): string {
  const codes = Array.from(key, (letter) => letter.charCodeAt(0).toString(16));
  return text
    .replaceAll("{key}", () => key)
    .replaceAll("{key_escaped}", () => codes.map((code) => `\\u${code.padStart(4, "0")}`).join(""))
    .replaceAll("{key_percent}", () => codes.map((code) => `%${code.padStart(2, "0")}`).join(""))
    .replaceAll("{key_upper}", () => key.toUpperCase());
}

const tinyObjects = (count: number): string =>
  `{"pagination_data":{"has_more":false},"data":[${"{},".repeat(Math.max(0, count - 1))}{}]}`;

const itemsOf = (page: JsonObject): unknown[] => page.data as unknown[];

const hasMore = (page: JsonObject): boolean => (page.pagination_data as JsonObject).has_more === true;

function relink(page: JsonObject, to: string, request: FaultContext): void {
  const pagination = page.pagination_data as JsonObject;
  const path = request.self.split("?")[0]!;
  const link = hasMore(page) ? String(pagination.next_url) : request.self;
  const text = to
    .replaceAll("{link}", link.startsWith("/") ? link : `/${link}`)
    .replaceAll("{self}", request.self)
    .replaceAll("{path}", path)
    .replaceAll("{query}", link.includes("?") ? link.slice(link.indexOf("?")) : "")
    .replaceAll("{other_survey}", encodeURIComponent(request.otherSurvey));
  page.pagination_data = { ...pagination, has_more: true, next_url: withKey(text, request.key) };
}
