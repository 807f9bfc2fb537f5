/**
 * The kinds of services that one may meet, since the API's document leaves some things open.
 *
 * - `as_recorded`: as the real service was seen to answer. Items of surveys' lists are not wrapped, links write
 *   `attributes[0]=…`, and the next page starts at the timestamp of its first item.
 * - `as_documented`: the plainest reading. All items are wrapped, and links write `attributes[]=…`.
 * - `flat_items`: items of surveys' lists are not wrapped. Links begin without a slash and at the last item of the
 *   page, which comes again. The last page has a link, too, which must not be followed.
 * - `links_by_item`: links have an exact position, so they get past more responses of one microsecond than a page
 *   holds. The link of the last page is null.
 * - `ignores_end`: `end` is repeated in links and has no effect.
 * - `without_lists`: like `as_recorded`, with the endpoints of the document only: no surveys, questions or single
 *   responses.
 */
export const DIALECTS = [
  "as_recorded",
  "as_documented",
  "flat_items",
  "links_by_item",
  "ignores_end",
  "without_lists",
] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Whether links write `attributes[0]=…`, as recorded ones do. */
export const writesIndexes = (dialect: Dialect): boolean =>
  dialect === "as_recorded" || dialect === "without_lists";

/** Whether items of surveys' lists are not wrapped. */
export const hasBareItems = (dialect: Dialect): boolean => dialect === "flat_items" || writesIndexes(dialect);
