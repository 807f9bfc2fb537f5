import type { Client } from "../client/client.ts";
import type { Interval } from "../coverage/coverage.ts";
import { earlier, later, latest, msOf, type Timestamp } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import { type Item, respondentOf } from "../lists/item.ts";
import type { RespondentStream } from "../streams/definition.ts";
import { isObject } from "../text/json.ts";
import { counted, type Message, respondentId, say } from "../text/message.ts";
import { respondentKey } from "../text/uuid.ts";
import { AttributeList } from "./attribute-list.ts";
import { ATTEMPTS_OF_A_PART, ATTEMPTS_OF_A_TRY, isRefusal, type Requests } from "./requests.ts";
import { type RespondentList, type RespondentPage, ResponseList } from "./response-list.ts";
import { type StreamInSync, TOO_MANY } from "./stream-in-sync.ts";
import type { SurveyPage } from "./survey-list.ts";
import type { Settings } from "./sync-options.ts";

export interface RespondentReaderOptions {
  readonly stream: StreamInSync;
  readonly definition: RespondentStream;
  readonly client: Client;
  readonly requests: Requests;
  readonly settings: Settings;
}

/** Somebody to ask, and the newest response that led there; undefined if the configuration names them. */
interface Respondent {
  readonly key: string;
  /** As the service writes the id in a response, else as the configuration does: a service may know no other. */
  readonly uuid: string;
  readonly newest: Timestamp | undefined;
}

/**
 * What came of a reading: the second of the list's newest response, -Infinity for an empty list. Not read: the list
 * failed, or something in it could not be read, or nobody asked.
 */
type Outcome = number | "not found" | "not read";

/** After so many failures in a row, one person of each further page is tried. */
const FAILURES_IN_A_ROW = 15;
/** After so many pages of which somebody was tried in vain, only one of so many is tried. */
const [PAGES_IN_VAIN, EVERY] = [50, 10];

/**
 * Reads a stream for which everybody whom a survey's page shows is asked: once in a sync, whole, and before the page is
 * covered. A response whose person could not be read leaves a hole, so the next sync asks again.
 */
export class RespondentReader {
  readonly stream: StreamInSync;
  readonly people = { waiting: 0, read: 0 };
  readonly #options: RespondentReaderOptions;
  /** Of everybody who was asked, by their key. */
  readonly #outcomes = new Map<string, Outcome | Promise<Outcome>>();
  /** The service's present when the first reading began; undefined before. All readings count from there (I10). */
  #since: Timestamp | undefined;
  readonly #configured: ReadonlyMap<string, string>;
  readonly #counts = { good: 0, lagging: 0, notFound: 0, failed: 0, named: 0, nameless: 0 };
  #lastFailure: SurveyExportError | undefined;
  #failuresInARow = 0;
  #pagesInVain = 0;
  #hasStoppedAsking = false;

  constructor(options: RespondentReaderOptions) {
    this.stream = options.stream;
    this.#options = options;
    this.#configured = new Map(options.settings.respondentUuids.map((uuid) => [respondentKey(uuid), uuid]));
  }

  /** Delivers everything that a page leads to, then the page's own responses, and covers it. */
  async take(page: SurveyPage): Promise<void> {
    const { surveyId, survey } = page;
    const { definition } = this.#options;
    const items = this.stream.wantedOf(page);
    const named = items.filter((item) => this.#isNamed(surveyId, item));
    const outcomes = await this.#askAll(respondentsOf(named));
    const left = rangesOf(items, (item) => this.#isLeft(item, outcomes));
    const origin = { surveyId, survey, unknown: this.stream.warnings.unknown };
    const records =
      definition.reads === "respondent responses"
        ? named.flatMap((item) => definition.records(withoutAttributes(item), origin))
        : [];
    const present = earlier(page.seen.present, this.#since ?? page.seen.present);
    const asked = { ...page, seen: { ...page.seen, present } };
    await this.stream.deliverPage(asked, items.length, records, left);
  }

  /** Reads the people whom the configuration names, as far as no page has led to them. */
  async readConfigured(): Promise<void> {
    const people = [...this.#configured].map(([key, uuid]): Respondent => ({ key, uuid, newest: undefined }));
    await Promise.all(people.map((person) => this.#readOnce(person)));
  }

  /** Nothing more is requested: what is left to tell. */
  finish(): void {
    const { good, lagging, notFound, failed, named, nameless } = this.#counts;
    const { warnings } = this.stream;
    const { name } = this.#options.definition;
    if (notFound >= TOO_MANY && good === 0) this.stream.failed(foundNobody(notFound));
    else if (notFound > 0) warnings.notFound(name, notFound, good > 0);
    const areMostLagging = lagging > good || this.#hasStoppedAsking;
    if (lagging >= TOO_MANY && areMostLagging) this.stream.failed(listsLag(lagging, good));
    else if (lagging > 0) warnings.listsLag(name, lagging);
    if (this.#lastFailure && failed >= TOO_MANY) this.stream.failed(manyFailed(this.#lastFailure, failed));
    else if (this.#lastFailure) warnings.respondentsFailed(name, failed, this.#lastFailure);
    if (nameless >= TOO_MANY && named === 0) this.stream.failed(allNameless(nameless));
  }

  #isNamed(surveyId: string, item: Item): boolean {
    const isNamed = respondentOf(item) !== undefined;
    this.#counts[isNamed ? "named" : "nameless"]++;
    if (!isNamed) this.stream.warnings.nameless(surveyId, item);
    return isNamed;
  }

  /** Whether the next sync must ask for the person of `item` again. `outcomes`: of its page, or undefined if nobody was asked. */
  #isLeft(item: Item, outcomes: ReadonlyMap<string, Outcome> | undefined): boolean {
    if (outcomes === undefined) return true;
    const outcome = outcomes.get(keyOf(item));
    if (outcome === undefined) return false;
    if (outcome === "not found") return this.#counts.good === 0;
    return outcome === "not read" || lags(outcome, item.timestamp);
  }

  /** Everybody of one page. @returns undefined if so many have failed that nobody was asked */
  async #askAll(people: readonly Respondent[]): Promise<ReadonlyMap<string, Outcome> | undefined> {
    if (this.#isFailing && !(await this.#tryOne(people))) return undefined;
    return new Map(
      await Promise.all(people.map(async (person) => [person.key, await this.#readOnce(person)] as const)),
    );
  }

  get #isFailing(): boolean {
    return this.#failuresInARow >= FAILURES_IN_A_ROW;
  }

  /** @returns whether somebody's list could be read, so that the others are asked for, too */
  async #tryOne(people: readonly Respondent[]): Promise<boolean> {
    const unknown = people.filter(({ key }) => !this.#outcomes.has(key));
    const { random = () => 0 } = this.#options.client.host;
    const tried = unknown[Math.floor(random() * unknown.length)];
    if (tried === undefined) return true;
    this.#hasStoppedAsking = true;
    const page = this.#pagesInVain++;
    // By chance, so that in the end everybody is tried.
    if (page >= PAGES_IN_VAIN && random() * EVERY >= 1) return false;
    await this.#readOnce(tried, ATTEMPTS_OF_A_TRY);
    if (!this.#isFailing) this.#pagesInVain = 0;
    return !this.#isFailing;
  }

  /** The outcome of the one reading of this sync. */
  async #readOnce(person: Respondent, attempts?: number): Promise<Outcome> {
    const known = this.#outcomes.get(person.key);
    if (known !== undefined) return known;
    this.people.waiting++;
    const reading = this.#read(person, attempts);
    this.#outcomes.set(person.key, reading);
    const outcome = await reading;
    this.#outcomes.set(person.key, outcome);
    this.people.waiting--;
    if (typeof outcome === "number") this.people.read++;
    return outcome;
  }

  async #read(person: Respondent, tryAttempts?: number): Promise<Outcome> {
    const { client, requests } = this.#options;
    let list: RespondentList;
    try {
      list = this.#listOf(person);
    } catch (thrown) {
      // An id that cannot be part of a URL.
      this.#failed(person, SurveyExportError.from(thrown));
      return "not read";
    }
    // An earlier sync has read all that is wanted of somebody whom the configuration names.
    if (list.path === undefined) return Number.POSITIVE_INFINITY;
    let pages = 0;
    let problem: SurveyExportError | undefined;
    let isWhole = true;
    for (let path: string | undefined = list.path; path !== undefined; path = list.path) {
      const next = path;
      const error = await requests.inSlot("person", async () => {
        if (this.#isFailing && tryAttempts === undefined) return "nobody asked";
        this.#since ??= client.present();
        const answer = await requests.get(
          next,
          (...body) => list.parse(...body),
          tryAttempts ?? ATTEMPTS_OF_A_PART,
        );
        if ("error" in answer) return answer.error;
        const page = answer.page();
        pages++;
        problem ??= page.problem;
        isWhole &&= !page.hides;
        await this.#deliver(person, page, list.newest);
        return undefined;
      });
      if (error === undefined) continue;
      if (error === "nobody asked") {
        this.#hasStoppedAsking = true;
        return "not read";
      }
      if (error.code === "not_found" && pages === 0) {
        this.#counts.notFound++;
        return "not found";
      }
      this.#failuresInARow++;
      this.#failed(person, error.code === "not_found" ? lostMidway(person, pages, error) : error);
      return "not read";
    }
    if (problem) this.#failed(person, problem);
    const newest = newestSecond(list.newest);
    this.#count(person.newest, newest);
    return problem || !isWhole ? "not read" : newest;
  }

  /** A list was read to its end. `lead`: the newest response that led there. */
  #count(lead: Timestamp | undefined, newest: number): void {
    if (lead !== undefined && lags(newest, lead)) {
      this.#counts.lagging++;
      if (this.#counts.lagging >= TOO_MANY) this.#failuresInARow++;
      return;
    }
    this.#failuresInARow = 0;
    if (newest > Number.NEGATIVE_INFINITY) this.#counts.good++;
  }

  #failed({ key }: Respondent, error: SurveyExportError): void {
    const { requests } = this.#options;
    if (this.#configured.has(key) || (error.scope === "run" && !isRefusal(error))) {
      this.stream.isIncomplete = true;
      requests.failed(error, (own) => this.stream.failed(own));
    } else {
      this.#counts.failed++;
      this.#lastFailure = error;
    }
  }

  #listOf({ key, uuid }: Respondent): RespondentList {
    const { definition, settings } = this.#options;
    const { startDate, endDate, itemsPerPage, surveyIds } = settings;
    const options = { uuid, itemsPerPage, areSurveysNamed: surveyIds.length > 0 };
    if (definition.reads === "respondent attributes")
      return new AttributeList(this.stream, definition, options);
    const { respondents } = this.stream;
    const all = [{ older: startDate ?? null, newer: endDate }];
    const gaps = respondents.reads(key) ? respondents.of(key).gaps : all;
    return new ResponseList(this.stream, definition, options, gaps);
  }

  /** `newest`: the newest response that the list has shown. */
  async #deliver(person: Respondent, page: RespondentPage, newest: Timestamp | undefined): Promise<void> {
    const { records, read, unreadable, warning } = page;
    const { respondents, warnings } = this.stream;
    if (warning) warnings.emptyPage(warning);
    // What lacks the response that led there may lack others.
    const isBehind = person.newest !== undefined && lags(newestSecond(newest), person.newest);
    if (read !== undefined && !isBehind && respondents.reads(person.key)) {
      const settled = { lists: respondents, id: person.key, read: [read], seen: read.seen, left: [] };
      return this.stream.deliver(records, records.length, undefined, settled);
    }
    for (const each of unreadable) this.stream.leftOut(each);
    if (records.length > 0) await this.stream.deliver(records, records.length);
  }
}

const newestSecond = (newest: Timestamp | undefined): number =>
  newest === undefined ? Number.NEGATIVE_INFINITY : Math.floor(msOf(newest) / 1000);

/**
 * Whether a list with this newest second is behind the survey that shows a response at `lead`. Lists may show other digits:
 * what is less than a second apart may be the same.
 */
const lags = (newest: number, lead: Timestamp): boolean => newest * 1000 < msOf(lead) - 1000;

/** Empty for a response that names nobody. */
const keyOf = (item: Item): string => respondentKey(respondentOf(item) ?? "");

/** Those who gave `items`, each once. */
function respondentsOf(items: readonly Item[]): Respondent[] {
  const people = new Map<string, Respondent>();
  for (const item of items) {
    const uuid = respondentOf(item) ?? "";
    const key = respondentKey(uuid);
    people.set(key, { key, uuid, newest: latest(people.get(key)?.newest, item.timestamp) });
  }
  return [...people.values()];
}

/** The ranges of the items that are left, neighbours as one. */
function rangesOf(items: readonly Item[], isLeft: (item: Item) => boolean): Interval[] {
  const ranges: [older: Timestamp, newer: Timestamp][] = [];
  let last: [Timestamp, Timestamp] | undefined;
  for (const item of items) {
    const { timestamp } = item;
    if (!isLeft(item)) last = undefined;
    else if (last) [last[0], last[1]] = [earlier(last[0], timestamp), later(last[1], timestamp)];
    else {
      last = [timestamp, timestamp];
      ranges.push(last);
    }
  }
  return ranges;
}

/** A response of a survey as a respondent's list shows it. */
function withoutAttributes(item: Item): Item {
  const { respondent } = item.response;
  const response = {
    ...item.response,
    attributes: [],
    ...(isObject(respondent) && { respondent: { ...respondent, attributes: [] } }),
  };
  return { ...item, response, raw: item.raw === item.response ? response : item.raw };
}

const looksLikeOutage = (facts: Message): SurveyExportError =>
  new SurveyExportError("transient", "unavailable", say`${facts}, which looks like an outage.`, {
    advice: say`The next sync asks for them again. If it continues, ask the service.`,
  });

const foundNobody = (count: number): SurveyExportError =>
  looksLikeOutage(say`The service found none of the ${count} respondents that were asked for (status 404)`);

const listsLag = (lagging: number, good: number): SurveyExportError =>
  looksLikeOutage(
    say`${lagging} of ${lagging + good} respondents' lists lack the responses that the surveys show`,
  );

/** `error` is the last one of `count`. */
const manyFailed = (error: SurveyExportError, count: number): SurveyExportError =>
  error.adding(
    say`The lists of ${count} respondents failed in this stream. The next sync asks for them again.`,
  );

const allNameless = (count: number): SurveyExportError =>
  new SurveyExportError(
    "system",
    "broken_answer",
    say`None of the ${count} responses of this sync names its respondent, so this stream has read nobody.`,
    {
      advice: say`They count as read. Report this to the service, then clear this stream's state to read them again.`,
    },
  );

const lostMidway = ({ uuid }: Respondent, pages: number, error: SurveyExportError): SurveyExportError =>
  error.restated(
    "transient",
    say`Respondent ${respondentId(uuid)} was not found any more after ${counted(pages, say`page`, say`pages`)} (status ${error.status ?? 404}).`,
    say`The next sync reads their list again. If it continues, ask the service.`,
  );
