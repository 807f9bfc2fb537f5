import type { Clock, Host, HttpResponse, Timestamp } from "@survey-export/core";
import type { Fault, History, PlayedSync } from "./history.ts";
import { HEALTHY, type Response, type ServiceFaults, timestampAt } from "./list-service.ts";
import type { OutOfReach } from "./out-of-reach.ts";
import { surveyId, type Truth } from "./truth.ts";

const TRANSIENT: Readonly<Record<string, HttpResponse>> = {
  status_500: { status: 500, headers: {}, body: "" },
  status_429: { status: 429, headers: {}, body: "" },
  status_429_wait: { status: 429, headers: { "retry-after": "7" }, body: "" },
  status_503: { status: 503, headers: {}, body: "" },
  html: { status: 200, headers: {}, body: "<html>Back soon</html>" },
};
/** A sync of these histories that asks more often than this does not end. */
const MOST_REQUESTS = 6000;

export interface FaultyTransportOptions {
  readonly history: History;
  readonly truth: Truth;
  readonly sync: PlayedSync;
  readonly clock: Clock;
  /** The service's time. */
  readonly nowMs: () => number;
  readonly random: () => number;
  /** Whether a person's lists answer 404 now. */
  readonly isAbsent: (person: string) => boolean;
  /** Surveys that an earlier sync has read. */
  readonly known: ReadonlySet<string>;
  /** Happens after the answer to that request. */
  readonly changes: readonly { readonly afterRequest: number; readonly change: () => void }[];
  readonly isNameless: (response: Response) => boolean;
  /** To note what the service does not show. */
  readonly outOfReach: OutOfReach;
}

/** The service of a history during one sync, with all that goes wrong then. */
export class FaultyTransport {
  requests = 0;
  largestInFlight = 0;
  /** What no client should do, and did. */
  readonly wrong = new Set<string>();
  readonly #o: FaultyTransportOptions;
  readonly #faults: ReadonlyMap<number, Fault>;
  readonly #serviceFaults: ServiceFaults;
  /** Responses that name nobody in this sync. */
  readonly #nameless: readonly Response[];
  readonly #notFound: ReadonlySet<string>;
  #changes: FaultyTransportOptions["changes"];
  /** Paths of people's pages that were empty. */
  readonly #emptyPages = new Set<string>();
  readonly #surveyPages = { asked: 0, came: 0 };
  #inFlight = 0;
  #firstPages = new Set<string>();

  constructor(options: FaultyTransportOptions) {
    this.#o = options;
    this.#changes = options.changes;
    const { sync, truth, outOfReach } = options;
    this.#faults = new Map(sync.faults.map(({ request, fault }) => [request, fault]));
    this.#serviceFaults = this.#faultsOfService();
    const { unreadable, disorder, attributesUnreadable } = this.#serviceFaults;
    this.#nameless = truth.responses.filter(({ uuid }) => unreadable.get(uuid) === "respondent");
    const { notFound } = sync.serviceFaults;
    this.#notFound = new Set(notFound && truth.chosen(notFound.who));
    for (const { uuid, survey, person } of truth.responses) {
      const isUnreadable = unreadable.has(uuid) && unreadable.get(uuid) !== "respondent";
      if (!isUnreadable && !disorder.has(uuid)) continue;
      outOfReach.surveys.add(survey);
      outOfReach.lists.responses.odd.add(person);
    }
    for (const person of attributesUnreadable) outOfReach.lists.attributes.odd.add(person);
  }

  readonly send: Host["transport"] = async ({ url }, signal) => {
    const { clock, history, random, sync } = this.#o;
    const path = url.slice("http://service.local/v2".length);
    const request = this.requests++;
    const isOfSurvey = path.startsWith("/surveys/");
    this.largestInFlight = Math.max(this.largestInFlight, ++this.#inFlight);
    if (isOfSurvey) this.#surveyPages.asked++;
    else if (this.#surveyPages.asked > 0 && this.#surveyPages.came === 0)
      this.wrong.add("nobody is asked before the first page");
    if (this.#inFlight > sync.settings.maxConcurrentRequests)
      this.wrong.add("no more requests at once than allowed");
    if (this.requests > MOST_REQUESTS) {
      this.wrong.add("a sync ends");
      throw new Error("no more answers");
    }
    try {
      const isEarly = random() < 0.5 && !this.#faults.has(request);
      const early = isEarly ? this.#answer(path, request) : undefined;
      await clock.sleep(Math.floor(random() * history.slowestMs), signal);
      const reply = early ?? this.#answer(path, request);
      const due = this.#changes.filter(({ afterRequest }) => afterRequest <= request);
      this.#changes = this.#changes.filter((change) => !due.includes(change));
      for (const { change } of due) change();
      return reply;
    } finally {
      if (isOfSurvey) this.#surveyPages.came++;
      this.#inFlight--;
    }
  };

  #answer(path: string, request: number): HttpResponse {
    const { history, sync, truth, outOfReach } = this.#o;
    const list = listOf(path);
    if (list.kind === "respondents" && !path.includes("start=")) {
      if (sync.isQuiet && !history.dialect.closesEmpty && this.#firstPages.has(path))
        this.wrong.add(`once ${path}`);
      this.#firstPages.add(path);
    }
    const isOutage = request >= (sync.serviceFaults.outage ?? Number.POSITIVE_INFINITY);
    const fault = isOutage ? "status_503" : this.#faults.get(request);
    if (fault !== undefined && list.kind === "respondents") outOfReach.lists[list.of].odd.add(list.id);
    if (fault === "reset") throw new Error("the connection was cut");
    const transient = fault && TRANSIENT[fault];
    if (transient) return transient;
    const whole = this.#isMissing(list, request)
      ? { status: 404, headers: {}, body: "" }
      : truth.service.answer(path, this.#serviceFaults);
    const reply = fault === undefined || whole.status !== 200 ? whole : spoil(fault, path, whole);
    if (list.kind === "surveys") this.#noteSurvey(list, path, { fault, whole, reply });
    else this.#notePerson(list, path, { fault, whole, reply });
    const date = history.dialect.hasDate ? { date: new Date(this.#o.nowMs()).toUTCString() } : {};
    return { ...reply, headers: date };
  }

  #isMissing({ kind, id }: List, request: number): boolean {
    const { isAbsent, sync } = this.#o;
    if (kind === "surveys") return false;
    const { from = 0, requests = 0 } = sync.serviceFaults.notFound ?? {};
    return isAbsent(id) || (this.#notFound.has(id) && request >= from && request < from + requests);
  }

  #noteSurvey({ id }: List, path: string, { fault, whole, reply }: Answer): void {
    const { truth, outOfReach, known } = this.#o;
    if (reply.status === 404 && known.has(id)) outOfReach.surveys.add(id);
    if (reply.status !== 200) return;
    const isShown = ({ uuid }: Response): boolean => reply.body.includes(`"${uuid}"`);
    for (const response of this.#nameless) if (isShown(response)) outOfReach.nameless.add(response);
    if (fault?.startsWith("empty_page") || fault === "reversed") outOfReach.surveys.add(id);
    if (fault !== "false_end" || !JSON.parse(whole.body).pagination_data.has_more) return;
    const there = truth.responses.filter(({ survey }) => survey === id);
    const lowest = Math.min(...there.filter(isShown).map(({ at }) => at));
    const end = new URLSearchParams(path.split("?")[1]).get("end") ?? "";
    for (const response of there) {
      if (isShown(response) || response.at > lowest || timestampAt(response.at) < end) continue;
      outOfReach.belowFalseEnd.add(response);
    }
  }

  #notePerson({ id, of }: List, path: string, { fault, whole, reply }: Answer): void {
    const { truth, outOfReach } = this.#o;
    const lists = outOfReach.lists[of];
    if (reply.status !== 200) lists.odd.add(id);
    if (reply.status === 404 && !truth.service.isLink(path)) lists.notFound(id);
    if (reply.status !== 200 || fault === "truncated") return;
    const { data, pagination_data } = JSON.parse(reply.body) as Page;
    lists.found(id, data.map(timeOf).toSorted().at(-1));
    const listed = this.#listed(id, of);
    const { lagging, short } = this.#serviceFaults;
    const [lacks, keeps] = [lagging.get(id), short.get(id)];
    if (of === "responses" && lacks !== undefined && keeps !== undefined)
      lists.hide(id, listed.slice(0, lacks).concat(listed.slice(lacks + keeps)));
    const items = (JSON.parse(whole.body) as Page).data.map(idOf);
    if (data.length > 0 || items.length === 0) return;
    const isSecond = this.#emptyPages.has(path);
    this.#emptyPages.add(path);
    const leadsNowhere = pagination_data.next_url === path;
    if (leadsNowhere && !isSecond) return;
    // An empty page hides its items; if it leads nowhere and comes twice, all below it, too.
    const first = Math.max(
      0,
      listed.findIndex((each) => each.id === items[0]),
    );
    const isAll = leadsNowhere || items.includes(undefined);
    lists.hide(id, isAll ? listed.slice(first) : listed.filter((each) => items.includes(each.id)));
  }

  /** The items of a person's list, in its order. */
  #listed(
    person: string,
    of: List["of"],
  ): { readonly id: string | number; readonly keys: readonly string[] }[] {
    const { service } = this.#o.truth;
    return of === "responses"
      ? service.responsesOf(person).map((response) => ({
          id: response.uuid,
          keys: this.#o.truth.keysOf("respondent_responses", response),
        }))
      : service.attributeIds(person).map((id) => ({
          id,
          keys: this.#o.truth.attributeKeys("respondent_attributes", person, id),
        }));
  }

  #faultsOfService(): ServiceFaults {
    const { sync, truth, isNameless } = this.#o;
    const { survey, failing, unreadable, attributes, short, disorder, links } = sync.serviceFaults;
    const { responses } = truth;
    const placeOf = (place: number): number => place % (responses.length || 1);
    const from = (place: number): readonly Response[] =>
      responses.slice(placeOf(place)).concat(responses.slice(0, placeOf(place)));
    const fields = new Map<string, "uuid" | "collected_at" | "respondent">();
    for (const response of responses) if (isNameless(response)) fields.set(response.uuid, "respondent");
    for (const { place, count, field } of unreadable) {
      for (const { uuid } of from(place).slice(0, count)) fields.set(uuid, field);
    }
    const neighbours = failing ? [...new Set(from(failing.place).map(({ person }) => person))] : [];
    const cut = short === undefined ? [] : truth.chosen(short.who);
    return {
      ...HEALTHY,
      missing: new Set(survey === undefined ? [] : [surveyId(survey)]),
      refusing: new Map(neighbours.slice(0, failing?.count).map((person) => [person, failing!.status])),
      links,
      short: new Map(cut.map((person) => [person, short!.keeps])),
      lagging: new Map(cut.map((person) => [person, short!.lacks])),
      disorder: new Set(disorder.flatMap((place) => responses[placeOf(place)]?.uuid ?? [])),
      unreadable: fields,
      attributesUnreadable: new Set(attributes === undefined ? [] : [truth.person(attributes)]),
    };
  }
}

interface Answer {
  readonly fault: Fault | undefined;
  /** Without the fault. */
  readonly whole: HttpResponse;
  readonly reply: HttpResponse;
}

/** Of a person's list: a response, or an attribute. */
interface ListItem {
  readonly response?: { readonly uuid?: string; readonly collected_at: Timestamp };
  readonly id?: number;
}
interface Page {
  readonly data: readonly ListItem[];
  readonly pagination_data: { readonly next_url?: string };
}
const idOf = ({ response, id }: ListItem): string | number | undefined => response?.uuid ?? id;
const timeOf = ({ response }: ListItem): Timestamp | undefined => response?.collected_at;

interface List {
  readonly kind: "surveys" | "respondents";
  /** In the service's spelling. */
  readonly id: string;
  readonly of: "responses" | "attributes";
}

/** The list that a path asks for. */
function listOf(path: string): List {
  const [, kind, id, of] = path.split("?")[0]!.split("/");
  return { kind, id: id!.toLowerCase(), of } as List;
}

function spoil(fault: Fault, path: string, whole: HttpResponse): HttpResponse {
  if (fault === "truncated") return { ...whole, body: whole.body.slice(0, whole.body.length / 2) };
  const page = JSON.parse(whole.body);
  const { has_more: hasMore } = page.pagination_data;
  if (fault === "no_has_more") delete page.pagination_data.has_more;
  if (fault === "no_link") page.pagination_data = { has_more: true };
  if (fault === "false_end" && path.startsWith("/surveys/")) page.pagination_data = { has_more: false };
  if (fault === "empty_page") {
    page.pagination_data = { has_more: true, next_url: path };
    page.data = [];
  }
  if (fault === "empty_page_link_on" && hasMore) page.data = [];
  if (fault === "link_elsewhere" && hasMore) {
    page.pagination_data.next_url = "/surveys/other/responses?items_per_page=2";
  }
  if (fault === "link_stays" && hasMore) page.pagination_data.next_url = path;
  if (fault === "link_back" && hasMore) {
    const size = /items_per_page=\d+/.exec(path)![0];
    page.pagination_data.next_url = `${path.split("?")[0]}?${size}`;
  }
  // Nobody could tell where an item that cannot be read belongs.
  const isReadable = (item: { response?: object }): boolean => {
    const { uuid, collected_at } = (item.response ?? item) as { uuid?: string; collected_at?: string };
    return uuid !== undefined && collected_at !== undefined && collected_at !== "yesterday";
  };
  if (fault === "reversed" && page.data.every(isReadable)) page.data.reverse();
  return { ...whole, body: JSON.stringify(page) };
}
