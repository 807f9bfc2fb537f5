import { type Coverage, cover, NOTHING } from "../coverage/coverage.ts";
import type { Place } from "../coverage/open-ranges.ts";
import { addMicroseconds, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import type { Read } from "../lists/coverage-tracker.ts";
import type { Item } from "../lists/item.ts";
import type {
  Origin,
  StreamDefinition,
  SurveyStream,
  WholeSurvey,
  WholeSurveyStream,
} from "../streams/definition.ts";
import type { Message } from "../text/message.ts";
import type { RespondentSource, SyncEvent } from "./list-task.ts";
import type { Slice } from "./split.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import { recordsOf } from "./stream-records.ts";
import type { OpenPage } from "./tries.ts";
import type { Warnings } from "./warnings.ts";

/** A page of a survey's list, as the streams see it. */
export interface SurveyPage<S extends Slice = Slice> {
  readonly items: readonly Item[];
  /** What is covered and open now, by slice: first the page's own, then the slices below that it has ended. */
  readonly read: readonly { readonly slice: S; readonly read: Read }[];
  readonly problem: SurveyExportError | undefined;
  readonly warning: Message | undefined;
}

/** One stream in a sync. */
export interface StreamProgress {
  readonly definition: StreamDefinition;
  readonly cursor: StreamCursor;
  /** Whether something could not be read, so that the stream ends incomplete. */
  readonly isIncomplete: boolean;
  /** Whether it takes nothing more. */
  readonly isGivenUp: boolean;
  /** Whose lists it reads; undefined if it reads surveys alone. */
  readonly respondents: RespondentSource | undefined;
  /** Takes in a page of a survey. `newestSeen`: of that survey, in this sync. */
  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[];
  /** Takes in a page that was requested because of this stream's open ranges alone. */
  acceptOpenPage(page: OpenPage): SyncEvent[];
  /** Marks the stream as incomplete, unless the user tolerates the error: then there is a warning and no event. */
  failed(error: SurveyExportError, surveyId?: string): SyncEvent[];
  /** Nothing more is requested: what is left to report. */
  finish(): SyncEvent[];
}

export interface SurveyStreamOptions {
  readonly definition: SurveyStream | WholeSurveyStream;
  readonly cursor: StreamCursor;
  readonly warnings: Warnings;
  /** When the sync began, by the host's clock. */
  readonly began: Timestamp;
  readonly startDate: Timestamp | undefined;
  readonly lookbackMs: number;
}

interface PageOfSurvey {
  readonly surveyId: string;
  readonly items: readonly Item[];
  readonly reads: readonly Read[];
  /** Of that survey, in this sync. */
  readonly newestSeen: Timestamp | undefined;
  readonly isRetry: boolean;
}

/** A stream whose records are the responses of the surveys themselves, or say which surveys were read whole. */
export class SurveyStreamProgress implements StreamProgress {
  readonly definition: SurveyStream | WholeSurveyStream;
  readonly cursor: StreamCursor;
  isIncomplete = false;
  readonly isGivenUp = false;
  readonly respondents = undefined;
  readonly #options: SurveyStreamOptions;
  readonly #wholeSurveys: WholeSurveys;

  constructor(options: SurveyStreamOptions) {
    this.#options = options;
    this.definition = options.definition;
    this.cursor = options.cursor;
    this.#wholeSurveys = new WholeSurveys(options);
  }

  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[] {
    const reads = page.read.map(({ read }) => read);
    return this.#accept({ surveyId, items: page.items, reads, newestSeen, isRetry: false }).events;
  }

  acceptOpenPage({ surveyId, items, read, tries }: OpenPage): SyncEvent[] {
    const { events, open } = this.#accept({
      ...{ surveyId, items, reads: [read], newestSeen: undefined, isRetry: true },
    });
    tries.answered(open.length > 0 || read.open.length > 0 || read.covered.length === 0);
    return events;
  }

  #accept({ surveyId, items: all, reads, newestSeen, isRetry }: PageOfSurvey) {
    const items = all.filter(({ timestamp }) => this.cursor.takes({ surveyId, timestamp }, isRetry));
    const failures: SyncEvent[] = [];
    const open: Place[] = [];
    const records = this.#recordsOf(surveyId, items, reads, ({ timestamp }, error) => {
      open.push({ surveyId, timestamp });
      failures.push(...this.failed(error, surveyId));
    });
    let page = { taken: items.length, delivered: items.length - open.length, open };
    for (const { covered: intervals, open: ranges, upTo } of reads) {
      for (const range of ranges) this.cursor.leaveOpen(surveyId, range);
      this.cursor.settle({ ...page, surveyId, intervals, upTo, newestSeen, isRetry, doubtful: 0 });
      page = { taken: 0, delivered: 0, open: [] };
    }
    return { events: [this.#records(surveyId, records), ...failures], open };
  }

  #recordsOf(
    surveyId: string,
    items: readonly Item[],
    reads: readonly Read[],
    onUnreadable: (item: Item, error: SurveyExportError) => void,
  ): readonly StreamRecord[] {
    const { definition } = this;
    if (definition.reads === "survey responses") {
      return recordsOf(items, definition, this.#origin(surveyId), onUnreadable);
    }
    this.#wholeSurveys.add(surveyId, items.length, reads);
    return [];
  }

  #origin(surveyId: string): Origin {
    const { began, warnings } = this.#options;
    return { surveyId, began, unknown: warnings.unknown };
  }

  #records(surveyId: string, records: readonly StreamRecord[]): SyncEvent {
    return { type: "records", stream: this.definition.name, surveyId, records, state: this.cursor.state() };
  }

  failed(error: SurveyExportError, surveyId?: string): SyncEvent[] {
    if (this.#options.warnings.isTolerated(error)) return [];
    this.isIncomplete = true;
    const stream = this.definition.name;
    return [{ type: "failure", stream, error, ...(surveyId !== undefined && { surveyId }) }];
  }

  finish(): SyncEvent[] {
    const { definition } = this;
    if (definition.reads === "survey responses") return [];
    return [...this.#wholeSurveys.whole()].map(([id, survey]) =>
      this.#records(id, definition.records(survey, this.#origin(id))),
    );
  }
}

/**
 * Says which surveys a sync that began with nothing has read completely: what it covers is one interval that reaches
 * down to the start date, and nothing in it is open.
 */
class WholeSurveys {
  readonly #older: Timestamp | null;
  readonly #lookbackMs: number;
  readonly #surveys = new Map<string, { count: number; covered: Coverage; isOpen: boolean }>();

  constructor({ startDate, lookbackMs }: Pick<SurveyStreamOptions, "startDate" | "lookbackMs">) {
    this.#older = startDate ?? null;
    this.#lookbackMs = lookbackMs;
  }

  /** A page of a survey brought `count` responses. */
  add(surveyId: string, count: number, reads: readonly Read[]): void {
    const survey = this.#surveys.get(surveyId) ?? { count: 0, covered: NOTHING, isOpen: false };
    this.#surveys.set(surveyId, survey);
    survey.count += count;
    for (const { covered, open } of reads) {
      survey.isOpen ||= open.length > 0;
      for (const interval of covered) survey.covered = cover(survey.covered, interval);
    }
  }

  /** The surveys that are whole, once nothing more is read. */
  *whole(): Generator<readonly [surveyId: string, survey: WholeSurvey]> {
    for (const [id, { count, covered, isOpen }] of this.#surveys) {
      const [interval, ...others] = covered;
      if (isOpen || interval === undefined || others.length > 0 || interval[0] !== this.#older) continue;
      const [older] = interval;
      const newer = addMicroseconds(interval[1], -1000 * this.#lookbackMs);
      if (older === null || older <= newer) yield [id, { numberOfResponses: count, older, newer }];
    }
  }
}
