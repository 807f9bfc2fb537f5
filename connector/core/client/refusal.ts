import { isObject } from "../text/json.ts";
import { type Message, outside, say } from "../text/message.ts";

/** The longest wait that a header can ask for: a date in the far future must not stop a sync for good. */
const LONGEST_MS = 3_600_000;

/**
 * Milliseconds to wait according to a `Retry-After` header (RFC 9110, 10.2.3: seconds or an HTTP date),
 * at most an hour; undefined if the header is missing, nonsense or not in the future.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const ms = /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateMs(text) - nowMs;
  return ms > 0 ? Math.min(Math.ceil(ms), LONGEST_MS) : undefined;
}

function dateMs(text: string): number {
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
}

/** Where services put the reason of a refusal. */
const FIELDS = ["message", "detail", "error", "errors", "title", "reason"];

/** The reason that the body of a refusal gives, as a sentence; undefined for an empty body. */
export function reasonIn(body: string): { readonly sentence: Message; readonly answer: Message } | undefined {
  if (body.trim() === "") return undefined;
  const reason = textIn(parsed(body), 4)?.replace(/(?<![.\s])[.\s]+$/, "");
  const answer = say`${outside(reason ?? body)}`;
  return {
    answer,
    sentence: reason === undefined ? say`Its answer begins ${answer}.` : say`It says: ${answer}.`,
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (depth === 0) return undefined;
  const inside = isObject(value) ? FIELDS.map((name) => value[name]) : Array.isArray(value) ? [value[0]] : [];
  return inside.map((one) => textIn(one, depth - 1)).find((text) => text !== undefined);
}
