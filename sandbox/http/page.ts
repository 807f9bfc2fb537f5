import type { Choices } from "../choices.ts";
import { comparePositions, NEWEST, type Position, startingAt } from "../data/position.ts";
import type { AttributeRecord } from "../data/record.ts";
import type { ListedResponse } from "../data/survey.ts";
import { formatTimestamp } from "../timestamp.ts";
import { linkTo } from "./link.ts";
import type { ListQuery } from "./query.ts";
import { Refusal } from "./refusal.ts";

/** Up to `limit` responses from a position downwards. */
type Take = (from: Position, limit: number) => readonly ListedResponse[];

const CLOSING_CURSOR = "closed";

/** A page as JSON, its number of items, and its link if `has_more` is true. */
export interface Page {
  readonly body: string;
  readonly items: number;
  readonly link: string | undefined;
}

/** One page of responses, which `take` gives in order. */
export function responsesPage(
  path: string,
  query: ListQuery,
  choices: Choices,
  take: Take,
  item: (listed: ListedResponse, place: number) => string,
): Page {
  const closes = choices.listEnd === "empty_page";
  if (closes && query.cursor === CLOSING_CURSOR) {
    return envelope([], linkTo(path, query, query.start, CLOSING_CURSOR, choices), true, choices);
  }
  const size = query.itemsPerPage ?? choices.defaultPageSize;
  const taken = take(firstPosition(query, choices), size + 1);
  const page = taken.slice(0, size);
  const following = taken[size];
  const last = page.at(-1);
  const items = page.map(item);
  if (following !== undefined && last !== undefined) {
    return envelope(items, nextLink(path, query, choices, last, following), true, choices);
  }
  const start = last === undefined ? query.start : startFor(last.micros, query, choices);
  const link = linkTo(path, query, start, closes ? CLOSING_CURSOR : undefined, choices);
  return envelope(items, link, closes, choices);
}

/** One page of a respondent's attributes, largest id first. `start` is the id of the first one. */
export function attributesPage(
  path: string,
  query: ListQuery,
  choices: Choices,
  records: readonly AttributeRecord[],
): Page {
  const closes = choices.listEnd === "empty_page";
  if (closes && query.cursor === CLOSING_CURSOR) {
    return envelope([], linkTo(path, query, query.start, CLOSING_CURSOR, choices), true, choices);
  }
  const falling = [...records].sort((one, other) => other.id - one.id);
  const size = query.itemsPerPage ?? choices.defaultPageSize;
  const rest = falling.filter(({ id }) => id <= query.startMicros);
  const page = rest.slice(0, size);
  const following = rest[size];
  const last = page.at(-1);
  const target = choices.continuation === "last_item" ? last : following;
  const start = (following === undefined ? last : target)?.id.toString() ?? query.start;
  const items = page.map((record) => JSON.stringify(record));
  if (following !== undefined) {
    return envelope(items, linkTo(path, query, start, undefined, choices), true, choices);
  }
  const link = linkTo(path, query, start, closes ? CLOSING_CURSOR : undefined, choices);
  return envelope(items, link, closes, choices);
}

function envelope(items: readonly string[], link: string, hasMore: boolean, choices: Choices): Page {
  const shown = hasMore || choices.linkOnLastPage === "present";
  const empty = choices.linkOnLastPage === "null" ? ',"next_url":null' : "";
  const next = shown ? `,"next_url":${JSON.stringify(link)}` : empty;
  const body = `{"pagination_data":{"has_more":${hasMore}${next}},"data":[${items.join(",")}]}`;
  return { body, items: items.length, link: hasMore ? link : undefined };
}

function nextLink(
  path: string,
  query: ListQuery,
  choices: Choices,
  last: ListedResponse,
  following: ListedResponse,
): string {
  const target = choices.continuation === "last_item" ? last : following;
  const cursor = choices.continuation === "cursor" ? cursorOf(following) : undefined;
  return linkTo(path, query, startFor(target.micros, query, choices), cursor, choices);
}

/** No link asks for something that the service refuses: a start that equals the end moves up by a microsecond. */
function startFor(micros: number, query: ListQuery, choices: Choices): string {
  const lowest = choices.startEqualToEnd === "refused" ? query.endMicros + 1 : query.endMicros;
  return formatTimestamp(Math.max(micros, lowest));
}

function firstPosition(query: ListQuery, choices: Choices): Position {
  const start = query.startMicros === Infinity ? NEWEST : startingAt(query.startMicros);
  if (query.cursor === undefined || choices.continuation !== "cursor") return start;
  const [micros, survey, order] = Buffer.from(query.cursor, "base64url").toString().split(".").map(Number);
  if (![micros, survey, order].every(Number.isSafeInteger)) {
    throw new Refusal("invalidParameter", `The cursor "${query.cursor}" is not one of ours.`);
  }
  const place = { micros: micros!, survey: survey!, order: order! };
  return comparePositions(place, start) < 0 ? place : start;
}

const cursorOf = ({ micros, survey, order }: Position): string =>
  Buffer.from(`${micros}.${survey}.${order}`).toString("base64url");
