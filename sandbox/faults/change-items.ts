import type { ServiceReply } from "../http/request-and-reply.ts";
import { formatTimestamp, parseTimestamp, requireTimestamp } from "../timestamp.ts";
import { dropAt, getAt, type JsonObject, setAt } from "./field-path.ts";
import { reworked } from "./page.ts";
import type { ItemsFault } from "./reply.ts";

/** A page with some of its items changed as the fault says. */
export function changedItems(reply: ServiceReply, fault: ItemsFault, nowMs: number): ServiceReply {
  const raw: string[] = [];
  const changed = reworked(reply, (page) => {
    const items = page.data as unknown[];
    for (const [place, item] of items.entries()) {
      if (!isMeant(item, place, items.length, fault.which ?? "first")) continue;
      if ("become" in fault) items[place] = fault.become;
      else changeRecord(recordOf(item), fault, nowMs, raw);
    }
  });
  return raw.length === 0 ? changed : { ...changed, body: filledIn(changed.body, raw) };
}

const recordOf = (item: unknown): JsonObject => ((item as JsonObject).response ?? item) as JsonObject;

function isMeant(item: unknown, place: number, count: number, which: ItemsFault["which"]): boolean {
  if (typeof which !== "object") {
    return which === "every" || place === (which === "first" ? 0 : which === "last" ? count - 1 : which);
  }
  const micros = parseTimestamp(String(recordOf(item).collected_at));
  const from = requireTimestamp(which.from, "which.from of a fault");
  const to = requireTimestamp(which.to, "which.to of a fault");
  return micros !== undefined && micros >= from && micros <= to;
}

function changeRecord(record: JsonObject, fault: ItemsFault, nowMs: number, raw: string[]): void {
  const setRaw = (path: string, text: string): void => {
    setAt(record, path, placeholder(raw.push(text) - 1));
  };
  if (fault.aheadMs !== undefined) {
    record.collected_at = formatTimestamp(Math.floor(nowMs + fault.aheadMs) * 1_000);
  }
  for (const path of fault.drop ?? []) dropAt(record, path);
  for (const [path, value] of Object.entries(fault.set ?? {})) setAt(record, path, value);
  for (const [path, count] of Object.entries(fault.fill ?? {})) setAt(record, path, "x".repeat(count));
  for (const [path, value] of Object.entries(fault.append ?? {})) {
    const list = getAt(record, path);
    if (Array.isArray(list)) list.push(value);
  }
  for (const [path, text] of Object.entries(fault.raw ?? {})) setRaw(path, text);
  for (const [path, levels] of Object.entries(fault.nest ?? {})) setRaw(path, nested(levels));
}

/** `{"deeper":{"deeper":…null…}}`. */
const nested = (levels: number): string => `${'{"deeper":'.repeat(levels)}null${"}".repeat(levels)}`;

/** `JSON.stringify` cannot insert JSON as it is, so a string marks its place until the page is a string. */
const placeholder = (number: number): string => `\u0000raw ${number}\u0000`;

const filledIn = (body: string, raw: readonly string[]): string =>
  body.replace(/"\\u0000raw (\d+)\\u0000"/g, (_, number) => raw[Number(number)]!);
