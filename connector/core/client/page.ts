import { SurveyExportError } from "../errors.ts";
import { quoteBody } from "../text/quote.ts";
import { parseJsonExactly } from "./exact-json.ts";

/** One page of a list, newest item first. */
export interface Page {
  readonly items: readonly unknown[];
  readonly hasMore: boolean;
  /** The link to the next page as the service gave it; present whenever `hasMore` is true, else undefined (S4). */
  readonly next: string | undefined;
}

/** Bodies up to this length are parsed as they are: they cannot become large. */
const SMALL_BODY = 1024 * 1024;
/** Objects and lists in one page: 100 responses of 500 answers each have fewer. */
const MOST_OBJECTS = 250_000;

/**
 * The pagination envelope of a response body (service interface, "Pagination envelope").
 *
 * `has_more` alone decides: false drops a link that may be present, true without a link is a broken page and never the
 * end of the list, which would lose the rest silently (S4).
 *
 * @throws SurveyExportError `broken_answer`, worth another try; `too_large` for a body that would fill the memory
 */
export function parsePage(body: string): Page {
  if (body.length > SMALL_BODY && holdsTooManyObjects(body)) throw tooManyObjects();
  let envelope: unknown;
  try {
    envelope = parseJsonExactly(body.charCodeAt(0) === 0xfeff ? body.slice(1) : body);
  } catch {
    throw brokenAnswer(`is not JSON (it begins ${quoteBody(body)})`);
  }
  if (!isObject(envelope) || !isObject(envelope.pagination_data)) {
    throw brokenAnswer(`has no pagination_data (it begins ${quoteBody(body)})`);
  }
  if (!Array.isArray(envelope.data)) throw brokenAnswer("has no data list");
  const { has_more: hasMore, next_url: next } = envelope.pagination_data;
  if (typeof hasMore !== "boolean")
    throw brokenAnswer("does not say whether there are more pages (has_more)");
  if (!hasMore) return { items: envelope.data, hasMore, next: undefined };
  if (typeof next !== "string" || next === "") {
    throw brokenAnswer("says that there are more pages (has_more) and has no next_url");
  }
  return { items: envelope.data, hasMore, next };
}

/** A response with a good status whose content cannot be used; the retry policy adds where and what to do. */
export function brokenAnswer(reason: string): SurveyExportError {
  return new SurveyExportError("transient", "broken_answer", reason);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counted in the text: parsed, they would take twenty times its memory. */
function holdsTooManyObjects(body: string): boolean {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = body.indexOf(bracket); at >= 0; at = body.indexOf(bracket, at + 1)) {
      if (++count > MOST_OBJECTS) return true;
    }
  }
  return false;
}

function tooManyObjects(): SurveyExportError {
  return new SurveyExportError(
    "system",
    "too_large",
    `The service sent a page with more than ${MOST_OBJECTS.toLocaleString("en")} objects, far more than 100 responses can hold. Lower items_per_page, and report this to the service if it goes on.`,
  );
}
