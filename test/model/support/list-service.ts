import type { HttpResponse, Timestamp } from "@survey-export/core";

/**
 * A second, tiny implementation of the service's lists, written from the interface document alone, so that a
 * misreading shared by the core and the sandbox would show. Everything is in one array; nothing is fast or clever.
 */
export interface Response {
  readonly uuid: string;
  readonly survey: string;
  readonly person: string;
  /** Microseconds since the service's epoch. */
  readonly at: number;
}

export interface Dialect {
  /** Of the items in surveys' lists. Those in respondents' lists are wrapped, as the document says. */
  readonly shape: "wrapped" | "bare" | "mixed";
  /**
   * What a link holds: the timestamp of the item after the page, that of the page's last item, or an exact
   * place (a parameter of the service's own) at the one or the other.
   */
  readonly link: "next_timestamp" | "last_timestamp" | "next_item" | "last_item";
  readonly linkOnLastPage: boolean;
  /** Whether lists close with an empty page that says there is more and links to itself. */
  readonly closesEmpty: boolean;
  /** Whether `end` is honoured; a service that ignores it answers with everything below `start`. */
  readonly honoursEnd: boolean;
  /** Digits of `collected_at` that are not zero: the service filters by microseconds all the same. */
  readonly shows: "microseconds" | "milliseconds" | "nearest millisecond" | "seconds";
  /** The same digits in respondents' lists, if they are fewer there. */
  readonly peopleShow?: "milliseconds" | "seconds" | undefined;
  /** `start` and `end` of a client's own request lose their microseconds. The service's links keep them. */
  readonly reads?: "milliseconds" | undefined;
  /** Whether each answer has a `Date` header. */
  readonly hasDate: boolean;
}

/** The faults of the service during one sync. */
export interface ServiceFaults {
  /** Surveys and respondents that answer 404. */
  readonly missing: ReadonlySet<string>;
  /** Respondents whose lists always answer with this status. */
  readonly refusing: ReadonlyMap<string, number>;
  /** The status of every answer to a link; undefined = links work. */
  readonly links: number | undefined;
  /** Respondents whose list of responses has this many of the newest ones, and says that there are no others. */
  readonly short: ReadonlyMap<string, number>;
  /** Respondents whose list of responses lacks this many of the newest ones. */
  readonly lagging: ReadonlyMap<string, number>;
  /** Responses that come after the next one of their page. */
  readonly disorder: ReadonlySet<string>;
  /** Responses that come without `uuid`, with a `collected_at` that is not a timestamp, or without a respondent. */
  readonly unreadable: ReadonlyMap<string, "uuid" | "collected_at" | "respondent">;
  /** Respondents whose first attribute comes without an id. */
  readonly attributesUnreadable: ReadonlySet<string>;
}

export const HEALTHY: ServiceFaults = {
  missing: new Set(),
  refusing: new Map(),
  links: undefined,
  short: new Map(),
  lagging: new Map(),
  disorder: new Set(),
  unreadable: new Map(),
  attributesUnreadable: new Set(),
};

/** An item of a list of responses, wrapped, with nothing missing. */
export interface TrueItem {
  readonly survey: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>> & {
    readonly uuid: string;
    readonly collected_at: Timestamp;
    readonly answers: readonly unknown[];
  };
}

/** What people answer: nothing, one thing or several. The last character of a response's `uuid` says which. */
const ANSWERS: readonly (readonly object[])[] = [
  [],
  [{ question_id: 1, question_type: "text", answer: "Fine." }],
  [
    { question_id: 1, question_type: "nps", answer: { content: "3", tag: "detractor" } },
    { question_id: 2, question_type: "multiple", answers: [1, 2].map((id) => ({ id, content: `c${id}` })) },
  ],
  [
    { question_id: 1, question_type: "rating", answer: { id: 4, content: "Good", rating: 4 } },
    { question_id: 3, question_type: "single", answer: { id: 1, content: "c1" } },
  ],
];

/** In microseconds. */
const SECOND = 1_000_000;
export const EPOCH_MS = Date.UTC(2026, 0, 1);

/** `at` as a timestamp. */
export function timestampAt(at: number): Timestamp {
  const ms = EPOCH_MS + Math.floor(at / 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(at % 1000).padStart(3, "0")}Z` as Timestamp;
}

/** The inverse of `timestampAt`, down to a multiple of `unit`. */
const placeOf = (timestamp: string, unit: number): number => {
  const at = 1000 * (Date.parse(`${timestamp.slice(0, 23)}Z`) - EPOCH_MS) + Number(timestamp.slice(23, 26));
  return Math.floor(at / unit) * unit;
};

export interface ListService {
  readonly responses: readonly Response[];
  add(response: Response): void;
  remove(uuid: string): void;
  /** A response's `collected_at` as the service shows it. */
  shown(response: Response): Timestamp;
  /** The item of a response, whole, as lists of surveys or of people show it. */
  item(response: Response, of: "surveys" | "respondents"): TrueItem;
  /** An attribute, whole. */
  attribute(id: number): { readonly id: number; readonly name: string; readonly value: string };
  /** The answer to a path below the base URL. */
  answer(path: string, faults: ServiceFaults): HttpResponse;
  /** The person's responses, newest first. */
  responsesOf(person: string): Response[];
  attributeIds(person: string): number[];
  /** Whether a path is a link of this service, and no request of the client's own. */
  isLink(path: string): boolean;
  /** Requests that no client should send, in words. */
  readonly complaints: readonly string[];
}

export function createListService(
  dialect: Dialect,
  attributeCounts: ReadonlyMap<string, number>,
): ListService {
  /** Newest first; among equals the later arrival first. */
  const responses: Response[] = [];
  const complaints: string[] = [];

  const shown = ({ at }: Response): Timestamp => {
    if (dialect.shows === "microseconds") return timestampAt(at);
    const round = dialect.shows === "nearest millisecond" ? Math.round : Math.floor;
    const unit = dialect.shows === "seconds" ? SECOND : 1000;
    return timestampAt(round(at / unit) * unit);
  };
  const shownToPeople = (response: Response): Timestamp => {
    if (dialect.peopleShow === undefined) return shown(response);
    const unit = dialect.peopleShow === "seconds" ? SECOND : 1000;
    return timestampAt(Math.floor(response.at / unit) * unit);
  };
  const isLink = (path: string): boolean => path.includes("&after=");

  const refuse = (path: string, why: string): HttpResponse => {
    complaints.push(`${why}: ${path}`);
    return json(400, { error: why });
  };

  const item = (response: Response, of: "surveys" | "respondents"): TrueItem => ({
    survey: { id: response.survey, type: "PageSurvey", name: "A" },
    response: {
      uuid: response.uuid,
      collected_at: of === "surveys" ? shown(response) : shownToPeople(response),
      answers: ANSWERS[response.uuid.charCodeAt(response.uuid.length - 1) % ANSWERS.length]!,
      respondent: { uuid: response.person, attributes: [] },
      attributes: [],
    },
  });
  /** As it is in a page. */
  const sent = (whole: TrueItem, place: number, isOfSurvey: boolean, faults: ServiceFaults): unknown => {
    const { uuid, respondent, ...rest } = whole.response;
    const spoiled = faults.unreadable.get(uuid);
    const response = {
      ...(spoiled !== "uuid" && { uuid }),
      ...rest,
      ...(spoiled === "collected_at" && { collected_at: "yesterday" }),
      ...(spoiled !== "respondent" && { respondent }),
    };
    const bare = dialect.shape === "bare" || (dialect.shape === "mixed" && place % 2 === 1);
    return bare && isOfSurvey ? response : { ...whole, response };
  };
  const attribute = (id: number) => ({ id, name: `n${id}`, value: "v" });

  const page = (
    items: readonly unknown[],
    link: string | undefined,
    more: boolean,
    self: string,
  ): HttpResponse => {
    if (!more && dialect.closesEmpty) {
      const closing = self.includes("&closed=1") ? self : `${self}&closed=1`;
      return json(200, { pagination_data: { has_more: true, next_url: closing }, data: items });
    }
    const next = more ? link : dialect.linkOnLastPage ? self : undefined;
    return json(200, {
      pagination_data: { has_more: more, ...(next !== undefined && { next_url: next }) },
      data: items,
    });
  };

  /** `person`: of a respondent's list, else undefined. */
  const listOf = (
    path: string,
    ownPath: string,
    all: readonly Response[],
    person: string | undefined,
    faults: ServiceFaults,
  ): HttpResponse => {
    const url = new URL(path, "http://service");
    const query = url.searchParams;
    const [start, end] = [query.get("start"), query.get("end")];
    const size = Number(query.get("items_per_page"));
    if (!Number.isInteger(size) || size < 1 || size > 100) return refuse(path, "items_per_page");
    const [isOurs, isOfSurvey] = [query.has("after"), person === undefined];
    for (const bound of [start, end]) {
      if (bound !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(bound))
        return refuse(path, "time");
    }
    if (end !== null && !isOfSurvey) return refuse(path, "end");
    if (!isOurs && start !== null && end !== null && start <= end)
      return refuse(path, "start is not later than end");
    if (query.get("closed") === "1") return page([], undefined, false, path);

    const after = query.get("after");
    const [afterUuid = "", inclusive = ""] = (after ?? "").split("/");
    const anchor = after === null ? -1 : all.findIndex(({ uuid }) => uuid === afterUuid);
    const unit = dialect.reads === "milliseconds" && !isOurs ? 1000 : 1;
    const newest = start === null ? Number.POSITIVE_INFINITY : placeOf(start, unit);
    const oldest = end === null || !dialect.honoursEnd ? Number.NEGATIVE_INFINITY : placeOf(end, unit);
    const found = all.filter(({ at }, place) => {
      if (anchor >= 0 && (inclusive === "1" ? place < anchor : place <= anchor)) return false;
      return (anchor >= 0 || at <= newest) && at >= oldest;
    });
    const items = found.slice(0, size);
    const ordered = [...items];
    for (const [place, each] of items.entries()) {
      const next = items[place + 1];
      if (next === undefined || !faults.disorder.has(each.uuid)) continue;
      // Nobody can tell where an item without a timestamp belongs.
      if (faults.unreadable.has(each.uuid) || faults.unreadable.has(next.uuid)) continue;
      [ordered[place], ordered[place + 1]] = [next, each];
      break;
    }
    const more = found.length > size;
    let link: string | undefined;
    if (more) {
      const last = items.at(-1)!;
      const from = dialect.link === "next_timestamp" ? found[size]! : last;
      const place =
        dialect.link === "next_item"
          ? `${last.uuid}/0`
          : dialect.link === "last_item" && size > 1
            ? `${last.uuid}/1`
            : dialect.link === "last_item"
              ? `${last.uuid}/0`
              : "";
      link = `${ownPath}?items_per_page=${size}&start=${timestampAt(from.at)}${end === null ? "" : `&end=${end}`}&after=${place}`;
    }
    return page(
      ordered.map((response, index) =>
        sent(item(response, isOfSurvey ? "surveys" : "respondents"), index, isOfSurvey, faults),
      ),
      link,
      more,
      path,
    );
  };

  const attributesOf = (path: string, person: string, faults: ServiceFaults): HttpResponse => {
    const url = new URL(path, "http://service");
    const size = Number(url.searchParams.get("items_per_page"));
    const start = Number(url.searchParams.get("start") ?? "0");
    if (url.searchParams.get("closed") === "1") return page([], undefined, false, path);
    const ids = attributeIds(person).filter((id) => id >= start);
    const shown = ids.slice(0, size);
    const more = ids.length > size;
    const spoiled = faults.attributesUnreadable.has(person);
    const items = shown.map((each) => {
      const { id, ...rest } = attribute(each);
      return { ...(!(spoiled && id === 1) && { id }), ...rest };
    });
    const isInclusive = dialect.link === "last_item" || dialect.link === "last_timestamp";
    const link = more
      ? `/respondents/${person}/attributes?items_per_page=${size}&start=${ids[isInclusive ? size - 1 : size]}&after=`
      : undefined;
    return page(items, link, more, path);
  };

  const responsesOf = (person: string): Response[] => responses.filter((each) => each.person === person);
  /** The service knows each person by any spelling of the UUID. */
  const personOf = (id: string): string =>
    [...attributeCounts.keys(), ...responses.map(({ person }) => person)].find(
      (person) => person.toLowerCase() === id.toLowerCase(),
    ) ?? id;

  const attributeIds = (person: string): number[] =>
    Array.from({ length: attributeCounts.get(person) ?? 0 }, (_, index) => index + 1);

  return {
    responses,
    complaints,
    attributeIds,
    responsesOf,
    isLink,
    shown,
    item,
    attribute,
    add(response) {
      const place = responses.findIndex(({ at }) => at <= response.at);
      responses.splice(place < 0 ? responses.length : place, 0, response);
    },
    remove(uuid) {
      const place = responses.findIndex((response) => response.uuid === uuid);
      if (place >= 0) responses.splice(place, 1);
    },
    answer(path, faults) {
      const [, kind, id = "", list] =
        /^\/(surveys|respondents)\/([^/?]+)\/(responses|attributes)\?/.exec(path) ?? [];
      if (kind === undefined) return refuse(path, "no such path");
      const isOfSurvey = kind === "surveys";
      const name = isOfSurvey ? id : personOf(id);
      if (faults.missing.has(name)) return json(404, {});
      const status = isLink(path) ? (faults.links ?? faults.refusing.get(name)) : faults.refusing.get(name);
      if (status !== undefined) return json(status, {});
      if (list === "attributes") return attributesOf(path, name, faults);
      const ownPath = `/${kind}/${name}/responses`;
      if (isOfSurvey) {
        const inSurvey = responses.filter(({ survey }) => survey === name);
        return listOf(path, ownPath, inSurvey, undefined, faults);
      }
      const shown = responsesOf(name)
        .slice(faults.lagging.get(name) ?? 0)
        .slice(0, faults.short.get(name));
      return listOf(path, ownPath, shown, name, faults);
    },
  };
}

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});
