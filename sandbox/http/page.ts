import type { Dataset } from "../data/dataset.ts";
import type { AttributePair } from "../data/respondents.ts";
import {
  answersOf,
  comparePositions,
  isGrowing,
  type Position,
  type StoredResponse,
  type Survey,
} from "../data/survey.ts";
import { type Dialect, hasBareItems, writesIndexes } from "../dialects.ts";
import { formatTimestamp } from "../time.ts";
import { type ListQuery, Refusal, type Route } from "./request.ts";

/** The body of a list's answer. */
export interface Page {
  readonly pagination_data: { readonly has_more: boolean; readonly next_url?: string | null | undefined };
  readonly data: readonly object[];
}

/** A request for a page, parsed. `path` is the one below the base URL, as it was written. */
export interface PageRequest {
  readonly route: Route;
  readonly path: string;
  readonly query: ListQuery;
}

/** An item of a list, and the `start` and the exact position of a link that begins at it. */
interface Listed {
  readonly item: object;
  readonly start: string;
  readonly cursor?: string;
}

const DEFAULT_PAGE_SIZE = 20;

/** The body with which to answer a request, and how many items it has. Throws a `Refusal` if there is none. */
export function bodyOf(
  request: PageRequest,
  dataset: Dataset,
  dialect: Dialect,
): { readonly body: object; readonly items: number } {
  const { endpoint, id, response } = request.route;
  const isInDocument = endpoint === "survey_responses" || endpoint.startsWith("respondent_");
  if (dialect === "without_lists" && !isInDocument) throw new Refusal(404, "There is nothing here.");
  if (endpoint === "survey") return { body: detailsOf(existing(dataset, id)), items: 1 };
  if (endpoint === "survey_response") {
    const found = existing(dataset, id).responses.find(({ uuid }) => uuid === response);
    if (found === undefined) throw new Refusal(404, `There is no response ${response}.`);
    return { body: responseOf(found, new Set(request.query.attributes), dataset, true), items: 1 };
  }
  const body = pageOf(request, dataset, dialect);
  return { body, items: body.data.length };
}

function existing(dataset: Dataset, id: string): Survey {
  const survey = dataset.survey(id);
  if (survey === undefined) throw new Refusal(404, `There is no survey ${id}.`);
  return survey;
}

/** A survey as it is shown alone. Its author is a person. */
function detailsOf({ record, responses }: Survey): object {
  const [first, last] = [responses[0], responses.at(-1)].map((one) => one && formatTimestamp(one.micros));
  return {
    ...record,
    author: { name: "Robin Author", email: "robin.author@survey.example" },
    folder: null,
    first_response_at: first ?? null,
    last_response_at: last ?? null,
  };
}

function pageOf(request: PageRequest, dataset: Dataset, dialect: Dialect): Page {
  const { query } = request;
  const size = query.itemsPerPage ?? DEFAULT_PAGE_SIZE;
  const listed = listedFor(request, size + 1, dataset, dialect);
  const [page, following] = [listed.slice(0, size), listed[size]];
  const from = dialect === "flat_items" ? page.at(-1) : (following ?? page.at(-1));
  const next_url = linkTo(request, dialect, from?.start ?? query.start, following?.cursor);
  const lastUrl = dialect === "flat_items" ? next_url : dialect === "links_by_item" ? null : undefined;
  const has_more = following !== undefined;
  return {
    pagination_data: { has_more, next_url: has_more ? next_url : lastUrl },
    data: page.map(({ item }) => item),
  };
}

/** The first items of a list, up to this many. */
function listedFor(
  { route: { endpoint, id }, query }: PageRequest,
  count: number,
  dataset: Dataset,
  dialect: Dialect,
): Listed[] {
  const listed = ({ micros, order }: Position, item: object): Listed => ({
    item,
    // No link asks for what the service refuses: a start that equals the end moves up by a microsecond.
    start: formatTimestamp(Math.max(micros, query.endMicros + 1)),
    ...(dialect === "links_by_item" && { cursor: `${micros}.${order}` }),
  });
  if (endpoint === "survey_list") {
    const from = firstPosition(query);
    const taken = dataset
      .listedSurveys()
      .filter((survey) => comparePositions(survey, from) <= 0 && survey.micros >= query.endMicros);
    return taken.slice(0, count).map((survey) => listed(survey, survey.record));
  }
  if (endpoint === "survey_questions") {
    const { questions } = existing(dataset, id).settings;
    const first = query.start === undefined ? 0 : questions.findIndex((one) => one.id === query.startMicros);
    if (first < 0) throw new Refusal(400, `There is no question ${query.start}.`);
    return questions.slice(first, first + count).map((item) => ({ item, start: String(item.id) }));
  }
  if (endpoint === "survey_responses") {
    const survey = existing(dataset, id);
    const requested = new Set(query.attributes);
    return survey.list(firstPosition(query), query.endMicros, count).map((response) => {
      const own = responseOf(response, requested, dataset);
      return listed(response, hasBareItems(dialect) ? own : { survey: survey.shown, response: own });
    });
  }
  const attributes = dataset.respondents.attributes(id);
  if (attributes === undefined) throw new Refusal(404, `There is no respondent ${id}.`);
  if (endpoint === "respondent_attributes") {
    const taken = attributes.filter((record) => record.id <= query.startMicros).slice(0, count);
    return taken.map((record) => ({ item: record, start: String(record.id) }));
  }
  const from = firstPosition(query);
  const taken = dataset.responsesOf(id).filter((response) => comparePositions(response, from) <= 0);
  // Always wrapped: the document shows them so.
  return taken.slice(0, count).map((response) => {
    const own = responseOf(response, new Set(), dataset);
    return listed(response, { survey: response.survey.shown, response: own });
  });
}

function firstPosition({ cursor, startMicros }: ListQuery): Position {
  if (cursor === undefined) return { micros: startMicros, order: Infinity };
  const [micros = NaN, order = NaN] = cursor.split(".").map(Number);
  if (Number.isNaN(micros + order)) throw new Refusal(400, "The cursor is not one of ours.");
  return { micros, order };
}

/** The request's path below the base URL and its query, with another `start`. Colons and brackets are not encoded. */
function linkTo(
  { path, query }: PageRequest,
  dialect: Dialect,
  start: string | undefined,
  cursor: string | undefined,
): string {
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ["start", start],
    ["end", query.end],
    ["items_per_page", query.itemsPerPage?.toString()],
    ...query.attributes.map(
      (name, place) => [writesIndexes(dialect) ? `attributes[${place}]` : "attributes[]", name] as const,
    ),
    ["filters", query.filters],
    ["cursor", cursor],
  ];
  const written = pairs.flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value).replaceAll("%3A", ":")}`,
  );
  return `${dialect === "flat_items" ? path.slice(1) : path}${written.length === 0 ? "" : `?${written.join("&")}`}`;
}

/**
 * The `response` object of an item, with the attributes of these names, which are matched exactly. `isAlone`: all
 * attributes that were recorded with it.
 */
function responseOf(
  response: StoredResponse,
  requested: ReadonlySet<string>,
  dataset: Dataset,
  isAlone = false,
): object {
  const { survey, respondent, fields } = response;
  const { content, attributes } = survey.variant(response.variant);
  const named = (pairs: readonly AttributePair[]) =>
    pairs.filter(({ name }) => requested.has(name)).map(({ name, value }) => ({ name, value }));
  return {
    uuid: response.uuid,
    collected_at: formatTimestamp(response.micros),
    ...content,
    respondent: {
      uuid: respondent,
      attributes: requested.size === 0 ? [] : named(dataset.respondents.attributes(respondent) ?? []),
    },
    attributes: isAlone ? (response.attributes ?? attributes) : named(response.attributes ?? attributes),
    ...fields,
    ...(isGrowing(response) && { answers: answersOf(response).slice(0, response.answersShown) }),
  };
}
