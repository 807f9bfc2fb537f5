import { BASE_PATH, errorReply, type ServiceReply } from "../http/request.ts";
import { formatTimestamp } from "../time.ts";
import type { ContentFault, FieldChanges, ItemsFault } from "./kinds.ts";

/** The request to whose answer a fault is applied. */
export interface FaultContext {
  /** Path and query below the origin. */
  readonly url: string;
  readonly nowMs: number;
  /** The API key of the request; empty if there is none. */
  readonly key: string;
  /** The id of a survey that is not the one asked for. */
  readonly otherSurvey: string;
}

/** The true answer, changed by a fault. Faults of envelopes and items change only pages of lists. */
export function applyFault(reply: ServiceReply, fault: ContentFault, request: FaultContext): ServiceReply {
  switch (fault.kind) {
    case "status": {
      const own = errorReply(fault.status, "The service is not well.", fault.retryAfter);
      const type = fault.contentType === undefined ? {} : { "content-type": fault.contentType };
      const body = fault.body?.replaceAll("{key}", () => request.key) ?? own.body;
      return { status: fault.status, headers: { ...own.headers, ...type }, body };
    }
    case "redirect": {
      const location = fault.to.replaceAll("{path}", () => request.url);
      return { status: fault.status ?? 302, headers: { location }, body: "" };
    }
    case "delay":
    case "date_header":
      return reply;
    default:
      return reply.status === 200 ? { ...reply, body: changed(reply.body, fault, request) } : reply;
  }
}

type PageFault = Exclude<ContentFault, { kind: "status" | "redirect" | "delay" | "date_header" }>;

interface JsonObject {
  [field: string]: unknown;
}

/** A page of a list, as the service itself wrote it. */
interface ListPage extends JsonObject {
  pagination_data: { has_more: boolean; next_url?: string | null };
  data: JsonObject[];
}

function changed(body: string, fault: PageFault, request: FaultContext): string {
  const page: ListPage = JSON.parse(body);
  if (page.pagination_data === undefined) return body;
  const { has_more } = page.pagination_data;
  if (fault.kind === "envelope") changeFields(page, fault);
  if (fault.kind === "items") changeItems(page.data, fault, request.nowMs);
  if (fault.kind === "reverse") page.data.reverse();
  if (fault.kind === "link" && (has_more || !fault.keepLastPage)) relink(page, fault.to, request);
  if (fault.kind === "empty_page") {
    relink(page, fault.to ?? "{self}", request);
    page.data = [];
  }
  return JSON.stringify(page);
}

function relink(page: ListPage, to: string, request: FaultContext): void {
  const { has_more, next_url } = page.pagination_data;
  const self = request.url.slice(BASE_PATH.length);
  const link = has_more ? String(next_url) : self;
  const values: Readonly<Record<string, string>> = {
    "{link}": link.startsWith("/") ? link : `/${link}`,
    "{self}": self,
    "{path}": self.replace(/\?.*$/s, ""),
    "{query}": link.replace(/^[^?]*/, ""),
    "{other_survey}": encodeURIComponent(request.otherSurvey),
    "{key}": request.key,
  };
  page.pagination_data = {
    has_more: true,
    next_url: to.replaceAll(/\{\w+\}/g, (name) => values[name] ?? name),
  };
}

function changeItems(data: readonly JsonObject[], fault: ItemsFault, nowMs: number): void {
  const { which = 0, aheadMs } = fault;
  for (const item of which === "every" ? data : data.slice(which, which + 1)) {
    const record = isObject(item.response) ? item.response : item;
    if (aheadMs !== undefined) record.collected_at = formatTimestamp(Math.floor(nowMs + aheadMs) * 1_000);
    changeFields(record, fault);
  }
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** Has no effect if there is no object on the way to a field. */
function changeFields(object: JsonObject, { drop = [], set = {} }: FieldChanges): void {
  for (const path of [...drop, ...Object.keys(set)]) {
    const steps = path.split(".");
    const field = steps.pop() ?? "";
    const holder = steps.reduce<unknown>(
      (above, step) => (isObject(above) ? above[step] : undefined),
      object,
    );
    if (!isObject(holder)) continue;
    if (Object.hasOwn(set, path)) holder[field] = set[path];
    else delete holder[field];
  }
}

/** The part of a body that arrives before a cut. */
export const firstHalf = (body: string): string => body.slice(0, Math.floor(body.length / 2));
