import type { Client } from "../client/client.ts";
import type { Interval } from "../coverage/coverage.ts";
import { earlier, later, type Timestamp } from "../coverage/timestamp.ts";
import { certain, SurveyExportError } from "../errors.ts";
import type { Item } from "../lists/item.ts";
import { TOO_MANY } from "../lists/list-errors.ts";
import type { StreamRecord } from "../streams/column.ts";
import type { Origin } from "../streams/definition.ts";
import { counted, respondentId, say } from "../text/message.ts";
import { respondentKey } from "../text/uuid.ts";
import { isRefusal, type ListFailures } from "./list-failures.ts";
import { ATTEMPTS_OF_A_PART, type Requests } from "./requests.ts";
import {
  hasRespondent,
  keyOf,
  lags,
  type Respondent,
  type RespondentList,
  type RespondentListOptions,
  type RespondentPage,
  respondentsOf,
} from "./respondent.ts";
import { RespondentTally } from "./respondent-tally.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import type { SurveyPage } from "./survey-list.ts";
import type { Settings } from "./sync-options.ts";

export interface RespondentReaderOptions {
  readonly stream: StreamInSync;
  readonly client: Client;
  readonly requests: Requests;
  readonly failures: ListFailures;
  readonly settings: Settings;
  /** The list to read of a respondent; `key` names them among the stream's lists. It throws for an id that no path holds. */
  readonly listOf: (key: string, options: RespondentListOptions) => RespondentList;
  /** Those of all such streams of the sync. */
  readonly readers: readonly Pick<RespondentReader, "hasFound">[];
  /** Whether everybody is asked for whom a survey's page shows, and not only those whom the configuration names. */
  readonly asksWhomPagesShow: boolean;
  /** The records of a response of a survey. */
  readonly recordsOf: (item: Item, origin: Origin) => readonly StreamRecord[];
}

/** After so many failures in a row, a list has one attempt: the lists of all respondents may fail. */
const MANY_IN_A_ROW = 15;

/**
 * What came of a list: the second of its newest response, -Infinity if it is empty. Not read: the list failed, or
 * something in it could not be read.
 */
type Outcome = number | "not found" | "not read";

/**
 * Reads a stream for which respondents are asked for whom a survey's page shows: once in a sync, whole, and before the page
 * is covered. A response whose respondent could not be read becomes a hole, so the next sync asks again.
 */
export class RespondentReader {
  readonly stream: StreamInSync;
  readonly progress = { waiting: 0, read: 0 };
  readonly #options: RespondentReaderOptions;
  readonly #configured: ReadonlyMap<string, string>;
  readonly #tally = new RespondentTally();
  /** By key: all that were asked for. */
  readonly #outcomes = new Map<string, Outcome | Promise<Outcome>>();
  /** The service's present when the first list was requested; undefined before. All readings count from there (I10). */
  #since: Timestamp | undefined;

  constructor(options: RespondentReaderOptions) {
    this.stream = options.stream;
    this.#options = options;
    this.#configured = new Map(options.settings.respondentUuids.map((uuid) => [respondentKey(uuid), uuid]));
  }

  /** Delivers everything that a page leads to, then the page's own responses, and covers it. */
  async take(page: SurveyPage): Promise<void> {
    const { surveyId, survey, seen } = page;
    const items = this.stream.wantedOf(page);
    const { asksWhomPagesShow, recordsOf } = this.#options;
    const named = items.filter((item) => hasRespondent(item, page, this.stream.warnings));
    const isAsked = (item: Item): boolean => asksWhomPagesShow || this.#configured.has(keyOf(item));
    const outcomes = await this.#askFor(respondentsOf(named.filter(isAsked)));
    const holes = rangesOf(items, (item) => this.#isHole(item, outcomes));
    // Until somebody is found, no page that asks for somebody is covered: so a state that covers something counts as found.
    if (!this.hasFound) await Promise.all(this.#outcomes.values());
    if (this.#outcomes.size > 0 && !this.hasFound) holes.push(...page.read.flatMap(({ covered }) => covered));
    const origin = { surveyId, survey, unknown: this.stream.warnings.unknown };
    const records = named.flatMap((item) => recordsOf(item, origin));
    const present = earlier(seen.present, this.#since ?? seen.present);
    await this.stream.deliverPage({ ...page, seen: { ...seen, present } }, items.length, records, holes);
  }

  /** Reads the respondents that the configuration names, as far as no page has led to them. */
  async readConfigured(): Promise<void> {
    const named = [...this.#configured].map(([key, uuid]): Respondent => ({ key, uuid, newest: undefined }));
    await Promise.all(named.map((respondent) => this.#readOnce(respondent)));
  }

  /** Nothing more is requested: reports what remains to be reported. */
  finish(): void {
    this.#tally.report(this.stream, this.#is404Believed);
  }

  /** Whether it asks for everybody whom a survey's page shows. */
  get asksWhomPagesShow(): boolean {
    return this.#options.asksWhomPagesShow;
  }

  /** Whether this sync or an earlier one has found somebody. */
  get hasFound(): boolean {
    return this.#tally.good > 0 || this.stream.coverage.hasState;
  }

  /** Whether a 404 says that a respondent is gone, and not that the stream's endpoint does not work (I11). */
  get #is404Believed(): boolean {
    const isFew = this.#tally.notFound < TOO_MANY;
    return this.hasFound || (isFew && this.#options.readers.some(({ hasFound }) => hasFound));
  }

  /** Whether the next sync must ask for the respondent of `item` again. `outcomes`: of its page. */
  #isHole(item: Item, outcomes: ReadonlyMap<string, Outcome>): boolean {
    const outcome = outcomes.get(keyOf(item));
    if (outcome === undefined) return false;
    if (outcome === "not found") return !this.#is404Believed;
    return outcome === "not read" || lags(outcome, item.timestamp);
  }

  /** The respondents of one page. */
  async #askFor(respondents: readonly Respondent[]): Promise<ReadonlyMap<string, Outcome>> {
    return new Map(
      await Promise.all(respondents.map(async (each) => [each.key, await this.#readOnce(each)] as const)),
    );
  }

  /** The outcome of the one reading of this sync. */
  async #readOnce(respondent: Respondent): Promise<Outcome> {
    const known = this.#outcomes.get(respondent.key);
    if (known !== undefined) return known;
    this.progress.waiting++;
    const reading = this.#read(respondent);
    this.#outcomes.set(respondent.key, reading);
    const outcome = await reading;
    this.#outcomes.set(respondent.key, outcome);
    this.progress.waiting--;
    if (typeof outcome === "number") this.progress.read++;
    return outcome;
  }

  async #read(respondent: Respondent): Promise<Outcome> {
    const list = this.#listOf(respondent);
    if (list instanceof SurveyExportError) return this.#failed(respondent, list);
    // An earlier sync has read all that is wanted of somebody whom the configuration names.
    if (list.path === undefined) return Number.POSITIVE_INFINITY;
    let problem: SurveyExportError | undefined;
    let isWhole = true;
    for (let pages = 0; list.path !== undefined; pages++) {
      const page = await this.#options.requests.inSlot("respondent", () => this.#readPage(respondent, list));
      if (page instanceof SurveyExportError) return this.#cutShort(respondent, page, pages);
      problem ??= page.problem;
      isWhole &&= page.findings.unreadable.length + page.findings.doubtful.length === 0;
    }
    this.#count(respondent.newest, list.newest);
    if (problem) return this.#failed(respondent, problem);
    return isWhole ? list.newest : "not read";
  }

  /** Requests the next page, and delivers it. */
  async #readPage(respondent: Respondent, list: RespondentList): Promise<RespondentPage | SurveyExportError> {
    const { client, requests } = this.#options;
    const attempts = this.#tally.failedInARow >= MANY_IN_A_ROW ? 1 : ATTEMPTS_OF_A_PART;
    this.#since ??= client.present();
    const parse: RespondentList["parse"] = (...body) => list.parse(...body);
    const reply = await requests.get(certain(list.path, "the path"), parse, { attempts });
    if ("error" in reply) return reply.error;
    const page = list.accept(reply.page);
    // A list that lacks the response that led there may lack others.
    const isBehind = respondent.newest !== undefined && lags(list.newest, respondent.newest);
    await this.#deliver(page, respondent.key, isBehind);
    return page;
  }

  /** A request of a list failed, after so many pages of it. */
  #cutShort(respondent: Respondent, error: SurveyExportError, pages: number): Outcome {
    const isMissing = error.code === "not_found";
    if (isMissing && pages === 0) {
      this.#tally.notFound++;
      return "not found";
    }
    this.#tally.failedInARow++;
    return this.#failed(respondent, isMissing ? lostMidway(respondent, pages, error) : error);
  }

  /** A list was read to its end. `lead`: the newest response that led there. */
  #count(lead: Timestamp | undefined, newest: number): void {
    this.#tally.failedInARow = 0;
    if (lead !== undefined && lags(newest, lead)) this.#tally.lagging++;
    else if (newest > Number.NEGATIVE_INFINITY) this.#tally.good++;
  }

  #failed({ key }: Respondent, error: SurveyExportError): Outcome {
    if (this.#configured.has(key) || (error.scope === "run" && !isRefusal(error)))
      this.#options.failures.failedIn([this.stream], error);
    else {
      this.#tally.failed++;
      this.#tally.lastFailure = error;
    }
    return "not read";
  }

  #listOf({ key, uuid }: Respondent): RespondentList | SurveyExportError {
    const { listOf, settings } = this.#options;
    const { itemsPerPage, surveyIds, isEverySurvey } = settings;
    try {
      return listOf(key, { uuid, itemsPerPage, areSurveysNamed: !isEverySurvey && surveyIds.length > 0 });
    } catch (thrown) {
      return SurveyExportError.from(thrown);
    }
  }

  async #deliver(page: RespondentPage, key: string, isBehind: boolean): Promise<void> {
    const { records, findings, seen } = page;
    const { respondents } = this.stream.coverage;
    if (seen && !isBehind && respondents.includes(key)) {
      const settled = { lists: respondents, id: key, read: [findings], seen, undelivered: [] };
      return this.stream.deliver(records, records.length, undefined, settled);
    }
    for (const each of findings.unreadable) this.stream.failures.omitted(each);
    if (records.length > 0) await this.stream.deliver(records, records.length);
  }
}

/** The ranges of the items that are holes, neighbours as one. */
function rangesOf(items: readonly Item[], isHole: (item: Item) => boolean): Interval[] {
  const ranges: [older: Timestamp, newer: Timestamp][] = [];
  let last: [Timestamp, Timestamp] | undefined;
  for (const item of items) {
    const { timestamp } = item;
    if (!isHole(item)) last = undefined;
    else if (last) [last[0], last[1]] = [earlier(last[0], timestamp), later(last[1], timestamp)];
    else {
      last = [timestamp, timestamp];
      ranges.push(last);
    }
  }
  return ranges;
}

function lostMidway({ uuid }: Respondent, pages: number, error: SurveyExportError): SurveyExportError {
  const facts = say`Respondent ${respondentId(uuid)} was not found any more after ${counted(pages, say`page`, say`pages`)} (status ${error.status ?? 404}).`;
  const advice = say`The next sync reads their list again. If it continues, ask the service.`;
  return error.restated("transient", facts, advice);
}
