import type { ServiceReply } from "../http/reply.ts";
import type { Clock } from "../time.ts";
import { formatTimestamp, parseTimestamp, requireTimestamp } from "../time.ts";
import {
  ConnectionFaultError,
  type ContentFault,
  type ItemsFault,
  type StatusFault,
  type WireFault,
} from "./kinds.ts";

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
      return reworked(reply, (page) => changeFields(page, fault));
    case "link":
      return reworked(reply, (page) => {
        if (fault.keepLastPage !== true || page.pagination_data.has_more) relink(page, fault.to, request);
      });
    case "items":
      return changedItems(reply, fault, request.nowMs);
    case "reverse":
      return reworked(reply, ({ data }) => data.reverse());
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

/** Fills in the API key, as a service may quote it. */
const withKey = (text: string, key: string): string =>
  text.replaceAll("{key}", () => key).replaceAll("{key_upper}", () => key.toUpperCase());

const tinyObjects = (count: number): string =>
  `{"pagination_data":{"has_more":false},"data":[${"{},".repeat(Math.max(0, count - 1))}{}]}`;

interface JsonObject {
  [field: string]: unknown;
}

/** A page of a list, as the service itself wrote it. */
interface ListPage extends JsonObject {
  pagination_data: { has_more: boolean; next_url?: string | null };
  data: unknown[];
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
  const text = to
    .replaceAll("{link}", link.startsWith("/") ? link : `/${link}`)
    .replaceAll("{self}", request.self)
    .replaceAll("{path}", request.self.replace(/\?.*$/s, ""))
    .replaceAll("{query}", link.includes("?") ? link.slice(link.indexOf("?")) : "")
    .replaceAll("{other_survey}", encodeURIComponent(request.otherSurvey));
  page.pagination_data = { has_more: true, next_url: withKey(text, request.key) };
}

/** A page with some of its items changed as the fault says. */
function changedItems(reply: ServiceReply, fault: ItemsFault, nowMs: number): ServiceReply {
  const raw: string[] = [];
  const changed = reworked(reply, ({ data }) => {
    for (const [place, item] of data.entries()) {
      if (!isMeant(item, place, data.length, fault.which ?? "first")) continue;
      if ("become" in fault) data[place] = fault.become;
      else changeRecord(recordOf(item), fault, nowMs, raw);
    }
  });
  return raw.length === 0 ? changed : { ...changed, body: filledIn(changed.body, raw) };
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** The response inside its wrapping, or the item itself. */
function recordOf(item: unknown): JsonObject {
  const record = isObject(item) ? (item.response ?? item) : item;
  return isObject(record) ? record : {};
}

function isMeant(item: unknown, place: number, count: number, which: ItemsFault["which"]): boolean {
  if (typeof which !== "object") {
    return which === "every" || place === (which === "first" ? 0 : which === "last" ? count - 1 : which);
  }
  const micros = parseTimestamp(String(recordOf(item).collected_at));
  const from = requireTimestamp(which.from, "which.from of a fault");
  const to = requireTimestamp(which.to, "which.to of a fault");
  return micros !== undefined && micros >= from && micros <= to;
}

/** `JSON.stringify` cannot insert JSON as it is, so a string marks the place of each text of `raw` until the page is a string. */
function changeRecord(record: JsonObject, fault: ItemsFault, nowMs: number, raw: string[]): void {
  const mark = (text: string): string => `\u0000raw ${raw.push(text) - 1}\u0000`;
  if (fault.aheadMs !== undefined) {
    record.collected_at = formatTimestamp(Math.floor(nowMs + fault.aheadMs) * 1_000);
  }
  changeFields(record, fault);
  changeFields(record, { set: mapped(fault.fill, (count) => "x".repeat(count)) });
  for (const [path, value] of Object.entries(fault.append ?? {})) {
    changeHolder(record, path, (holder, field) => {
      const list = holder[field];
      if (Array.isArray(list)) list.push(value);
    });
  }
  changeFields(record, { set: mapped(fault.raw, mark) });
  changeFields(record, { set: mapped(fault.nest, (levels) => mark(nested(levels))) });
}

const mapped = <Value>(fields: Readonly<Record<string, Value>> = {}, make: (value: Value) => string) =>
  Object.fromEntries(Object.entries(fields).map(([path, value]) => [path, make(value)]));

/** `{"deeper":{"deeper":…null…}}`. */
const nested = (levels: number): string => `${'{"deeper":'.repeat(levels)}null${"}".repeat(levels)}`;

const filledIn = (body: string, raw: readonly string[]): string =>
  body.replace(/"\\u0000raw (\d+)\\u0000"/g, (_, number) => raw[Number(number)] ?? "");

/** Removes and sets fields by dotted path. */
function changeFields(object: JsonObject, { drop = [], set = {} }: Pick<ItemsFault, "drop" | "set">): void {
  for (const path of drop) {
    changeHolder(object, path, (holder, field) => {
      delete holder[field];
    });
  }
  for (const [path, value] of Object.entries(set)) {
    changeHolder(object, path, (holder, field) => {
      holder[field] = value;
    });
  }
}

/** Changes the object that holds the last field of a dotted path. Has no effect if there is no object on the way. */
function changeHolder(
  object: JsonObject,
  path: string,
  change: (holder: JsonObject, field: string) => void,
): void {
  const steps = path.split(".");
  const field = steps.pop() ?? "";
  let holder: unknown = object;
  for (const step of steps) holder = isObject(holder) ? holder[step] : undefined;
  if (isObject(holder)) change(holder, field);
}

const DEFAULT_HELD_MS = 30_000;

/**
 * A fault of the connection for a caller in process. It rejects, like a transport that checks lengths, limits
 * sizes and has a time limit. One resolves: a body that ends early without a sign of it.
 */
export async function inProcess(
  reply: ServiceReply,
  fault: WireFault,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ServiceReply> {
  if (fault.kind === "cut" && fault.announcedBy === "nothing")
    return { ...reply, body: firstHalf(reply.body) };
  if (fault.kind === "silence" || fault.kind === "endless" || fault.kind === "drip") {
    await clock.sleep(fault.heldMs ?? DEFAULT_HELD_MS, signal);
  }
  throw new ConnectionFaultError(fault);
}

/** The part of a body that arrives before a cut. */
export const firstHalf = (body: string): string => body.slice(0, Math.floor(body.length / 2));
