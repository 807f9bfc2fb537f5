import { errorReply, type ServiceReply } from "../http/reply.ts";
import { formatTimestamp } from "../time.ts";
import type { ContentFault, ItemsFault } from "./kinds.ts";

/** The request to whose answer a fault is applied. */
interface FaultContext {
  /** Path and query below the base URL. */
  readonly self: string;
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
    case "envelope":
      return reworked(reply, (page) => changeFields(page, fault));
    case "link":
      return reworked(reply, (page) => {
        if (fault.keepLastPage !== true || page.pagination_data.has_more) relink(page, fault.to, request);
      });
    case "items":
      return reworked(reply, ({ data }) => changeItems(data, fault, request.nowMs));
    case "reverse":
      return reworked(reply, ({ data }) => data.reverse());
    case "empty_page":
      return reworked(reply, (page) => {
        relink(page, fault.to ?? "{self}", request);
        page.data = [];
      });
  }
}

interface JsonObject {
  [field: string]: unknown;
}

/** A page of a list, as the service itself wrote it. */
interface ListPage extends JsonObject {
  pagination_data: { has_more: boolean; next_url?: string | null };
  data: JsonObject[];
}

/** A page with its JSON changed; any other answer stays as it is. */
function reworked(reply: ServiceReply, rework: (page: ListPage) => void): ServiceReply {
  if (reply.status !== 200) return reply;
  const page: ListPage = JSON.parse(reply.body);
  rework(page);
  return { ...reply, body: JSON.stringify(page) };
}

function relink(page: ListPage, to: string, request: FaultContext): void {
  const { has_more, next_url } = page.pagination_data;
  const link = has_more ? String(next_url) : request.self;
  const values: Readonly<Record<string, string>> = {
    "{link}": link.startsWith("/") ? link : `/${link}`,
    "{self}": request.self,
    "{path}": request.self.replace(/\?.*$/s, ""),
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
  for (const [place, item] of data.entries()) {
    if (fault.which !== "every" && place !== (fault.which === "first" ? 0 : (fault.which ?? 0))) continue;
    const record = isObject(item.response) ? item.response : item;
    if (fault.aheadMs !== undefined) {
      record.collected_at = formatTimestamp(Math.floor(nowMs + fault.aheadMs) * 1_000);
    }
    changeFields(record, fault);
  }
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** Removes and sets fields by dotted path. Has no effect if there is no object on the way. */
function changeFields(object: JsonObject, { drop = [], set = {} }: Pick<ItemsFault, "drop" | "set">): void {
  const holderOf = (steps: readonly string[]): unknown =>
    steps.reduce<unknown>((holder, step) => (isObject(holder) ? holder[step] : undefined), object);
  for (const path of [...drop, ...Object.keys(set)]) {
    const steps = path.split(".");
    const field = steps.pop() ?? "";
    const holder = holderOf(steps);
    if (!isObject(holder)) continue;
    if (Object.hasOwn(set, path)) holder[field] = set[path];
    else delete holder[field];
  }
}

/** The part of a body that arrives before a cut. */
export const firstHalf = (body: string): string => body.slice(0, Math.floor(body.length / 2));
