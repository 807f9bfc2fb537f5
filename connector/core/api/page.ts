import { SurveyExportError } from "../errors.ts";

/** One page of a list, newest first. */
export interface Page {
  readonly items: readonly unknown[];
  readonly hasMore: boolean;
  /** The continuation as the service gave it; present whenever `hasMore` is true, else undefined (S4). */
  readonly next: string | undefined;
}

/**
 * The pagination envelope of an answer's body (service interface, "Pagination envelope").
 *
 * `has_more` alone decides: false drops a link that may be present, true without a link is a broken page and
 * never the end of the list, which would lose the rest silently (S4).
 *
 * @throws SurveyExportError `broken_answer`, worth trying again
 */
export function readPage(body: string): Page {
  let envelope: unknown;
  try {
    envelope = JSON.parse(body);
  } catch {
    throw brokenAnswer(`is not JSON (it begins ${excerpt(body)})`);
  }
  if (!isObject(envelope) || !isObject(envelope.pagination_data))
    throw brokenAnswer("has no pagination_data");
  if (!Array.isArray(envelope.data)) throw brokenAnswer("has no data list");
  const { has_more: hasMore, next_url: next } = envelope.pagination_data;
  if (typeof hasMore !== "boolean")
    throw brokenAnswer("does not say whether there are more pages (has_more)");
  if (!hasMore) return { items: envelope.data, hasMore, next: undefined };
  if (typeof next !== "string" || next === "") {
    throw brokenAnswer("says that there are more pages (has_more) but has no next_url");
  }
  return { items: envelope.data, hasMore, next };
}

/** An answer with a good status whose content cannot be used; the retry policy adds where and what to do. */
export function brokenAnswer(what: string): SurveyExportError {
  return new SurveyExportError("transient", "broken_answer", what);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The start of a body for people, on one line. */
export function excerpt(body: string): string {
  const line = body.slice(0, 400).replace(/\s+/g, " ").trim();
  return JSON.stringify(line.length > 160 ? `${line.slice(0, 160)}…` : line);
}
