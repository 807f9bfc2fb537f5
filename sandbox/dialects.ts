import { type Choices, STANDARD_CHOICES } from "./choices.ts";

const change = (changed: Partial<Choices>): Choices => ({ ...STANDARD_CHOICES, ...changed });

/** Services one could meet: named sets of choices, each a whole one. */
export const DIALECTS = {
  /** The plainest reading of the document. */
  standard: STANDARD_CHOICES,
  /** The response itself as item, links that begin at the last item and are there on the last page too. */
  inclusive: change({
    itemShape: "bare",
    continuation: "last_item",
    linkOnLastPage: "present",
    linkSlash: "none",
    defaultPageSize: 50,
    startEqualToEnd: "answered",
    retryAfter: "none",
  }),
  /** Exact links, encoded, null at the end; both item shapes in one list. */
  cursor: change({
    itemShape: "mixed",
    continuation: "cursor",
    linkEncoding: "percent",
    linkOnLastPage: "null",
    requestMoments: "lenient",
    singleResponse: "top_level",
    retryAfter: "date",
  }),
  /** Lists that close with an empty page whose link does not advance. */
  closing: change({ listEnd: "empty_page", defaultPageSize: 10, errorBody: "list" }),
  /** Refuses whatever the document does not allow, in other statuses, and says little. */
  stern: change({
    filters: "refused",
    unknownParameters: "refused",
    singleResponse: "absent",
    statuses: {
      missingKey: 403,
      wrongKey: 403,
      noSubscription: 403,
      invalidParameter: 422,
      unknownSurvey: 404,
      unknownResponse: 404,
      unknownPath: 404,
      wrongMethod: 404,
    },
    errorBody: "empty",
    blockMs: 10_000,
    refusedCount: true,
  }),
  /** Milliseconds only, an old gateway's errors, unknown surveys that look like empty ones. */
  coarse: change({
    fraction: "millis",
    requestMoments: "lenient",
    errorBody: "html",
    unknownSurvey: "empty_list",
    startEqualToEnd: "answered",
  }),
  /** Shows milliseconds, sorts and filters by microseconds. */
  shows_millis: change({ fraction: "millis", precision: "microseconds" }),
  /** Shows whole seconds, sorts and filters by microseconds. */
  shows_seconds: change({ fraction: "seconds", precision: "microseconds", continuation: "last_item" }),
  /** Times without needless zeros, and plain text for errors. */
  terse: change({ fraction: "shortest", requestMoments: "lenient", errorBody: "text", itemShape: "bare" }),
} satisfies Record<string, Choices>;

export type DialectName = keyof typeof DIALECTS;
