import { brokenAnswer, isObject, type Page, readPage } from "../api/page.ts";
import { type Moment, parseMoment } from "./moment.ts";

/** A response as it stands in a list, with what reading needs to know of it. */
export interface Item {
  readonly uuid: string;
  readonly moment: Moment;
  /** The response's fields, untouched. */
  readonly response: Readonly<Record<string, unknown>>;
  /** The survey's fields, untouched; undefined where the item is the response itself (S5). */
  readonly survey: Readonly<Record<string, unknown>> | undefined;
  /** The item as it came: fields beside `survey` and `response` stay visible. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface ItemPage extends Omit<Page, "items"> {
  /** In the list's order; `undefined` stands where an item has no usable `uuid` or `collected_at` (S11). */
  readonly items: readonly (Item | undefined)[];
}

/**
 * A page of responses, checked to run from newest to oldest, below or at `notAfter`.
 *
 * @throws SurveyExportError `broken_answer` for a page out of order: its link cannot be trusted to reach what
 * lies between, so it is asked for again and never taken as it is (S1)
 */
export function readItemPage(body: string, notAfter: Moment | undefined): ItemPage {
  const { items, hasMore, next } = readPage(body);
  let before = notAfter;
  const read = items.map((raw) => {
    const item = readItem(raw);
    if (item === undefined) return undefined;
    if (before !== undefined && item.moment > before) {
      throw brokenAnswer(`is not sorted from newest to oldest (${item.moment} comes after ${before})`);
    }
    before = item.moment;
    return item;
  });
  return { items: read, hasMore, next };
}

function readItem(raw: unknown): Item | undefined {
  if (!isObject(raw)) return undefined;
  const wrapped = isObject(raw.response);
  const response = wrapped ? (raw.response as Record<string, unknown>) : raw;
  const { uuid } = response;
  const moment = parseMoment(response.collected_at);
  if (typeof uuid !== "string" || uuid === "" || moment === undefined) return undefined;
  return { uuid, moment, response, survey: isObject(raw.survey) ? raw.survey : undefined, raw };
}

/** The id of the person who gave the response, or undefined where the service names nobody. */
export function respondentOf(item: Item): string | undefined {
  const { respondent } = item.response;
  return isObject(respondent) && typeof respondent.uuid === "string" && respondent.uuid !== ""
    ? respondent.uuid
    : undefined;
}
