import type { Clock, Host, HttpResponse, Timestamp } from "@survey-export/core";
import { type Response, type ServiceFaults, timestampAt } from "../../support/list-service.ts";
import type { Fault, History, PlayedSync } from "./history.ts";
import { type OutOfReach, surveyId, type Truth } from "./truth.ts";

const REPLIES: Readonly<Record<string, HttpResponse>> = {
  status_302: { status: 302, headers: { location: "/login" }, body: "" },
  status_401: { status: 401, headers: {}, body: "" },
  status_403: { status: 403, headers: {}, body: "<h1>Request blocked</h1>" },
  status_404: { status: 404, headers: {}, body: "" },
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
  readonly directory: Directory;
  /** Happens after the answer to that request. */
  readonly changes: readonly Change[];
  /** To note what the service does not show. */
  readonly outOfReach: OutOfReach;
}
export interface Change {
  readonly afterRequest: number;
  readonly change: () => void;
}

/** What the service has said of its surveys in one sync. */
export class Directory {
  /** Those that the sync is to read. */
  readonly read: Set<string>;
  readonly listed = new Set<string>();
  /** By the last reading of the list alone. */
  lastListed = new Set<string>();
  /** Whether a page of the last reading has said that the list ends there. */
  isAtEnd = false;
  /** Whether the list is not as it should be, so that names or surveys may be missing. */
  isOdd = false;
  /** Surveys of which something was not told, or not as it is. */
  readonly oddFacts = new Set<string>();
  readonly notFound = new Set<string>();
  /** Those of them that were not there, and not only in a spell. */
  readonly missing = new Set<string>();
  /** Surveys of which a page came. */
  readonly found = new Set<string>();
  /** Whether a reading of the list was whole, and nothing was wrong with it. */
  isKnown = false;
  asked = 0;
  came = 0;

  constructor(read: Iterable<string>) {
    this.read = new Set(read);
  }

  /**
   * It has answered 404, and the last reading of the list does not have it. A spell does not count, unless no other survey was
   * found: then nobody could tell.
   */
  isGone(survey: string): boolean {
    const isMissing = this.missing.has(survey) || (this.found.size === 0 && this.notFound.has(survey));
    return this.isAtEnd && isMissing && !this.lastListed.has(survey);
  }
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
  readonly #notFound: ReadonlySet<string>;
  /** How often first pages of people's lists were asked for. */
  readonly #firstPages = new Map<string, number>();
  /** Those that were full, and ended their list: they are asked for once more (S4). */
  readonly #fullEnds = new Set<string>();
  readonly #surveyPages = { asked: 0, came: 0 };
  /** Whether something was not answered as it should be: then a sync may ask for it once more. */
  #hasFailed = false;
  /** Whether something is wrong with the reading of the list of surveys that is under way. */
  #isListOdd = false;
  /** Lists of people of which a page was empty that should not have been. */
  readonly #lied = new Set<string>();
  /** By survey, the responses that a page has hidden. */
  readonly #hidden = new Map<string, readonly Response[]>();
  /** When the spell ends, once it has begun. */
  #spellEndsMs: number | undefined;
  #changes: readonly Change[];
  #inFlight = 0;

  constructor(options: FaultyTransportOptions) {
    this.#o = options;
    this.#changes = options.changes;
    const { sync, truth, outOfReach } = options;
    this.#faults = new Map(sync.faults.map(({ request, fault }) => [request, fault]));
    this.#serviceFaults = serviceFaultsOf(sync, truth);
    const { notFound } = sync.serviceFaults;
    this.#notFound = new Set(notFound && truth.chosen(notFound.who));
    const { unreadable, disorder, attributesUnreadable } = this.#serviceFaults;
    for (const { uuid, survey, person } of truth.responses) {
      const isUnreadable = unreadable.has(uuid) && unreadable.get(uuid) !== "respondent";
      if (!isUnreadable && !disorder.has(uuid)) continue;
      outOfReach.surveys.add(survey);
      outOfReach.lists.responses.odd.add(person);
    }
    for (const person of attributesUnreadable) outOfReach.lists.attributes.odd.add(person);
  }

  readonly send: Host["transport"] = async ({ url }, signal) => {
    const { clock, history, random } = this.#o;
    const path = url.slice("http://service.local/v2".length);
    const request = this.requests++;
    const list = listOf(path);
    const { kind } = list;
    this.largestInFlight = Math.max(this.largestInFlight, ++this.#inFlight);
    this.#checkOrder(path, list);
    if (this.requests > MOST_REQUESTS) throw new Error("no more answers");
    try {
      const isEarly = random() < 0.5 && !this.#faults.has(request);
      const early = isEarly ? this.#answer(path, request) : undefined;
      await clock.sleep(Math.floor(random() * history.slowestMs), signal);
      // One that was made early may be dated when it is sent.
      const isDatedLate = early !== undefined && random() < 0.5;
      const answer = early ?? this.#answer(path, request);
      const reply = isDatedLate ? { ...answer, headers: this.#date() } : answer;
      const due = this.#changes.filter(({ afterRequest }) => afterRequest <= request);
      this.#changes = this.#changes.filter((change) => !due.includes(change));
      for (const { change } of due) change();
      return reply;
    } finally {
      if (kind === "surveys") this.#surveyPages.came++;
      if (kind === "directory") this.#o.directory.came++;
      this.#inFlight--;
    }
  };

  #checkOrder(path: string, { kind, id, of }: List): void {
    const { sync, history, directory, known } = this.#o;
    const { isOfEverySurvey, surveys, respondents, facts, inOrder, maxConcurrentRequests } = sync.settings;
    const { asked, came } = this.#surveyPages;
    if (kind === "directory") directory.asked++;
    if (kind === "surveys") this.#surveyPages.asked++;
    if (kind === "respondents" && asked > 0 && came === 0)
      this.wrong.add("nobody is asked before the first page");
    if (kind === "respondents" && respondents.size > 0 && !respondents.has(id))
      this.wrong.add("nobody else is asked if people are named");
    if (kind === "respondents" && of === "responses" && isOfEverySurvey && respondents.size === 0)
      this.wrong.add("if every survey is read, nobody is asked for responses");
    if (
      isOfEverySurvey &&
      !this.#hasFailed &&
      kind !== "evidence" &&
      (kind === "directory" ? asked > 0 : directory.came < Math.max(1, directory.asked))
    )
      this.wrong.add("the list of surveys is read before anything else");
    const areNew = !inOrder && surveys.some((id) => !known.has(id));
    // The list has the id, if somebody wrote a name for it.
    const isNeeded = isOfEverySurvey || areNew || facts || directory.notFound.size > 0;
    if (kind === "directory" && !isNeeded && history.dialect.shape === "wrapped")
      this.wrong.add("the list is read only if a survey is new or not found, or a name is missing");
    if (this.#inFlight > maxConcurrentRequests) this.wrong.add("no more requests at once than allowed");
    if (this.requests > MOST_REQUESTS) this.wrong.add("a sync ends");
    if (kind === "surveys" || path.includes("start=")) return;
    const times = 1 + (this.#firstPages.get(path) ?? 0);
    this.#firstPages.set(path, times);
    const most = this.#fullEnds.has(path) ? 2 : 1;
    if (times > most && sync.isQuiet && !this.#hasFailed) this.wrong.add("everybody is read once (I10)");
  }

  #answer(path: string, request: number): HttpResponse {
    const { sync, truth, outOfReach, directory } = this.#o;
    const list = listOf(path);
    const isOutage = request >= (sync.serviceFaults.outage ?? Number.POSITIVE_INFINITY);
    const fault = isOutage
      ? "status_503"
      : (this.#spell(list, request) ?? this.#listFault(list, path) ?? this.#faults.get(request));
    // All requests may wait for it.
    if (fault !== undefined) directory.isOdd = true;
    if (fault !== undefined) this.#hasFailed = true;
    if (fault !== undefined && list.kind === "facts") directory.oddFacts.add(list.id);
    if (fault !== undefined && list.kind === "respondents") outOfReach.lists[list.of].odd.add(list.id);
    if (fault === "reset") throw new Error("the connection was cut");
    const instead = fault && REPLIES[fault];
    if (instead) {
      this.#note(list, path, { fault, whole: instead, reply: instead });
      return instead;
    }
    const whole = this.#isMissing(list, request)
      ? { status: 404, headers: {}, body: "" }
      : truth.service.answer(path, this.#serviceFaults);
    const reply = fault === undefined || whole.status !== 200 ? whole : spoil(fault, path, whole);
    if (reply.status !== 200) this.#hasFailed = true;
    this.#note(list, path, { fault, whole, reply });
    return { ...reply, headers: this.#date() };
  }

  #note(list: List, path: string, answer: Answer): void {
    const { fault, reply } = answer;
    if (reply.body === REPLIES.html?.body) return;
    if (list.kind === "surveys") this.#noteSurvey(list, path, answer);
    if (list.kind === "respondents") this.#notePerson(list, path, answer);
    if (list.kind === "directory") this.#noteDirectory(path, reply, fault);
    if (list.kind === "facts" && reply.status !== 200) this.#o.directory.oddFacts.add(list.id);
    if (list.kind === "facts" && reply.status === 404) {
      this.#o.directory.notFound.add(list.id);
      if (isServices(fault)) this.#o.directory.missing.add(list.id);
    }
  }

  #spell({ kind }: List, request: number): Fault | undefined {
    const { sync, clock } = this.#o;
    const { spell } = sync.serviceFaults;
    if (spell === undefined) return undefined;
    const isOfKind = spell.of === kind || spell.of === "everything";
    if (!isOfKind || request < spell.from) return undefined;
    this.#spellEndsMs ??= clock.monotonicMs() + spell.seconds * 1000;
    return clock.monotonicMs() < this.#spellEndsMs ? spell.answer : undefined;
  }

  #listFault({ kind }: List, path: string): Fault | undefined {
    const { truth, sync } = this.#o;
    const { fault, isAfterFirst } = sync.serviceFaults.list ?? {};
    if (kind !== "directory" || (isAfterFirst && !truth.service.isLink(path))) return undefined;
    return fault;
  }

  #date(): Record<string, string> {
    const { history, nowMs } = this.#o;
    return history.dialect.hasDate ? { date: new Date(nowMs()).toUTCString() } : {};
  }

  #isMissing({ kind, id }: List, request: number): boolean {
    const { isAbsent, sync } = this.#o;
    if (kind !== "respondents") return false;
    const { from = 0, requests = 0 } = sync.serviceFaults.notFound ?? {};
    return isAbsent(id) || (this.#notFound.has(id) && request >= from && request < from + requests);
  }

  #noteDirectory(path: string, reply: HttpResponse, fault: Fault | undefined): void {
    const { directory, sync, truth } = this.#o;
    if (!truth.service.isLink(path)) {
      directory.lastListed = new Set();
      directory.isAtEnd = false;
      this.#isListOdd = false;
      // What only a reading has shown that failed is read or not.
      if (!directory.isKnown) for (const id of directory.listed) this.#mayBeRead(id);
    }
    this.#isListOdd ||= fault !== undefined || reply.status !== 200;
    const isAgain = directory.isKnown || directory.listed.size > 0;
    if (reply.status !== 200) directory.isOdd = true;
    if (reply.status !== 200 || fault === "truncated") return;
    const { data, pagination_data } = JSON.parse(reply.body) as Page;
    if (pagination_data.has_more === undefined || (pagination_data.has_more && !pagination_data.next_url))
      return;
    if (!pagination_data.has_more) directory.isAtEnd = true;
    directory.isKnown ||= directory.isAtEnd && !this.#isListOdd;
    for (const { id } of data) {
      if (typeof id !== "string") continue;
      directory.listed.add(id);
      directory.lastListed.add(id);
      if (!sync.settings.isOfEverySurvey || directory.read.has(id)) continue;
      // An end that is doubted is asked for again: what that shows is read, and what a later reading shows is not.
      directory.read.add(id);
      if (isAgain) this.#mayBeRead(id);
    }
  }

  #mayBeRead(survey: string): void {
    this.#o.outOfReach.optional.add(survey);
    this.#o.directory.oddFacts.add(survey);
  }

  #noteSurvey({ id }: List, path: string, { fault, whole, reply }: Answer): void {
    const { truth, outOfReach, directory } = this.#o;
    if (reply.status === 404) directory.notFound.add(id);
    if (whole.status === 404 && isServices(fault)) directory.missing.add(id);
    if (reply.status !== 200) return;
    directory.found.add(id);
    const isShown = ({ uuid }: Response): boolean => reply.body.includes(`"${uuid}"`);
    const there = truth.responses.filter(({ survey }) => survey === id);
    for (const response of there) {
      if (this.#serviceFaults.unreadable.get(response.uuid) === "respondent" && isShown(response))
        outOfReach.nameless.add(response);
    }
    if (fault === "reversed") outOfReach.surveys.add(id);
    const { pagination_data } = JSON.parse(whole.body) as Page;
    // It is asked past, and what is said then may be believed.
    if (fault === "empty_page") this.#liesAbout(id, []);
    if (!pagination_data.has_more) return;
    const isOnPage = ({ uuid }: Response): boolean => whole.body.includes(`"${uuid}"`);
    const lowest = Math.min(...there.filter(isOnPage).map(({ at }) => at));
    const end = new URLSearchParams(path.split("?")[1]).get("end") ?? "";
    const isBelow = (response: Response): boolean =>
      !isOnPage(response) && response.at <= lowest && timestampAt(response.at) >= end;
    if (fault === "false_end") this.#liesAbout(id, there.filter(isBelow));
    if (fault === "empty_link_on") this.#liesAbout(id, there.filter(isOnPage));
  }

  /** A page hides responses. What is told once loses nothing (I2): what is told twice may be believed. */
  #liesAbout(survey: string, hidden: readonly Response[]): void {
    const before = this.#hidden.get(survey);
    this.#hidden.set(survey, [...(before ?? []), ...hidden]);
    this.#o.outOfReach.lies++;
    if (before) for (const response of [...before, ...hidden]) this.#o.outOfReach.hidden.add(response);
  }

  #notePerson({ id, of }: List, path: string, { fault, reply }: Answer): void {
    const { truth, outOfReach } = this.#o;
    const lists = outOfReach.lists[of];
    if (reply.status !== 200) lists.odd.add(id);
    if (reply.status === 404 && !truth.service.isLink(path)) lists.notFound(id);
    if (reply.status !== 200 || fault === "truncated") return;
    const { data, pagination_data } = JSON.parse(reply.body) as Page;
    const size = Number(/items_per_page=(\d+)/.exec(path)?.[1]);
    if (!pagination_data.has_more && data.length >= size) this.#fullEnds.add(path);
    lists.found(id, data.map(timeOf).toSorted().at(-1));
    const listed = truth.listed(id, of);
    const isLie = fault === "empty_page" || fault === "empty_link_on";
    const list = `${of} of ${id}`;
    if (isLie && this.#lied.has(list)) lists.hide(id, listed);
    if (isLie) this.#lied.add(list);
    const { lagging, short } = this.#serviceFaults;
    const [lacks, keeps] = [lagging.get(id), short.get(id)];
    if (of === "responses" && lacks !== undefined && keeps !== undefined)
      lists.hide(id, listed.slice(0, lacks).concat(listed.slice(lacks + keeps)));
  }
}

function serviceFaultsOf({ serviceFaults, isOfStranger }: PlayedSync, truth: Truth): ServiceFaults {
  const { survey, refusal, failing, unreadable, attributes, short, disorder, links } = serviceFaults;
  const { responses } = truth;
  const placeOf = (place: number): number => place % (responses.length || 1);
  const from = (place: number): readonly Response[] =>
    responses.slice(placeOf(place)).concat(responses.slice(0, placeOf(place)));
  const fields = new Map<string, "uuid" | "collected_at" | "respondent">();
  for (const response of responses) if (truth.isNameless(response)) fields.set(response.uuid, "respondent");
  for (const { place, count, field } of unreadable) {
    for (const { uuid } of from(place).slice(0, count)) fields.set(uuid, field);
  }
  const neighbours = failing ? [...new Set(from(failing.place).map(({ person }) => person))] : [];
  const cut = short === undefined ? [] : truth.chosen(short.who);
  return {
    isOfStranger,
    missing: new Set(survey === undefined ? [] : [surveyId(survey)]),
    refusing: new Map([
      ...neighbours.slice(0, failing?.count).map((person) => [person, failing!.status] as const),
      ...(refusal ? [[surveyId(refusal.survey), refusal.status] as const] : []),
    ]),
    links,
    short: new Map(cut.map((person) => [person, short!.keeps])),
    lagging: new Map(cut.map((person) => [person, short!.lacks])),
    disorder: new Set(disorder.flatMap((place) => responses[placeOf(place)]?.uuid ?? [])),
    unreadable: fields,
    attributesUnreadable: new Set(attributes === undefined ? [] : [truth.person(attributes)]),
  };
}

/** Whether a status is the service's own. Other faults spoil only what is found. */
const isServices = (fault: Fault | undefined): boolean => fault === undefined || !(fault in REPLIES);

interface Answer {
  readonly fault: Fault | undefined;
  /** Without the fault. */
  readonly whole: HttpResponse;
  readonly reply: HttpResponse;
}

/** Of a person's list: a response, or an attribute. */
interface ListItem {
  readonly response?: { readonly uuid?: string; readonly collected_at: Timestamp };
  readonly id?: number | string;
}
interface Page {
  readonly data: readonly ListItem[];
  readonly pagination_data: { readonly has_more: boolean; readonly next_url?: string };
}
const timeOf = ({ response }: ListItem): Timestamp | undefined => response?.collected_at;

interface List {
  /** "surveys" and "respondents": of what they answered. */
  readonly kind: "surveys" | "respondents" | "directory" | "facts" | "evidence";
  /** In the service's spelling. */
  readonly id: string;
  readonly of: "responses" | "attributes";
}

/** The list that a path asks for. */
function listOf(path: string): List {
  const [, kind, id = "", of] = path.split("?")[0]!.split("/");
  // It only asks whether all have to wait, or for the service's present.
  if (path === "/surveys?items_per_page=1") return { kind: "evidence", id: "", of: "responses" };
  const isOfFacts = kind === "surveys" && of !== "responses";
  return { kind: isOfFacts ? (id === "" ? "directory" : "facts") : kind, id: id.toLowerCase(), of } as List;
}

function spoil(fault: Fault, path: string, whole: HttpResponse): HttpResponse {
  if (fault === "truncated") return { ...whole, body: whole.body.slice(0, whole.body.length / 2) };
  const page = JSON.parse(whole.body);
  const links = page.pagination_data;
  const hasMore: boolean = links.has_more;
  if (fault === "no_has_more") delete links.has_more;
  if (fault === "no_link") page.pagination_data = { has_more: true };
  if (fault === "false_end" && path.startsWith("/surveys")) page.pagination_data = { has_more: false };
  if (fault === "empty_page") {
    page.pagination_data = { has_more: true, next_url: path };
    page.data = [];
  }
  if (hasMore) {
    if (fault === "empty_link_on") page.data = [];
    if (fault === "link_elsewhere") links.next_url = "/surveys/other/responses?items_per_page=2";
    if (fault === "link_stays") links.next_url = path;
    if (fault === "link_back")
      links.next_url = `${path.split("?")[0]}?${/items_per_page=\d+/.exec(path)![0]}`;
  }
  if (fault === "without_id") delete page.data[0]?.id;
  if (fault === "twice") page.data.push(...page.data);
  // Nobody could tell where an item that cannot be read belongs.
  const isReadable = (item: { response?: object }): boolean => {
    const { uuid, collected_at } = (item.response ?? item) as { uuid?: string; collected_at?: string };
    return uuid !== undefined && collected_at !== undefined && collected_at !== "yesterday";
  };
  if (fault === "reversed" && page.data.every(isReadable)) page.data.reverse();
  return { ...whole, body: JSON.stringify(page) };
}
