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

/** Whether the list of surveys shows it; one that is archived can still be read by its id. */
export type SurveyStatus = "listed" | "archived" | "gone";

export interface Dialect {
  /** Of the items in surveys' lists. Those in respondents' lists are wrapped, as the document says. */
  readonly shape: "wrapped" | "bare" | "mixed";
  /**
   * What a link holds: the timestamp of the item after the page, that of the page's last item, or an exact
   * place (a parameter of the service's own) at the one or the other.
   */
  readonly link: "next_timestamp" | "last_timestamp" | "next_item" | "last_item";
  readonly linkOnLastPage: boolean;
  /** Whether `end` is honoured; a service that ignores it answers with everything below `start`. */
  readonly honoursEnd: boolean;
  /** Digits of `collected_at` that are not zero: the service filters by microseconds all the same. */
  readonly shows: "microseconds" | "milliseconds" | "nearest millisecond" | "seconds" | "nearest second";
  /** The same digits in respondents' lists, if they are fewer there. */
  readonly peopleShow?: "milliseconds" | "seconds" | undefined;
  /** `start` and `end` of a client's own request lose their microseconds. The service's links keep them. */
  readonly reads?: "milliseconds" | undefined;
  /** Whether each answer has a `Date` header. */
  readonly hasDate: boolean;
  /**
   * So many times the responses that a survey has are in the list of surveys; "late": those that it had when the service
   * last counted them; undefined: it says nothing of them.
   */
  readonly counts?: number | "late" | undefined;
}

/** The faults of the service during one sync. */
export interface ServiceFaults {
  /** Another workspace's key: its surveys are listed, and no other one may be asked for. */
  readonly isOfStranger?: boolean;
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
  readonly survey: { readonly id: string; readonly type: string; readonly name: string };
  readonly response: {
    readonly uuid: string;
    readonly collected_at: Timestamp;
    readonly answers: readonly unknown[];
    readonly respondent: object;
    readonly attributes: readonly unknown[];
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

/** The first questions of a survey, as many as its id says. */
const QUESTIONS = ["nps", "multiple", "matrix", "text", "form"].map((type, place) => ({
  id: 11 - place,
  type,
  question: `What about ${type}?`,
  introduction: place === 0 ? "Please." : null,
  answer_choices: type === "multiple" ? [{ id: 0, content: "c0" }] : [],
  columns: type === "matrix" ? ["Yes"] : [],
  fields: [],
}));
/** Surveys and questions on a page, however many are asked for. */
export const MOST_ON_A_PAGE = 2;
const STRANGERS = ["x0", "x1", "x2"];

/** Given after the others, while the response is shown already. */
const laterAnswer = (number: number): object => ({
  question_id: 100 + number,
  question_type: "text",
  answer: "And more.",
});

/** In microseconds. */
const SECOND = 1_000_000;
const UNITS = {
  microseconds: 1,
  milliseconds: 1000,
  "nearest millisecond": 1000,
  seconds: SECOND,
  "nearest second": SECOND,
};
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

/** The service: its responses in one array, newest first; among equals the later arrival first. */
export class ListService {
  readonly responses: Response[] = [];
  /** Requests that no client should send, in words. */
  readonly complaints: string[] = [];
  readonly #dialect: Dialect;
  readonly #attributeCounts: ReadonlyMap<string, number>;
  /** Oldest first. */
  readonly #surveys = new Map<string, SurveyStatus>();
  /** How many responses each survey had when they were last counted. */
  readonly #counted = new Map<string, number>();
  /** How many answers were added to a response. */
  readonly #grown = new Map<Response, number>();

  constructor(dialect: Dialect, attributeCounts: ReadonlyMap<string, number>) {
    this.#dialect = dialect;
    this.#attributeCounts = attributeCounts;
  }

  /** A survey is there from its first response on, or from when somebody says so. */
  setStatus(survey: string, status: SurveyStatus): void {
    this.#surveys.set(survey, status);
  }

  /** The surveys that it lists, newest first. */
  get listed(): string[] {
    return [...this.#surveys].flatMap(([id, status]) => (status === "listed" ? [id] : [])).reverse();
  }

  /** What the list of surveys says of one. */
  survey(id: string) {
    const number = (STRANGERS.includes(id) ? STRANGERS : [...this.#surveys.keys()]).indexOf(id);
    return {
      id,
      type: number % 2 === 0 ? "PageSurvey" : "WidgetSurvey",
      name: `Survey ${id}`,
      created_at: timestampAt(number * SECOND),
      enabled: number % 3 !== 1,
      responses: this.#countOf(id),
      launch: { start_at: null, end_at: null, responses_limit: number },
    };
  }

  #countOf(survey: string): number | undefined {
    const { counts } = this.#dialect;
    if (counts === "late") return this.#counted.get(survey) ?? 0;
    const all = this.responses.filter((response) => response.survey === survey).length;
    return counts === undefined ? undefined : Math.ceil(counts * all);
  }

  /** If counts are late, the list of surveys has those of now from now on. */
  count(): void {
    this.#counted.clear();
    for (const { survey } of this.responses) this.#counted.set(survey, 1 + (this.#counted.get(survey) ?? 0));
  }

  questions(survey: string): readonly (typeof QUESTIONS)[number][] {
    return QUESTIONS.slice(0, 1 + (survey.charCodeAt(survey.length - 1) % QUESTIONS.length));
  }

  add(response: Response): void {
    const { survey } = response;
    if (!this.#surveys.has(survey)) this.setStatus(survey, "listed");
    const place = this.responses.findIndex(({ at }) => at <= response.at);
    this.responses.splice(place < 0 ? this.responses.length : place, 0, response);
  }

  remove(uuid: string): void {
    const place = this.responses.findIndex((response) => response.uuid === uuid);
    if (place >= 0) this.responses.splice(place, 1);
  }

  /** Its person goes on and gives one answer more. */
  grow(response: Response): void {
    this.#grown.set(response, this.answersAddedTo(response) + 1);
  }

  answersAddedTo(response: Response): number {
    return this.#grown.get(response) ?? 0;
  }

  /** The person's responses, newest first. */
  responsesOf(person: string): Response[] {
    return this.responses.filter((each) => each.person === person);
  }

  attributeIds(person: string): number[] {
    return Array.from({ length: this.#attributeCounts.get(person) ?? 0 }, (_, index) => index + 1);
  }

  /** Whether a path is a link of this service, and no request of the client's own. */
  isLink(path: string): boolean {
    return path.includes("&after=");
  }

  /** A response's `collected_at` as lists of surveys or of people show it. */
  shown({ at }: Response, of: "surveys" | "respondents" = "surveys"): Timestamp {
    const { shows, peopleShow } = this.#dialect;
    const digits = of === "surveys" ? shows : (peopleShow ?? shows);
    const unit = UNITS[digits];
    return timestampAt((digits.startsWith("nearest") ? Math.round : Math.floor)(at / unit) * unit);
  }

  /** The item of a response, as lists of surveys or of people show it. `added`: with so many of the answers added to it. */
  item(response: Response, of: "surveys" | "respondents", added = this.answersAddedTo(response)): TrueItem {
    const { uuid, survey, person } = response;
    const answers = ANSWERS[uuid.charCodeAt(uuid.length - 1) % ANSWERS.length]!;
    const { id, type, name } = this.survey(survey);
    return {
      survey: { id, type, name },
      response: {
        uuid,
        collected_at: this.shown(response, of),
        attributes: [],
        answers: answers.concat(Array.from({ length: added }, (_, number) => laterAnswer(number))),
        respondent: { uuid: person, attributes: [] },
      },
    };
  }

  /** The answer to a path below the base URL. */
  answer(path: string, faults: ServiceFaults): HttpResponse {
    const [, kind, id = "", of] =
      /^\/(surveys|respondents)(?:\/([^/?]+)(?:\/(responses|attributes|questions)(?=\?))?)?(?:\?|$)/.exec(
        path,
      ) ?? [];
    if (kind === undefined || (kind === "respondents" && of === undefined))
      return this.#refuse(path, "no such path");
    const name = kind === "surveys" ? id : this.#personOf(id);
    if (faults.missing.has(name) || this.#surveys.get(name) === "gone") return json(404, {});
    const status = (this.isLink(path) ? faults.links : undefined) ?? faults.refusing.get(name);
    if (status !== undefined) return json(status, {});
    if (kind === "surveys" && id === "") return this.#surveyList(path, faults);
    if (faults.isOfStranger)
      return path.endsWith("?items_per_page=1")
        ? json(404, {})
        : this.#refuse(path, "asked for with another workspace's key");
    if (of === "attributes") return this.#attributes(path, name, faults);
    if (of === undefined)
      return json(200, { ...this.survey(name), author: { name: "Ann", email: "a@b.de" } });
    if (of === "questions") {
      const found = (id: number, start: string) => id <= Number(start);
      const all = this.questions(name).map((item) => ({ key: item.id, item }));
      return this.#keyed(path, `/surveys/${name}/questions`, all, found);
    }
    if (kind === "surveys") {
      const inSurvey = this.responses.filter(({ survey }) => survey === name);
      return this.#list(path, `/surveys/${name}/responses`, inSurvey, faults);
    }
    const shown = this.responsesOf(name)
      .slice(faults.lagging.get(name) ?? 0)
      .slice(0, faults.short.get(name));
    return this.#list(path, `/respondents/${name}/responses`, shown, faults);
  }

  #refuse(path: string, why: string): HttpResponse {
    this.complaints.push(`${why}: ${path}`);
    return json(400, { error: why });
  }

  /** The service knows each person by any spelling of the UUID. */
  #personOf(id: string): string {
    if (this.#attributeCounts.has(id)) return id;
    const people = [...this.#attributeCounts.keys(), ...this.responses.map(({ person }) => person)];
    return people.find((person) => person.toLowerCase() === id.toLowerCase()) ?? id;
  }

  #list(path: string, ownPath: string, all: readonly Response[], faults: ServiceFaults): HttpResponse {
    const { link, reads, honoursEnd } = this.#dialect;
    const of = ownPath.startsWith("/surveys/") ? "surveys" : "respondents";
    const query = new URL(path, "http://service").searchParams;
    const [start, end, after] = [query.get("start"), query.get("end"), query.get("after")];
    const size = Number(query.get("items_per_page"));
    const complaint = complaintAbout({ start, end, size, of, isLink: after !== null });
    if (complaint !== undefined) return this.#refuse(path, complaint);
    if (query.get("closed") === "1") return this.#page([], undefined, path);

    const [afterUuid = "", inclusive] = (after ?? "").split("/");
    const anchor = after === null ? -1 : all.findIndex(({ uuid }) => uuid === afterUuid);
    const unit = reads === "milliseconds" && after === null ? 1000 : 1;
    const newest = start === null ? Number.POSITIVE_INFINITY : placeOf(start, unit);
    const oldest = end === null || !honoursEnd ? Number.NEGATIVE_INFINITY : placeOf(end, unit);
    const found = all.filter(({ at }, place) => {
      if (anchor < 0) return at <= newest && at >= oldest;
      return at >= oldest && (inclusive === "1" ? place >= anchor : place > anchor);
    });
    const items = found.slice(0, size);
    const sent = inDisorder(items, faults).map((response, place) => this.#sent(response, of, place, faults));
    const next = found[size];
    if (next === undefined) return this.#page(sent, undefined, path);
    const last = items.at(-1)!;
    const from = link === "next_timestamp" ? next : last;
    const isInclusive = link === "last_item" && size > 1;
    const place = link.endsWith("_item") ? `${last.uuid}/${isInclusive ? 1 : 0}` : "";
    const bounds = `start=${timestampAt(from.at)}${end === null ? "" : `&end=${end}`}`;
    return this.#page(sent, `${ownPath}?items_per_page=${size}&${bounds}&after=${place}`, path);
  }

  #attributes(path: string, person: string, faults: ServiceFaults): HttpResponse {
    const isSpoiled = faults.attributesUnreadable.has(person);
    const all = this.attributeIds(person).map((id) => ({
      key: id,
      item: { ...(!(isSpoiled && id === 1) && { id }), name: `n${id}`, value: "v" },
    }));
    return this.#keyed(path, `/respondents/${person}/attributes`, all, (id, start) => id >= Number(start));
  }

  #surveyList(path: string, { isOfStranger }: ServiceFaults): HttpResponse {
    const ids = isOfStranger ? STRANGERS.toReversed() : this.listed;
    const all = ids.map((id) => ({ key: this.survey(id).created_at, item: this.survey(id) }));
    return this.#keyed(path, "/surveys", all, (created, start) => created <= start);
  }

  /** A list whose links hold the key of the next item, or of the page's last one. */
  #keyed<Key>(
    path: string,
    ownPath: string,
    all: readonly { readonly key: Key; readonly item: unknown }[],
    isFrom: (key: Key, start: string) => boolean,
  ): HttpResponse {
    const query = new URL(path, "http://service").searchParams;
    const [asked, start] = [Number(query.get("items_per_page")), query.get("start")];
    const isOfPerson = ownPath.startsWith("/respondents/");
    // One survey may be asked for only to see whether the service answers, and its present.
    const isTry = path === "/surveys?items_per_page=1";
    if (!isOfPerson && asked !== 100 && !isTry) return this.#refuse(path, "not the largest page");
    const size = isOfPerson ? asked : MOST_ON_A_PAGE;
    const found = all.filter(({ key }) => start === null || isFrom(key, start));
    const items = found.slice(0, size).map(({ item }) => item);
    const next = found[this.#dialect.link.startsWith("last_") ? size - 1 : size];
    const link = `${ownPath}?items_per_page=${asked}&start=${next?.key}&after=`;
    return this.#page(items, found.length > size ? link : undefined, path);
  }

  /** `link`: undefined if nothing follows. `path`: of the page itself. */
  #page(data: readonly unknown[], link: string | undefined, path: string): HttpResponse {
    const next = link ?? (this.#dialect.linkOnLastPage ? path : undefined);
    const has_more = link !== undefined;
    return json(200, { pagination_data: { has_more, ...(next !== undefined && { next_url: next }) }, data });
  }

  /** A response as it is in a page. */
  #sent(whole: Response, of: "surveys" | "respondents", place: number, faults: ServiceFaults): unknown {
    const item = this.item(whole, of);
    const { uuid, respondent, ...rest } = item.response;
    const spoiled = faults.unreadable.get(uuid);
    const response = {
      ...(spoiled !== "uuid" && { uuid }),
      ...rest,
      ...(spoiled === "collected_at" && { collected_at: "yesterday" }),
      ...(spoiled !== "respondent" && { respondent }),
    };
    const { shape } = this.#dialect;
    const isBare = shape === "bare" || (shape === "mixed" && place % 2 === 1);
    return isBare && of === "surveys" ? response : { ...item, response };
  }
}

export const createListService = (
  dialect: Dialect,
  attributeCounts: ReadonlyMap<string, number>,
): ListService => new ListService(dialect, attributeCounts);

function complaintAbout(request: {
  readonly start: string | null;
  readonly end: string | null;
  readonly size: number;
  readonly of: "surveys" | "respondents";
  readonly isLink: boolean;
}): string | undefined {
  const { start, end, size, of, isLink } = request;
  if (!Number.isInteger(size) || size < 1 || size > 100) return "items_per_page";
  const isTime = (bound: string | null): boolean =>
    bound === null || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(bound);
  if (!isTime(start) || !isTime(end)) return "time";
  if (end !== null && of === "respondents") return "end";
  if (!isLink && start !== null && end !== null && start <= end) return "start is not later than end";
  return undefined;
}

/** The first item that comes after the next one does so, if both are readable: nobody could tell where others belong. */
function inDisorder(items: readonly Response[], { disorder, unreadable }: ServiceFaults): Response[] {
  const ordered = [...items];
  const isOut = ({ uuid }: Response, next: Response | undefined): boolean =>
    disorder.has(uuid) && next !== undefined && !unreadable.has(uuid) && !unreadable.has(next.uuid);
  const place = items.findIndex((each, at) => isOut(each, items[at + 1]));
  if (place >= 0) ordered.splice(place, 2, items[place + 1]!, items[place]!);
  return ordered;
}

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});
