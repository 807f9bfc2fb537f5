import type { Fraction } from "./moment.ts";

/**
 * Everything the interface document calls "not shown", as data. The document fixes the rest (404 for an
 * unknown respondent, 429 for a limit), and no choice can change that.
 */
export interface Choices {
  /** Items on a page when `items_per_page` is left out. */
  readonly defaultPageSize: number;
  /** An element of a survey's list: `{ survey, response }`, the response itself, or now one and now the other. */
  readonly itemShape: "wrapped" | "bare" | "mixed";
  /**
   * Where the next page starts: at the moment of the item after the page, at that of the page's last item
   * (which comes again), or at an exact place, given in a parameter of the service's own, which alone gets
   * through more responses of one microsecond than a page holds.
   */
  readonly continuation: "next_item" | "last_item" | "cursor";
  /** `/surveys/…` or `surveys/…`. */
  readonly linkSlash: "leading" | "none";
  /** Colons and brackets of a link's query as they are, or percent-encoded. */
  readonly linkEncoding: "literal" | "percent";
  /** `next_url` of a last page: left out, null, or a link that must not be followed. */
  readonly linkOnLastPage: "absent" | "null" | "present";
  /** `empty_page`: the last items say that there is more, which is an empty page linking to itself. */
  readonly listEnd: "last_page" | "empty_page";
  /** Fraction digits of `collected_at` as it is shown. */
  readonly fraction: Fraction;
  /**
   * Whether the data is rounded down to what is shown, or kept in microseconds that nobody sees and by which
   * lists are sorted and `start` and `end` filter.
   */
  readonly precision: "as_shown" | "microseconds";
  /** Moments in requests: exactly six fraction digits, or up to six. */
  readonly requestMoments: "strict" | "lenient";
  /** A request whose `start` equals its `end`. When refused, no link of the service asks for it either. */
  readonly startEqualToEnd: "refused" | "answered";
  /** `filters` has no shown format: it is kept in links and does nothing, or is refused. */
  readonly filters: "ignored" | "refused";
  /** Parameters that the document does not name. */
  readonly unknownParameters: "ignored" | "refused";
  /** Where one response can be asked for. */
  readonly singleResponse: "under_survey" | "top_level" | "absent";
  /** What asking for the responses of an unknown survey gives. */
  readonly unknownSurvey: "refused" | "empty_list";
  readonly statuses: RefusalStatuses;
  /** Body of everything that is not a 200. */
  readonly errorBody: "object" | "list" | "text" | "html" | "empty";
  /** `Retry-After` of a 429. */
  readonly retryAfter: "none" | "seconds" | "date";
  /** Whether answers carry a `Date` header. */
  readonly dateHeader: "present" | "absent";
  /** How long everything is refused once a limit was exceeded, in milliseconds. */
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
  readonly unknownResponse: number;
  readonly unknownPath: number;
  readonly wrongMethod: number;
}

/** What the sandbox does unless told otherwise. */
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
  requestMoments: "strict",
  startEqualToEnd: "refused",
  filters: "ignored",
  unknownParameters: "ignored",
  singleResponse: "under_survey",
  unknownSurvey: "refused",
  statuses: {
    missingKey: 401,
    wrongKey: 401,
    noSubscription: 402,
    invalidParameter: 400,
    unknownSurvey: 404,
    unknownResponse: 404,
    unknownPath: 404,
    wrongMethod: 405,
  },
  errorBody: "object",
  retryAfter: "seconds",
  dateHeader: "present",
  blockMs: 0,
  refusedCount: false,
};
