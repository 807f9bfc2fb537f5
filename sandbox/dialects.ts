import { type Choices, STANDARD_CHOICES } from "./choices.ts";

const change = (changed: Partial<Choices>): Choices => ({ ...STANDARD_CHOICES, ...changed });

/** Kinds of services that one may meet: named sets of choices, each complete. */
export const DIALECTS = {
  /** The plainest reading of the document. */
  standard: STANDARD_CHOICES,
  /** Bare items. Links begin at the last item, and the last page has one too. */
  inclusive: change({
    itemShape: "bare",
    continuation: "last_item",
    linkOnLastPage: "present",
    linkSlash: "none",
    defaultPageSize: 50,
    startEqualToEnd: "answered",
    retryAfter: "none",
  }),
  /** Links with an exact position, percent-encoded, null at the end. Both item shapes in one list. */
  cursor: change({
    itemShape: "mixed",
    continuation: "cursor",
    linkEncoding: "percent",
    linkOnLastPage: "null",
    requestTimestamps: "lenient",
    retryAfter: "date",
  }),
  /** Every list ends with an empty page that links to itself. */
  closing: change({ listEnd: "empty_page", defaultPageSize: 10, errorBody: "list" }),
  /** Refuses everything that the document does not allow, with other statuses and empty bodies. */
  stern: change({
    filters: "refused",
    unknownParameters: "refused",
    statuses: {
      missingKey: 403,
      wrongKey: 403,
      noSubscription: 403,
      invalidParameter: 422,
      unknownSurvey: 404,
      unknownPath: 404,
      wrongMethod: 404,
    },
    errorBody: "empty",
    blockMs: 10_000,
    refusedCount: true,
  }),
  /** Milliseconds only, HTML error pages, unknown surveys that look like empty ones. */
  coarse: change({
    fraction: "millis",
    requestTimestamps: "lenient",
    errorBody: "html",
    unknownSurvey: "empty_list",
    startEqualToEnd: "answered",
  }),
  /** Shows milliseconds, sorts and filters by microseconds. */
  shows_millis: change({ fraction: "millis", precision: "microseconds" }),
  /** Shows whole seconds, sorts and filters by microseconds. */
  shows_seconds: change({ fraction: "seconds", precision: "microseconds", continuation: "last_item" }),
  /** Timestamps without trailing zeros, and errors in plain text. */
  terse: change({ fraction: "shortest", requestTimestamps: "lenient", errorBody: "text", itemShape: "bare" }),
} satisfies Record<string, Choices>;

export type DialectName = keyof typeof DIALECTS;
