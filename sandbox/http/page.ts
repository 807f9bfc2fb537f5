import type { Choices } from "../choices.ts";
import { comparePositions, newest, type Position, startingAt } from "../data/position.ts";
import type { AttributeRecord } from "../data/record.ts";
import type { Listed } from "../data/survey.ts";
import { formatMoment } from "../moment.ts";
import { linkTo } from "./link.ts";
import type { ListQuery } from "./query.ts";
import { Refusal } from "./refusal.ts";

/** Up to `limit` things from a position down. */
type Take = (from: Position, limit: number) => readonly Listed[];

const closingCursor = "closed";

/** A page as it is sent, how many items are on it, and the link to the next one, if there is one. */
export interface Page {
  readonly body: string;
  readonly items: number;
  readonly link: string | undefined;
}

/** One page of responses as JSON, from whatever gives the responses in order. */
export function responsesPage(
  path: string,
  query: ListQuery,
  choices: Choices,
  take: Take,
  item: (listed: Listed, place: number) => string,
): Page {
  const closes = choices.listEnd === "empty_page";
  if (closes && query.cursor === closingCursor) {
    return envelope([], linkTo(path, query, query.start, closingCursor, choices), true, choices);
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
  const link = linkTo(path, query, start, closes ? closingCursor : undefined, choices);
  return envelope(items, link, closes, choices);
}

/** One page of a person's attributes, largest id first; `start` is the id from which it goes on. */
export function attributesPage(
  path: string,
  query: ListQuery,
  choices: Choices,
  records: readonly AttributeRecord[],
): Page {
  const closes = choices.listEnd === "empty_page";
  if (closes && query.cursor === closingCursor) {
    return envelope([], linkTo(path, query, query.start, closingCursor, choices), true, choices);
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
  const link = linkTo(path, query, start, closes ? closingCursor : undefined, choices);
  return envelope(items, link, closes, choices);
}

function envelope(items: readonly string[], link: string, hasMore: boolean, choices: Choices): Page {
  const shown = hasMore || choices.linkOnLastPage === "present";
  const empty = choices.linkOnLastPage === "null" ? ',"next_url":null' : "";
  const next = shown ? `,"next_url":${JSON.stringify(link)}` : empty;
  const body = `{"pagination_data":{"has_more":${hasMore}${next}},"data":[${items.join(",")}]}`;
  return { body, items: items.length, link: hasMore ? link : undefined };
}

function nextLink(path: string, query: ListQuery, choices: Choices, last: Listed, following: Listed): string {
  const target = choices.continuation === "last_item" ? last : following;
  const cursor = choices.continuation === "cursor" ? cursorOf(following) : undefined;
  return linkTo(path, query, startFor(target.micros, query, choices), cursor, choices);
}

/** No link asks for what the service would refuse: a start that equals the end is moved up by the least step. */
function startFor(micros: number, query: ListQuery, choices: Choices): string {
  const lowest = choices.startEqualToEnd === "refused" ? query.endMicros + 1 : query.endMicros;
  return formatMoment(Math.max(micros, lowest));
}

function firstPosition(query: ListQuery, choices: Choices): Position {
  const start = query.startMicros === Infinity ? newest : startingAt(query.startMicros);
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
