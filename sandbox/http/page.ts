import type { Dataset } from "../data/dataset.ts";
import { PERSONAL_RESPONDENT_FIELDS, PERSONAL_RESPONSE_ATTRIBUTES } from "../data/personal-data.ts";
import type { AttributePair } from "../data/record.ts";
import { comparePositions, type Position, type StoredResponse, startingAt } from "../data/survey.ts";
import type { Dialect } from "../dialects.ts";
import { formatTimestamp } from "../time.ts";
import { Refusal } from "./reply.ts";
import type { ListQuery, Route } from "./request.ts";

/** A page as JSON, its number of items, and its link if `has_more` is true. */
export interface Page {
  readonly body: string;
  readonly items: number;
  readonly link: string | undefined;
}

/** A request for a page, parsed. `path` is the one below the base URL, as it was written. */
export interface PageRequest {
  readonly route: Route;
  readonly path: string;
  readonly query: ListQuery;
}

const DEFAULT_PAGE_SIZE = 20;

/** The page with which to answer a request. Throws a `Refusal` if there is none. */
export function pageOf(request: PageRequest, dataset: Dataset, dialect: Dialect): Page {
  const { endpoint, id } = request.route;
  if (endpoint === "survey_responses") return surveyPage(request, dataset, dialect);
  const attributes = dataset.respondents.attributes(id);
  if (attributes === undefined) throw new Refusal(404, `There is no respondent ${id}.`);
  if (endpoint === "respondent_attributes") {
    const falling = attributes.toSorted((one, other) => other.id - one.id);
    const taken = falling.filter((record) => record.id <= request.query.startMicros);
    return cut(request, dialect, taken, { item: (record) => record, start: (record) => String(record.id) });
  }
  const from = firstPosition(request.query);
  const responses = dataset.responsesOf(id).filter((response) => comparePositions(response, from) <= 0);
  // Always wrapped: the document shows them so.
  const item = (response: StoredResponse) => wrapped(response, responseOf(response, new Set(), dataset));
  return cut(request, dialect, responses, { item, ...ofResponses(request, dialect) });
}

function surveyPage(request: PageRequest, dataset: Dataset, dialect: Dialect): Page {
  const { query, route } = request;
  const survey = dataset.survey(route.id);
  if (survey === undefined) throw new Refusal(404, `There is no survey ${route.id}.`);
  const requested = new Set(query.attributes);
  const end = dialect.endCounts ? query.endMicros : -Infinity;
  const taken = survey.list(firstPosition(query), end, (query.itemsPerPage ?? DEFAULT_PAGE_SIZE) + 1);
  const item = (response: StoredResponse) => {
    const own = responseOf(response, requested, dataset);
    return dialect.items === "flat" ? own : wrapped(response, own);
  };
  return cut(request, dialect, taken, { item, ...ofResponses(request, dialect) });
}

/** How a list is written: an item, and the `start` and the exact position of a link that begins at it. */
interface Writing<Listed> {
  readonly item: (listed: Listed) => object;
  readonly start: (listed: Listed) => string;
  readonly cursor?: (listed: Listed) => string;
}

/** The page of a list that begins with these items, which may be more than the page holds. */
function cut<Listed>(
  request: PageRequest,
  dialect: Dialect,
  listed: readonly Listed[],
  { item, start, cursor }: Writing<Listed>,
): Page {
  const size = request.query.itemsPerPage ?? DEFAULT_PAGE_SIZE;
  const page = listed.slice(0, size);
  const [last, following] = [page.at(-1), listed[size]];
  const from = following === undefined || dialect.continuation === "last_item" ? last : following;
  const link = linkTo(
    request,
    dialect,
    from === undefined ? request.query.start : start(from),
    following === undefined ? undefined : cursor?.(following),
  );
  const has_more = following !== undefined;
  const lastLinks = { absent: {}, null: { next_url: null }, present: { next_url: link } };
  const pagination_data = { has_more, ...(has_more ? { next_url: link } : lastLinks[dialect.lastLink]) };
  const body = JSON.stringify({ pagination_data, data: page.map(item) });
  return { body, items: page.length, link: has_more ? link : undefined };
}

/** No link asks for what the service refuses: a start that equals the end moves up by a microsecond. */
const ofResponses = ({ query }: PageRequest, dialect: Dialect): Omit<Writing<StoredResponse>, "item"> => ({
  start: ({ micros }) => formatTimestamp(Math.max(micros, query.endMicros + 1)),
  ...(dialect.continuation === "exact" && {
    cursor: ({ micros, survey, order }) => `${micros}.${survey.number}.${order}`,
  }),
});

function firstPosition({ cursor, startMicros }: ListQuery): Position {
  if (cursor === undefined) return startingAt(startMicros);
  const [micros = NaN, number = NaN, order = NaN] = cursor.split(".").map(Number);
  if (Number.isNaN(micros + number + order)) throw new Refusal(400, "The cursor is not one of ours.");
  return { micros, survey: { number }, order };
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
    ...query.attributes.map((name) => ["attributes[]", name] as const),
    ["filters", query.filters],
    ["cursor", cursor],
  ];
  const written = pairs.flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value).replaceAll("%3A", ":")}`,
  );
  return `${dialect.linkSlash}${path.slice(1)}${written.length === 0 ? "" : `?${written.join("&")}`}`;
}

const wrapped = ({ survey }: StoredResponse, response: object) => ({ survey: survey.shown, response });

/** The `response` object of an item, with the attributes of these names, which are matched exactly. */
function responseOf(response: StoredResponse, requested: ReadonlySet<string>, dataset: Dataset): object {
  const { survey, respondent, fields } = response;
  const { content, attributes } = survey.variant(response);
  const recorded = response.attributes ?? attributes;
  const named = (pairs: readonly AttributePair[]) =>
    pairs.filter(({ name }) => requested.has(name)).map(({ name, value }) => ({ name, value }));
  return {
    uuid: response.uuid,
    collected_at: formatTimestamp(response.micros),
    ...content,
    respondent: {
      uuid: respondent,
      attributes: requested.size === 0 ? [] : named(dataset.respondents.attributes(respondent) ?? []),
      ...(survey.hasPersonalData && PERSONAL_RESPONDENT_FIELDS),
    },
    attributes: named(survey.hasPersonalData ? [...recorded, ...PERSONAL_RESPONSE_ATTRIBUTES] : recorded),
    ...fields,
  };
}
