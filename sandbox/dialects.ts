/** What the API's document leaves open, and services may do differently. */
export interface Dialect {
  /** An element of a survey's list: `{ survey, response }`, or the response itself. */
  readonly items: "wrapped" | "flat";
  /**
   * Where the next page starts: at the timestamp of the item after the page; at the timestamp of the page's last
   * item, which comes again; or at an exact position in a parameter of the service's own. Only the exact position
   * gets past more responses of one microsecond than a page holds.
   */
  readonly continuation: "next_item" | "last_item" | "exact";
  /** Links begin with `/surveys/…` or `surveys/…`. */
  readonly linkSlash: "/" | "";
  /** `next_url` of a last page: left out, null, or a link that must not be followed. */
  readonly lastLink: "absent" | "null" | "present";
  /** Whether `end` has an effect. */
  readonly endCounts: boolean;
}

const AS_DOCUMENTED: Dialect = {
  items: "wrapped",
  continuation: "next_item",
  linkSlash: "/",
  lastLink: "absent",
  endCounts: true,
};

export type DialectName = "as_documented" | "flat_items" | "links_by_item" | "ignores_end";

/** The kinds of services that one may meet. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  /** The plainest reading of the document. */
  as_documented: AS_DOCUMENTED,
  /** Items are not wrapped. Links begin at the last item, and the last page has one too. */
  flat_items: {
    ...AS_DOCUMENTED,
    items: "flat",
    continuation: "last_item",
    linkSlash: "",
    lastLink: "present",
  },
  /** Links with an exact position, and null at the end. */
  links_by_item: { ...AS_DOCUMENTED, continuation: "exact", lastLink: "null" },
  /** Lists do not stop at `end`. */
  ignores_end: { ...AS_DOCUMENTED, endCounts: false },
};
