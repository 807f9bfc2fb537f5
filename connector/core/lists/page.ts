import { SurveyExportError } from "../errors.ts";
import { cutBelow, isObject, parseJsonExactly } from "../text/json.ts";
import { type Message, outside, say } from "../text/message.ts";

/** One page of a list, newest item first. Its items have no more levels than the service's own fields ever have. */
export interface Page {
  readonly items: readonly unknown[];
  readonly hasMore: boolean;
  /** The link to the next page as the service gave it; present whenever `hasMore` is true, else undefined (S4). */
  readonly next: string | undefined;
}

const BYTE_ORDER_MARK = 0xfeff;

/** A page has 100. */
const MOST_ITEMS = 1000;

/** `what` the service sent is too large for a page; it is not requested again. */
export function tooLarge(what: Message): SurveyExportError {
  const facts = say`The service sent ${what}, which is too large for a page.`;
  const advice = say`Lower items_per_page, and report this to the service if it continues.`;
  return new SurveyExportError("system", "too_large", facts, { advice });
}

/**
 * The pagination envelope of a response body (service interface, "Pagination envelope").
 *
 * `has_more` alone decides: false drops a link that may be present, true without a link is a broken page and never the
 * end of the list, which would lose the rest silently (S4).
 * @throws SurveyExportError `broken_answer`, worth another try; `too_large`, before anything is made of it
 */
export function parsePage(body: string): Page {
  const envelope = parseBody(body);
  if (!isObject(envelope) || !isObject(envelope.pagination_data)) {
    throw brokenAnswer(say`has no pagination_data (it begins ${outside(body)})`);
  }
  if (!Array.isArray(envelope.data)) throw brokenAnswer(say`has no data list`);
  if (envelope.data.length > MOST_ITEMS) throw tooLarge(say`a page of ${envelope.data.length} items`);
  const items = envelope.data.map((item) => cutBelow(item));
  const { has_more: hasMore, next_url: next } = envelope.pagination_data;
  if (typeof hasMore !== "boolean")
    throw brokenAnswer(say`does not say whether there are more pages (has_more)`);
  if (!hasMore) return { items, hasMore, next: undefined };
  if (typeof next !== "string" || next === "") {
    throw brokenAnswer(say`says that there are more pages (has_more) and has no next_url`);
  }
  return { items, hasMore, next };
}

/**
 * The object that an endpoint without a list answers with.
 * @throws as `parsePage`
 */
export function parseObject(body: string): Readonly<Record<string, unknown>> {
  const parsed = parseBody(body);
  if (isObject(parsed)) return cutBelow(parsed);
  throw brokenAnswer(say`is not an object (it begins ${outside(body)})`);
}

function parseBody(body: string): unknown {
  try {
    return parseJsonExactly(body.charCodeAt(0) === BYTE_ORDER_MARK ? body.slice(1) : body);
  } catch {
    throw brokenAnswer(body.trim() === "" ? say`is empty` : say`is not JSON (it begins ${outside(body)})`);
  }
}

/** A response with a good status whose content cannot be used; the client adds where and what to do. */
export function brokenAnswer(reason: Message): SurveyExportError {
  return new SurveyExportError("transient", "broken_answer", reason);
}
