import type { Fraction } from "./time.ts";

/**
 * Everything that the API's document leaves open ("not shown"), as data. The document fixes the rest, such as
 * 404 for an unknown respondent and 429 for a limit. No choice can change that.
 */
export interface Choices {
  /** Items on a page when `items_per_page` is left out. */
  readonly defaultPageSize: number;
  /** An element of a survey's list: `{ survey, response }`, the response itself, or the two in turn. */
  readonly itemShape: "wrapped" | "bare" | "mixed";
  /**
   * Where the next page starts: at the timestamp of the item after the page; at the timestamp of the page's
   * last item, which comes again; or at an exact position in a parameter of the service's own. Only the exact
   * position gets past more responses of one microsecond than a page holds.
   */
  readonly continuation: "next_item" | "last_item" | "cursor";
  /** `/surveys/…` or `surveys/…`. */
  readonly linkSlash: "leading" | "none";
  /** Colons and brackets of a link's query as they are, or percent-encoded. */
  readonly linkEncoding: "literal" | "percent";
  /** `next_url` of a last page: left out, null, or a link that must not be followed. */
  readonly linkOnLastPage: "absent" | "null" | "present";
  /** `empty_page`: the page with the last items says that there is more. That is an empty page that links to itself. */
  readonly listEnd: "last_page" | "empty_page";
  /** Fraction digits of `collected_at` as it is shown. */
  readonly fraction: Fraction;
  /**
   * `as_shown`: the data is rounded down to the digits shown. `microseconds`: the data keeps its microseconds.
   * Lists are sorted by them, and `start` and `end` filter by them, though nobody sees them.
   */
  readonly precision: "as_shown" | "microseconds";
  /** Timestamps in requests: exactly six fraction digits, or up to six. */
  readonly requestTimestamps: "strict" | "lenient";
  /** A request whose `start` equals its `end`. If it is refused, no link of the service asks for it either. */
  readonly startEqualToEnd: "refused" | "answered";
  /** The document shows no format of `filters`. It is kept in links and has no effect, or it is refused. */
  readonly filters: "ignored" | "refused";
  /** Parameters that the document does not name. */
  readonly unknownParameters: "ignored" | "refused";
  /** The answer to a request for the responses of an unknown survey. */
  readonly unknownSurvey: "refused" | "empty_list";
  readonly statuses: RefusalStatuses;
  /** Body of everything that is not a 200. */
  readonly errorBody: "object" | "list" | "text" | "html" | "empty";
  /** `Retry-After` of a 429. */
  readonly retryAfter: "none" | "seconds" | "date";
  /** Whether answers carry a `Date` header. */
  readonly dateHeader: "present" | "absent";
  /** How long every request is refused after a limit was exceeded, in milliseconds. */
  readonly blockMs: number;
  /** Whether a request that was refused with 429 uses up the minute's allowance. */
  readonly refusedCount: boolean;
}

/** Statuses that the document leaves open. */
export interface RefusalStatuses {
  readonly missingKey: number;
  readonly wrongKey: number;
  readonly noSubscription: number;
  readonly invalidParameter: number;
  readonly unknownSurvey: number;
  readonly unknownPath: number;
  readonly wrongMethod: number;
}

/** The defaults: the plainest reading of the document. */
export const STANDARD_CHOICES: Choices = {
  defaultPageSize: 20,
  itemShape: "wrapped",
  continuation: "next_item",
  linkSlash: "leading",
  linkEncoding: "literal",
  linkOnLastPage: "absent",
  listEnd: "last_page",
  fraction: "micros",
  precision: "as_shown",
  requestTimestamps: "strict",
  startEqualToEnd: "refused",
  filters: "ignored",
  unknownParameters: "ignored",
  unknownSurvey: "refused",
  statuses: {
    missingKey: 401,
    wrongKey: 401,
    noSubscription: 402,
    invalidParameter: 400,
    unknownSurvey: 404,
    unknownPath: 404,
    wrongMethod: 405,
  },
  errorBody: "object",
  retryAfter: "seconds",
  dateHeader: "present",
  blockMs: 0,
  refusedCount: false,
};

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
