import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { type Item, respondentOf } from "../lists/item.ts";
import type { RespondentStream } from "../streams/definition.ts";
import type { Message } from "../text/message.ts";
import { allNameless, Control, failedInARow, foundNobody, listsLackResponses } from "./control.ts";
import type { SyncEvent } from "./list-task.ts";
import { type ListTask, type RespondentSource, takeOpen } from "./list-task.ts";
import { NotFound } from "./not-found.ts";
import { PageWorks, type Part, type Shown } from "./page-work.ts";
import { type Lead, type PageWork, People, type Person } from "./people.ts";
import { HELD_NOTHING, type Held, respondentKey } from "./people-read.ts";
import { openRespondentList, type RespondentList } from "./respondent-list.ts";
import { ControlTask, type RespondentReader, RespondentTask } from "./respondent-task.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { StreamProgress, SurveyPage } from "./stream-progress.ts";
import type { OpenPage } from "./tries.ts";
import type { Warnings } from "./warnings.ts";

export interface RespondentStreamOptions {
  readonly definition: RespondentStream;
  readonly cursor: StreamCursor;
  readonly warnings: Warnings;
  /** The service's present at the first page of the sync: set when the first respondent is asked for, or soon after. */
  readonly bound: { readonly at: Timestamp | undefined };
  readonly respondentUuids: readonly string[];
  readonly startDate: Timestamp | undefined;
  readonly endDate: Timestamp | undefined;
  readonly itemsPerPage: number;
}

/** This many answers without a good one, or responses without a respondent, look like an outage. */
const TOO_MANY = 10;

/**
 * A stream that reads a list of each respondent found in the surveys. A page of a survey is covered when everybody whom
 * it shows has answered, or what they gave is listed as open. The states of a respondent: `PersonState`, docs/ARCHITECTURE.md.
 */
export class RespondentStreamProgress implements StreamProgress, RespondentSource, RespondentReader {
  readonly definition: RespondentStream;
  readonly cursor: StreamCursor;
  isIncomplete = false;
  readonly respondents: RespondentSource = this;
  readonly #options: RespondentStreamOptions;
  readonly #people = new People();
  readonly #control = new Control();
  readonly #works: PageWorks;
  readonly #notFound: NotFound;
  readonly #continuing: RespondentTask[] = [];
  #isAskingControl = false;
  /** Of the last page of which somebody was tried. */
  #triedPage = 0;
  readonly #counts = { found: 0, notFound: 0, good: 0, lacking: 0, nameless: 0, named: 0 };
  readonly #configured: ReadonlySet<string>;
  #areConfiguredMissing = false;
  #areConfiguredUnread = false;

  constructor(options: RespondentStreamOptions) {
    const { cursor, warnings, bound, respondentUuids } = options;
    this.#options = options;
    this.definition = options.definition;
    this.cursor = cursor;
    this.#works = new PageWorks(cursor, this.#people, (...doubt) => this.#doubt(...doubt));
    this.#notFound = new NotFound(cursor, this.#people, bound, warnings.deleted);
    this.#configured = new Set(respondentUuids.map(respondentKey));
  }

  get isGivenUp(): boolean {
    return this.#control.isGivenUp;
  }

  // ── What to request ───────────────────────────────────────────────────────────────────────────────────

  get waiting(): number {
    return this.#people.waiting;
  }

  next(nowMs: number): ListTask | undefined {
    if (this.isGivenUp) return undefined;
    const continuing = takeOpen(this.#continuing);
    if (continuing) return continuing;
    if (this.#control.isDue) return this.#askControl();
    const again = this.#notFound.next(nowMs, false);
    if (again) return this.#taskOf(again);
    const control = this.#notFound.awaitsControl(false) ? this.#askControl() : undefined;
    return control ?? this.#ask(this.#control.isTrying ? this.#nextTried() : this.#people.next());
  }

  nextAtTheEnd(nowMs: number): ListTask | undefined {
    if (this.isGivenUp) return undefined;
    const untried = this.#ask(this.#people.next());
    if (untried) return untried;
    const again = this.#notFound.next(nowMs, true);
    if (again) return this.#taskOf(again);
    return this.#notFound.awaitsControl(true) ? this.#askControl() : undefined;
  }

  get wakeAtMs(): number | undefined {
    return this.isGivenUp ? undefined : this.#notFound.wakeAtMs;
  }

  addConfigured(): void {
    for (const uuid of this.#options.respondentUuids) {
      this.#people.nextPage();
      if (!this.#people.isRead(uuid) && !this.#people.find(uuid)) this.#people.add(uuid, false);
    }
  }

  goOnWith(task: RespondentTask): void {
    this.#continuing.push(task);
  }

  #ask(person: Person | undefined): ListTask | undefined {
    if (person === undefined) return undefined;
    person.state = "asked";
    return this.#taskOf(person);
  }

  #taskOf(person: Person): ListTask {
    const isTry = person.isRetry || this.#control.isTrying;
    return new RespondentTask(this, person, () => this.#open(person.spelling, person.leads), isTry);
  }

  /** One of each further page: ten neighbours who fail do not look like an outage then. */
  #nextTried(): Person | undefined {
    const person = this.#people.nextAfter(this.#triedPage);
    this.#triedPage = person?.page ?? this.#triedPage;
    return person;
  }

  /** Undefined if it is under way, or if nobody's list was good. */
  #askControl(): ListTask | undefined {
    const { uuid } = this.#control;
    if (this.#isAskingControl || uuid === undefined) return undefined;
    this.#isAskingControl = true;
    this.#notFound.controlIsAsked();
    return new ControlTask(this, uuid, this.#open(uuid, []));
  }

  #open(uuid: string, leads: readonly Lead[]): RespondentList {
    const { startDate, endDate, itemsPerPage, warnings } = this.#options;
    return openRespondentList(this.definition, {
      ...{ uuid, itemsPerPage, startDate, endDate, cursor: this.cursor, leads },
      unknown: warnings.unknown,
      isConfigured: this.#configured.has(respondentKey(uuid)),
    });
  }

  // ── What surveys show ─────────────────────────────────────────────────────────────────────────────────

  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[] {
    const parts = page.read.map(({ slice, read }): Part => ({ of: slice, read }));
    return this.#accept(page.items, parts, { surveyId, newestSeen, tries: undefined });
  }

  acceptOpenPage({ surveyId, items, read, tries }: OpenPage): SyncEvent[] {
    return this.#accept(items, [{ of: tries, read }], { surveyId, newestSeen: undefined, tries });
  }

  #accept(
    items: readonly Item[],
    parts: readonly Part[],
    page: Pick<PageWork, "surveyId" | "newestSeen" | "tries">,
  ): SyncEvent[] {
    if (this.isGivenUp) return [];
    this.#people.nextPage();
    const shown = items.flatMap((item) => this.#meet(item, page) ?? []);
    const before = this.cursor.state();
    for (const [place, part] of parts.entries()) {
      for (const range of part.read.open) this.cursor.leaveOpen(page.surveyId, range);
      this.#works.add(part, place === 0 ? shown : [], page);
    }
    return this.cursor.state() === before ? [] : [this.records([])];
  }

  /** Queues an item's respondent. @returns the response, if pages wait for it: nothing above the bound is covered */
  #meet(item: Item, { surveyId, tries }: Pick<PageWork, "surveyId" | "tries">): Shown | undefined {
    const { uuid, timestamp } = item;
    const lead = { surveyId, uuid, timestamp };
    if (!this.cursor.takes(lead, tries !== undefined)) return undefined;
    const respondentUuid = respondentOf(item);
    if (respondentUuid === undefined) {
      this.#nameless(lead);
      return undefined;
    }
    this.#counts.named++;
    let person = this.#people.find(respondentUuid);
    if (person === undefined && !this.#people.isRead(respondentUuid)) {
      person = this.#people.add(respondentUuid, tries !== undefined);
      tries?.leadTo(1);
    }
    if (person?.state === "waiting") person.spelling = respondentUuid;
    if (!this.cursor.isWithinBound(timestamp)) return undefined;
    person?.leads.push(lead);
    if (person?.state === "not found") this.#notFound.judge(person);
    return { lead, respondentUuid };
  }

  #nameless(lead: Lead): void {
    if (this.cursor.wasCovered(lead)) return;
    this.#counts.nameless++;
    this.#options.warnings.nameless(lead);
  }

  // ── What respondents answer ───────────────────────────────────────────────────────────────────────────

  failed(error: SurveyExportError): SyncEvent[] {
    if (this.#options.warnings.isTolerated(error)) return [];
    this.isIncomplete = true;
    return [{ type: "failure", stream: this.definition.name, error }];
  }

  records(records: readonly StreamRecord[]): SyncEvent {
    return { type: "records", stream: this.definition.name, records, state: this.cursor.state() };
  }

  warn(emptyPage: Message): void {
    this.#options.warnings.emptyPage(emptyPage);
  }

  found(): void {
    this.#counts.found++;
  }

  /** What the list lacks of the responses that led there is open. */
  answered(person: Person, holds: (lead: Lead) => boolean, held: Held): void {
    const missing = person.leads.find((lead) => !holds(lead));
    if (missing === undefined) {
      this.#counts.good++;
      if (held !== HELD_NOTHING) this.#control.good(person.spelling);
    } else {
      this.#counts.lacking++;
      this.#areConfiguredUnread ||= this.#configured.has(person.key);
      this.#options.warnings.lacking(person.spelling, missing);
    }
    this.#done(person, holds, missing === undefined ? held : HELD_NOTHING);
  }

  notWhole(person: Person): void {
    this.#areConfiguredUnread ||= this.#configured.has(person.key);
    this.#done(person, () => false, HELD_NOTHING);
  }

  personFailed(person: Person, error: SurveyExportError): SyncEvent[] {
    const isTold = !this.#control.isTrying;
    this.notWhole(person);
    this.#control.failed();
    this.isIncomplete = true;
    const told = this.isGivenUp ? failedInARow(error, this.#control.failures) : isTold ? error : undefined;
    return [this.records([]), ...(told ? this.failed(told) : [])];
  }

  notFound(person: Person, nowMs: number): SyncEvent[] {
    this.#areConfiguredMissing ||= this.#configured.has(person.key);
    if (person.state === "asked again") {
      this.#notFound.again(person);
      return [];
    }
    // Earlier syncs know some of them already: that they are gone says nothing about the service.
    if (!person.leads.some((lead) => this.cursor.wasCovered(lead))) this.#counts.notFound++;
    this.#works.release(person, (lead, work) => this.#doubt(lead, person, work));
    this.#notFound.once(person, nowMs);
    return [this.records([])];
  }

  controlAnswered(problem: SurveyExportError | undefined): SyncEvent[] {
    const isGood = problem === undefined;
    this.#isAskingControl = false;
    if (isGood) this.#control.wasGood();
    else this.#control.wasBad();
    this.#notFound.decide(isGood);
    const isLast = this.isGivenUp && problem !== undefined;
    return [this.records([]), ...(isLast ? this.failed(failedInARow(problem, this.#control.failures)) : [])];
  }

  #doubt(lead: Lead, person: Person, work: PageWork): void {
    this.#notFound.doubt(lead, person, work, this.#control.uuid !== undefined);
  }

  #done(person: Person, isDelivered: (lead: Lead) => boolean, held: Held): void {
    this.#works.release(person, (lead, work) => {
      if (isDelivered(lead)) work.delivered++;
      else work.open.push(lead);
    });
    this.#notFound.answered(person, isDelivered);
    this.#people.done(person, held);
  }

  // ── The end ───────────────────────────────────────────────────────────────────────────────────────────

  finish(): SyncEvent[] {
    this.#noteConfigured();
    const { found, notFound, good, lacking, nameless, named } = this.#counts;
    return [
      ...(found === 0 && notFound >= TOO_MANY ? [foundNobody(notFound)] : []),
      ...(lacking > good && lacking + good >= TOO_MANY ? [listsLackResponses(lacking, good)] : []),
      ...(named === 0 && nameless >= TOO_MANY ? [allNameless(nameless)] : []),
    ].flatMap((error) => this.failed(error));
  }

  #noteConfigured(): void {
    const { bound, respondentUuids } = this.#options;
    const wasAnswered = (uuid: string): boolean =>
      this.#people.isRead(uuid) || this.#people.find(uuid)?.state.startsWith("not found") === true;
    if (this.isGivenUp || this.#areConfiguredUnread || bound.at === undefined) return;
    if (!respondentUuids.every(wasAnswered)) return;
    this.cursor.configured.wereRead(bound.at, this.#areConfiguredMissing, this.#control.uuid !== undefined);
    this.cursor.changed();
  }
}
