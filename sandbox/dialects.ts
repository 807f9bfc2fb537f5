/**
 * The kinds of services that one may meet, since the API's document leaves some things open.
 *
 * - `as_documented`: the plainest reading. The next page starts at the timestamp of the item after the page.
 * - `flat_items`: items of surveys' lists are not wrapped. Links begin without a slash and at the last item of the
 *   page, which comes again. The last page has a link, too, which must not be followed.
 * - `links_by_item`: links have an exact position, so they get past more responses of one microsecond than a page
 *   holds. The link of the last page is null.
 * - `ignores_end`: `end` is repeated in links and has no effect.
 */
export const DIALECTS = ["as_documented", "flat_items", "links_by_item", "ignores_end"] as const;
export type Dialect = (typeof DIALECTS)[number];
