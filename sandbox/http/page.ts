import type { Choices } from "../choices.ts";
import type { AttributeRecord } from "../data/record.ts";
import type { ListedResponse } from "../data/survey.ts";
import { comparePositions, NEWEST, type Position, startingAt } from "../data/survey.ts";
import { formatTimestamp } from "../time.ts";
import { Refusal } from "./reply.ts";
import { CURSOR_PARAMETER, type ListQuery } from "./request.ts";

const CLOSING_CURSOR = "closed";

/** A page as JSON, its number of items, and its link if `has_more` is true. */
export interface Page {
  readonly body: string;
  readonly items: number;
  readonly link: string | undefined;
}

/** The request for a page. */
export interface PageRequest {
  /** Below the base URL, as it was written. */
  readonly path: string;
  readonly query: ListQuery;
  readonly choices: Choices;
}

/** What a page needs of a list. */
interface List<Item> {
  /** Up to `limit` items, from where the query starts. */
  take(limit: number): readonly Item[];
  json(item: Item, place: number): string;
  /** The `start` of a link that begins at an item, and its exact position if links of this list may carry it. */
  start(item: Item): string;
  readonly cursor?: (item: Item) => string;
}

/** One page of responses. `take` gives up to `limit` of them in order, from a position downwards. */
export const responsesPage = (
  request: PageRequest,
  take: (from: Position, limit: number) => readonly ListedResponse[],
  json: (listed: ListedResponse, place: number) => string,
): Page =>
  pageOf(request, {
    take: (limit) => take(firstPosition(request), limit),
    json,
    start: ({ micros }) => startFor(micros, request),
    cursor: cursorOf,
  });

/** One page of a respondent's attributes, largest id first. `start` is the id of the first one. */
export const attributesPage = (request: PageRequest, records: readonly AttributeRecord[]): Page =>
  pageOf(request, {
    take: (limit) => {
      const falling = records.toSorted((one, other) => other.id - one.id);
      return falling.filter(({ id }) => id <= request.query.startMicros).slice(0, limit);
    },
    json: (record) => JSON.stringify(record),
    start: ({ id }) => String(id),
  });

function pageOf<Item>(request: PageRequest, list: List<Item>): Page {
  const { query, choices } = request;
  const link = (start: string | undefined, cursor?: string) => linkTo(request, start, cursor);
  const closes = choices.listEnd === "empty_page";
  if (closes && query.cursor === CLOSING_CURSOR) {
    return envelope([], link(query.start, CLOSING_CURSOR), true, choices);
  }
  const size = query.itemsPerPage ?? choices.defaultPageSize;
  const taken = list.take(size + 1);
  const page = taken.slice(0, size);
  const items = page.map(list.json);
  const [last, following] = [page.at(-1), taken[size]];
  if (last === undefined || following === undefined) {
    const start = last === undefined ? query.start : list.start(last);
    return envelope(items, link(start, closes ? CLOSING_CURSOR : undefined), closes, choices);
  }
  const start = list.start(choices.continuation === "last_item" ? last : following);
  const cursor = choices.continuation === "cursor" ? list.cursor?.(following) : undefined;
  return envelope(items, link(start, cursor), true, choices);
}

function envelope(items: readonly string[], link: string, hasMore: boolean, choices: Choices): Page {
  const shown = hasMore || choices.linkOnLastPage === "present";
  const empty = choices.linkOnLastPage === "null" ? ',"next_url":null' : "";
  const next = shown ? `,"next_url":${JSON.stringify(link)}` : empty;
  const body = `{"pagination_data":{"has_more":${hasMore}${next}},"data":[${items.join(",")}]}`;
  return { body, items: items.length, link: hasMore ? link : undefined };
}

/** No link asks for something that the service refuses: a start that equals the end moves up by a microsecond. */
function startFor(micros: number, { query, choices }: PageRequest): string {
  const lowest = choices.startEqualToEnd === "refused" ? query.endMicros + 1 : query.endMicros;
  return formatTimestamp(Math.max(micros, lowest));
}

function firstPosition({ query, choices }: PageRequest): Position {
  const start = query.startMicros === Infinity ? NEWEST : startingAt(query.startMicros);
  if (query.cursor === undefined || choices.continuation !== "cursor") return start;
  const written = Buffer.from(query.cursor, "base64url").toString();
  const [micros = Number.NaN, survey = Number.NaN, order = Number.NaN] = written.split(".").map(Number);
  if (![micros, survey, order].every(Number.isSafeInteger)) {
    throw new Refusal("invalidParameter", `The cursor "${query.cursor}" is not one of ours.`);
  }
  const place = { micros, survey, order };
  return comparePositions(place, start) < 0 ? place : start;
}

const cursorOf = ({ micros, survey, order }: Position): string =>
  Buffer.from(`${micros}.${survey}.${order}`).toString("base64url");

/**
 * The `next_url` of a page: the request's path below the base URL and its query, with another `start` and, in
 * some dialects, an exact position.
 */
function linkTo(
  { path, query, choices }: PageRequest,
  start: string | undefined,
  cursor: string | undefined,
): string {
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ["start", start],
    ["end", query.end],
    ["items_per_page", query.itemsPerPage?.toString()],
    ...query.attributes.map((name) => ["attributes[]", name] as const),
    ...query.kept,
    [CURSOR_PARAMETER, cursor],
  ];
  const text = pairs
    .flatMap(([name, value]) =>
      value === undefined ? [] : `${encode(name, choices)}=${encode(value, choices)}`,
    )
    .join("&");
  const from = choices.linkSlash === "none" ? path.slice(1) : path;
  return text === "" ? from : `${from}?${text}`;
}

function encode(text: string, choices: Choices): string {
  const encoded = encodeURIComponent(text);
  if (choices.linkEncoding === "percent") return encoded;
  return encoded.replaceAll("%3A", ":").replaceAll("%5B", "[").replaceAll("%5D", "]");
}
