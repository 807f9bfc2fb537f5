import type { Client } from "../../client/client.ts";
import type { Interval } from "../../coverage/coverage.ts";
import { earlier, later, type Timestamp } from "../../coverage/timestamp.ts";
import { certain, SurveyExportError } from "../../errors.ts";
import { surveysPath } from "../../lists/endpoints.ts";
import type { Item } from "../../lists/item.ts";
import { TOO_MANY } from "../../lists/list-errors.ts";
import { parsePage } from "../../lists/page.ts";
import type { StreamRecord } from "../../streams/column.ts";
import type { Origin } from "../../streams/definition.ts";
import { counted, respondentId, say } from "../../text/message.ts";
import { respondentKey } from "../../text/uuid.ts";
import type { FailedLists, RespondentFacts } from "../failures/facts.ts";
import { canBeAskedAgain, type Ledger, reasonOf } from "../failures/ledger.ts";
import { MOST_NAMES } from "../failures/sentences.ts";
import { ATTEMPTS_OF_A_PART, ATTEMPTS_OF_A_TRY, type Requests } from "../requests.ts";
import type { SurveyPage } from "../slice.ts";
import type { StreamInSync } from "../stream-in-sync.ts";
import { isEverySurveyRead } from "../surveys/survey-selection.ts";
import type { Settings } from "../sync-options.ts";
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
import { Witness } from "./witness.ts";

export interface RespondentReaderOptions {
  readonly stream: StreamInSync;
  readonly client: Client;
  readonly requests: Requests;
  readonly ledger: Ledger;
  readonly settings: Settings;
  /** The list to read of a respondent. It throws for an id that no path holds. */
  readonly listOf: (options: RespondentListOptions) => RespondentList;
  /** The records of a response of a survey. */
  readonly recordsOf: (item: Item, origin: Origin) => readonly StreamRecord[];
}

/** After so many failures in a row, a list has one attempt: the lists of all respondents may fail. */
const MANY_IN_A_ROW = 15;
/** After so many failures without a list that was read, nobody else is asked for. */
const MOST_IN_VAIN = 50;

/**
 * What came of a list: the second of its newest response, -Infinity if it is empty. Not found: it answered 404, and nothing
 * shows why. Gone: it answered 404 twice, and somebody else was found between. Not read: the list failed, or something in it
 * could not be read.
 */
type Outcome = number | "not found" | "gone" | "not read";

/** A respondent whose list failed. */
interface Failed {
  readonly respondent: Respondent;
  /** Shared by all that failed alike: thousands may. */
  readonly error: SurveyExportError;
  /** The list, if some of it was read: it goes on from there, so that nothing comes twice. */
  readonly list?: RespondentList;
  /** When it answered 404: a moment of the witness. */
  readonly notFoundAt?: number;
  /** It contradicts itself, so it is not asked for again. */
  readonly isFinal?: boolean;
  /** It was not asked for: too many had failed. */
  readonly isSkipped?: boolean;
}

/**
 * Reads the lists of respondents for a stream, each once in a sync, and whole: of those whom the configuration names
 * (`readNamed`), or of those whom the surveys' pages show (`take`). The latter are read before the page is covered. A response
 * whose respondent could not be read becomes a hole, so the next sync asks again.
 */
export class RespondentReader {
  readonly stream: StreamInSync;
  readonly progress = { waiting: 0, read: 0 };
  readonly #options: RespondentReaderOptions;
  /** Those whom the configuration names, by key. */
  readonly #named: ReadonlyMap<string, string>;
  /** By key: all that were asked for. */
  readonly #outcomes = new Map<string, Outcome | Promise<Outcome>>();
  /** By key: those that failed, and did not succeed later. */
  readonly #failed = new Map<string, Failed>();
  /** The first error of each reason. */
  readonly #errors = new Map<string, SurveyExportError>();
  #lastError: SurveyExportError | undefined;
  readonly #witness: Witness;
  #good = 0;
  #lagging = 0;
  #gone = 0;
  /** Since a list was read to its end. */
  #failedInARow = 0;
  /** Lists that failed in this look, the first or the second one. */
  #failures = 0;
  /** The service's present when the first list was requested; undefined before. All readings count from there (I10). */
  #since: Timestamp | undefined;

  constructor(options: RespondentReaderOptions) {
    this.stream = options.stream;
    this.#options = options;
    this.#named = new Map(options.settings.respondentUuids.map((uuid) => [respondentKey(uuid), uuid]));
    this.#witness = new Witness((somebody) => this.#askForAgain(somebody));
  }

  /** Delivers everything that a page leads to, then the page's own responses, and covers it. */
  async take(page: SurveyPage): Promise<void> {
    const { stream } = this;
    const { surveyId, survey, seen, covered } = page;
    const items = stream.wantedOf(page);
    const named = items.filter((item) => hasRespondent(item, page, stream.warnings));
    const respondents = respondentsOf(named);
    await Promise.all(respondents.map((each) => this.#readOnce(each)));
    await Promise.all(respondents.map((each) => this.#judgeNotFound(each)));

    const holes = rangesOf(items, (item) => this.#isHole(item));
    // Until somebody is found, no page that asks for somebody is covered: so a state that covers something counts as found.
    if (!this.#hasFound) await Promise.all(this.#outcomes.values());
    if (covered && this.#outcomes.size > 0 && !this.#hasFound) holes.push(covered);
    const origin = { surveyId, survey, unknown: stream.warnings.unknown };
    const records = named.flatMap((item) => this.#options.recordsOf(item, origin));
    const present = earlier(seen.present, this.#since ?? seen.present);
    await stream.deliverPage({ ...page, seen: { ...seen, present } }, items, records, holes);
  }

  /** Reads the respondents whom the configuration names (I14). */
  async readNamed(): Promise<void> {
    const named = [...this.#named].map(([key, uuid]): Respondent => ({ key, uuid, newest: undefined }));
    await Promise.all(named.map((each) => this.#readOnce(each)));
    await Promise.all(named.map((each) => this.#judgeNotFound(each)));
  }

  /** The second look: asks once more for those whose lists failed, and for those who were not found. */
  async readAgain(): Promise<void> {
    this.#failures = 0;
    this.#failedInARow = 0;
    const failed = [...this.#failed.values()].filter(mayBeAskedAgain);
    const [missing, others] = [failed.filter(isMissing), failed.filter((each) => !isMissing(each))];
    // The oldest come first: if those of the last weeks were all erased, they are the ones that are found.
    await Promise.all(others.toReversed().map((each) => this.#readFailed(each)));
    // Until somebody is found, a 404 more says nothing about the others.
    while (!this.#witness.hasFound && missing.length > 0)
      await this.#readFailed(certain(missing.shift(), "the respondent"));
    const unsettled = [...this.#failed.values()].filter(isMissing);
    await Promise.all(unsettled.map(({ respondent }) => this.#judgeNotFound(respondent)));
    if (!(await this.#areFewGone())) return;
    for (const { respondent } of [...this.#failed.values()].filter(isMissing)) this.#isGone(respondent.key);
  }

  /** What came of the respondents. */
  get facts(): RespondentFacts {
    const all = [...this.#failed.values()];
    const failed = all.filter(({ isSkipped = false }) => !isSkipped);
    return {
      good: this.#good,
      lagging: this.#lagging,
      gone: this.#gone,
      failed: listsOf(failed),
      areNamed: this.#areNamed,
      skipped: all.length - failed.length,
    };
  }

  /** Whether it reads the respondents whom the configuration names, and nobody else. None of them is ever gone. */
  get #areNamed(): boolean {
    return this.#named.size > 0;
  }

  /** Whether this sync or an earlier one has found somebody. */
  get #hasFound(): boolean {
    return this.#good > 0 || this.stream.coverage.hasState;
  }

  /** Whether so many lists failed, and none was read, that nobody else is asked for. */
  get #isInVain(): boolean {
    return this.#failures >= MOST_IN_VAIN && !this.#witness.hasFound;
  }

  /** Whether the next sync must ask for the respondent of `item` again. */
  #isHole(item: Item): boolean {
    const outcome = this.#outcomes.get(keyOf(item));
    if (outcome === undefined || outcome === "gone") return false;
    return typeof outcome !== "number" || lags(outcome, item.timestamp);
  }

  /** The outcome of the one reading of this sync. */
  async #readOnce(respondent: Respondent): Promise<Outcome> {
    const known = this.#outcomes.get(respondent.key);
    return known ?? this.#remember(respondent, () => this.#read(respondent, ATTEMPTS_OF_A_PART));
  }

  /** Asks once more for somebody whose list failed. */
  async #readFailed({ respondent, list }: Failed): Promise<void> {
    await this.#remember(respondent, () => this.#read(respondent, ATTEMPTS_OF_A_TRY, list));
  }

  /** The outcome of `reading`. What asks for the same respondent meanwhile waits for it. */
  async #remember({ key }: Respondent, reading: () => Promise<Outcome>): Promise<Outcome> {
    this.progress.waiting++;
    const pending = reading();
    this.#outcomes.set(key, pending);
    const outcome = await pending;
    this.#outcomes.set(key, outcome);
    this.progress.waiting--;
    if (typeof outcome === "number") this.progress.read++;
    return outcome;
  }

  /** `attempts`: of the first request. `begun`: the list, if a part of it was read before. */
  async #read(respondent: Respondent, attempts: number, begun?: RespondentList): Promise<Outcome> {
    const list = begun ?? this.#listOf(respondent);
    if (list instanceof SurveyExportError) return this.#fail({ respondent, error: list });
    let problem: SurveyExportError | undefined;
    let isWhole = true;
    let most = attempts;
    for (let pages = begun ? 1 : 0; list.path !== undefined; pages++) {
      const page = await this.#options.requests.inSlot("respondent", () =>
        this.#readPage(respondent, list, most),
      );
      most = ATTEMPTS_OF_A_PART;
      if (page === undefined) return this.#skip(respondent);
      if (page instanceof SurveyExportError) {
        if (pages > 0) return this.#fail({ respondent, error: lostMidway(respondent, pages, page), list });
        return page.code === "not_found"
          ? this.#wasNotFound(respondent, page)
          : this.#fail({ respondent, error: page });
      }
      problem ??= page.problem;
      isWhole &&= page.isWhole;
    }
    this.#wasRead(respondent, list.newest);
    if (problem) return this.#fail({ respondent, error: problem, isFinal: true });
    return isWhole ? list.newest : "not read";
  }

  /** Requests the next page, and delivers it. @returns undefined if there is no use in asking */
  async #readPage(
    respondent: Respondent,
    list: RespondentList,
    most: number,
  ): Promise<RespondentPage | SurveyExportError | undefined> {
    const { client, requests } = this.#options;
    if (this.#isInVain || requests.isSecondLookOver) return undefined;
    const attempts = this.#failedInARow >= MANY_IN_A_ROW ? 1 : most;
    this.#since ??= client.present();
    const parse: RespondentList["parse"] = (...body) => list.parse(...body);
    const sent = this.#witness.now();
    const reply = await requests.get(certain(list.path, "the path"), parse, { attempts });
    if ("error" in reply) return reply.error;
    this.#witness.found(respondent, sent);
    const page = list.accept(reply.page);
    const { records, unreadable } = page;
    for (const each of unreadable) this.stream.omitted(each);
    if (records.length > 0) await this.stream.deliver(records, records.length);
    return page;
  }

  /** A list was read to its end. */
  #wasRead({ key, newest: lead }: Respondent, newest: number): void {
    this.#failedInARow = 0;
    if (this.#failed.delete(key)) this.#options.ledger.recovered();
    if (lead !== undefined && lags(newest, lead)) this.#lagging++;
    else if (newest > Number.NEGATIVE_INFINITY) this.#good++;
  }

  #wasNotFound(respondent: Respondent, error: SurveyExportError): Outcome {
    this.#failed.set(respondent.key, { respondent, error, notFoundAt: this.#witness.now() });
    this.#lastError = error;
    this.#failures++;
    return "not found";
  }

  #fail(failed: Failed): Outcome {
    const { respondent, error, isFinal = false } = failed;
    const reason = reasonOf(error);
    const first = this.#errors.get(reason) ?? error;
    this.#errors.set(reason, first);
    this.#failed.set(respondent.key, { ...failed, error: first });
    this.#lastError = first;
    this.#failures++;
    this.#failedInARow++;
    if (!isFinal) this.#options.ledger.failed(error);
    return "not read";
  }

  /** Too many others have failed. What was found out before still holds. */
  #skip(respondent: Respondent): Outcome {
    const { key } = respondent;
    const known = this.#failed.get(key) ?? {
      respondent,
      error: certain(this.#lastError, "a list that failed"),
      isSkipped: true,
    };
    this.#failed.set(key, known);
    return isMissing(known) ? "not found" : "not read";
  }

  /**
   * Asks once more for somebody who was not found, after somebody else was found. If they are not found then, they are gone
   * (I11). Without anybody who was found they stay in doubt.
   */
  async #judgeNotFound(respondent: Respondent): Promise<void> {
    const { key } = respondent;
    const known = this.#outcomes.get(key);
    // Another page has shown them, too.
    if (known instanceof Promise) return void (await known);
    if (known !== "not found") return;
    const { notFoundAt = 0, error } = certain(this.#failed.get(key), "the respondent");
    const outcome = await this.#remember(respondent, async () => {
      if (!(await this.#witness.finds(notFoundAt))) return "not found";
      const again = await this.#read(respondent, ATTEMPTS_OF_A_TRY);
      const askedAt = this.#failed.get(key)?.notFoundAt ?? notFoundAt;
      if (again !== "not found" || askedAt === notFoundAt) return again;
      this.#isGone(key);
      return "gone";
    });
    if (outcome === "not found") this.#options.ledger.failed(error);
  }

  /** They need not be asked for again, until they answer again. If the configuration names them, that is an error. */
  #isGone(key: string): void {
    if (this.#areNamed) return;
    this.#failed.delete(key);
    this.#gone++;
  }

  /**
   * Whether those are gone who were not found while nobody was found at all: if they are few, if an earlier sync has found
   * somebody, and if the service answers something else now. Without this: each quiet hour with an erased respondent fails.
   */
  async #areFewGone(): Promise<boolean> {
    if (this.#areNamed) return false;
    const count = [...this.#failed.values()].filter(isMissing).length;
    const isPossible =
      count > 0 && count < TOO_MANY && !this.#witness.hasFound && this.stream.coverage.hasState;
    if (!isPossible) return false;
    const reply = await this.#options.requests.get(surveysPath(1), parsePage, {
      attempts: ATTEMPTS_OF_A_TRY,
    });
    return "page" in reply;
  }

  /** Asks for somebody who was found before, to see whether respondents are found now. */
  async #askForAgain(somebody: Respondent): Promise<void> {
    const { requests } = this.#options;
    const list = this.#listOf(somebody, 1);
    if (list instanceof SurveyExportError) return;
    const path = certain(list.path, "the path");
    await requests.inSlot("respondent", async () => {
      const sent = this.#witness.now();
      const reply = await requests.get(path, parsePage, { attempts: 1 });
      if ("page" in reply) this.#witness.found(somebody, sent);
    });
  }

  #listOf({ uuid }: Respondent, itemsPerPage?: number): RespondentList | SurveyExportError {
    const { listOf, settings } = this.#options;
    // Of somebody whom the configuration names, everything is wanted.
    const areSurveysNamed = !this.#areNamed && !isEverySurveyRead(settings);
    try {
      return listOf({ uuid, itemsPerPage: itemsPerPage ?? settings.itemsPerPage, areSurveysNamed });
    } catch (thrown) {
      return SurveyExportError.from(thrown);
    }
  }
}

const isMissing = ({ notFoundAt }: Failed): boolean => notFoundAt !== undefined;

const mayBeAskedAgain = ({ error, isFinal = false }: Failed): boolean => !isFinal && canBeAskedAgain(error);

/** The failures by their reasons. */
function listsOf(failed: readonly Failed[]): FailedLists[] {
  const groups = Map.groupBy(failed, ({ error }) => reasonOf(error));
  return [...groups.values()].map((group) => ({
    error: certain(group[0], "the first").error,
    count: group.length,
    respondents: group.slice(0, MOST_NAMES).map(({ respondent }) => respondent.uuid),
  }));
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

/** A request of a list failed, after so many pages of it. */
function lostMidway({ uuid }: Respondent, pages: number, error: SurveyExportError): SurveyExportError {
  if (error.code !== "not_found") return error;
  const facts = say`Respondent ${respondentId(uuid)} was not found any more after ${counted(pages, say`page`, say`pages`)} (status ${error.status ?? 404}).`;
  const advice = say`The next sync reads their list again. If it continues, ask the service.`;
  return error.restated("transient", facts, advice);
}
