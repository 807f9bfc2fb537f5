import type { Seen } from "../coverage/list-coverage.ts";
import { COARSEST_GRAIN, grainOf, parseTimestamp, type Timestamp } from "../coverage/timestamp.ts";
import { isObject, wholeNumber } from "../text/json.ts";
import { type Message, say, time } from "../text/message.ts";
import { brokenAnswer, type Page, parsePage } from "./page.ts";

/** A response as a list holds it, with the fields that reading needs. */
export interface Item {
  readonly uuid: string;
  readonly timestamp: Timestamp;
  /** The response's fields, untouched. */
  readonly response: Readonly<Record<string, unknown>>;
  /** The survey's fields, untouched; undefined if the item is the response itself (S5). */
  readonly survey: Readonly<Record<string, unknown>> | undefined;
  /** The item, untouched: it may have more fields than `survey` and `response`. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** An item of a list whose items have no time: an attribute of a respondent, or a question of a survey. */
export interface Numbered {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** A survey as the list of surveys has it (S14). */
export interface ListedSurvey {
  /** Not empty, and fit for a path. */
  readonly id: string;
  readonly name: string | null;
  readonly type: string | null;
  /** How many responses it has, as the list says: good for plans, and no proof. Undefined if it does not say so in a number. */
  readonly responses: number | undefined;
  readonly createdAt: Timestamp | undefined;
  /** The record, untouched. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An item that no response can be read from (S11). */
export interface UnreadableItem {
  /** The response's, if it has one. */
  readonly uuid: string | undefined;
  /** Distinguishes it from others: several slices of a list may show it, since nobody knows where it lies. */
  readonly name: string;
  /** What is wrong with it, in words. */
  readonly reason: Message;
}

export const isReadable = (item: Item | Pick<UnreadableItem, "reason">): item is Item => !("reason" in item);

export interface ItemPage extends Omit<Page, "items"> {
  /** In the list's order. */
  readonly items: readonly (Item | UnreadableItem)[];
  /** The service's present when it made the page: nothing above it may count as covered (S12). */
  readonly present: Timestamp;
  /** Whether the service sent it. */
  readonly isDated: boolean;
  /** The timestamps of readable items of which the second is newer than the one before it (S1). */
  readonly inversions: readonly (readonly [before: Timestamp, after: Timestamp])[];
  /** The coarsest unit that all timestamps of the page are multiples of, in microseconds (S7). */
  readonly grain: number;
}

/** In characters. */
const LONGEST_NAME = 300;

/**
 * A page of responses, which may have items in the wrong place.
 * @throws SurveyExportError `broken_answer` if the first readable item is newer than `newer`, what was requested (S1)
 */
export function parseItemPage(
  body: string,
  newer: Timestamp | undefined,
  present: Timestamp,
  isDated: boolean,
): ItemPage {
  const { items, hasMore, next } = parsePage(body);
  let before: Timestamp | undefined;
  const inversions: [Timestamp, Timestamp][] = [];
  let grain = COARSEST_GRAIN;
  const names = new Set<string>();
  const parsed = items.map((raw) => {
    const item = parseItem(raw);
    if (!isReadable(item)) {
      let name = item.uuid ?? JSON.stringify(raw).slice(0, LONGEST_NAME);
      while (names.has(name)) name += "'";
      names.add(name);
      return { ...item, name };
    }
    const { timestamp } = item;
    if (before === undefined && newer !== undefined && timestamp > newer)
      throw brokenAnswer(
        say`begins above what was requested (${time(timestamp)} is later than ${time(newer)})`,
      );
    if (before !== undefined && timestamp > before) inversions.push([before, timestamp]);
    before = timestamp;
    if (grain > 1) grain = Math.min(grain, grainOf(timestamp));
    return item;
  });
  return { items: parsed, hasMore, next, present, isDated, inversions, grain };
}

/** The item with its id as a number. Undefined without a whole number as `id`: it has no key to be stored under. */
export function numberedIn(item: unknown): Numbered | undefined {
  const id = isObject(item) ? wholeNumber(item.id) : undefined;
  return id === undefined ? undefined : { ...(item as object), id };
}

/** An id that is a text, such as a survey's: a string that is not empty, or the digits of a whole number. */
export const idText = (value: unknown): string | undefined =>
  Number.isSafeInteger(value) ? String(value) : typeof value === "string" && value !== "" ? value : undefined;

/** What a page shows in addition to its items. `items`: those that are new. */
export const seenOn = ({ present, isDated, grain }: ItemPage, items: readonly Item[]): Seen => ({
  present,
  isDated,
  grain,
  newest: items.find(({ timestamp }) => timestamp <= present)?.timestamp,
});

function parseItem(raw: unknown): Item | Omit<UnreadableItem, "name"> {
  if (!isObject(raw)) return { uuid: undefined, reason: say`it is not an object` };
  const response = isObject(raw.response) ? raw.response : raw;
  const { uuid } = response;
  if (typeof uuid !== "string" || uuid === "") {
    return { uuid: undefined, reason: say`its uuid is missing or not a text` };
  }
  const timestamp = parseTimestamp(response.collected_at);
  if (timestamp === undefined) {
    return { uuid, reason: say`its collected_at is missing or not a timestamp` };
  }
  return { uuid, timestamp, response, survey: isObject(raw.survey) ? raw.survey : undefined, raw };
}

/** The id of the respondent who gave the response, or undefined if the service names nobody. */
export function respondentOf(item: Item): string | undefined {
  const { respondent } = item.response;
  return isObject(respondent) && typeof respondent.uuid === "string" && respondent.uuid !== ""
    ? respondent.uuid
    : undefined;
}
