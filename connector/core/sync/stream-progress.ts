import type { Place } from "../coverage/open-ranges.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Read } from "../lists/coverage-tracker.ts";
import type { Item } from "../lists/item.ts";
import type { StreamDefinition, SurveyStream, Unknown } from "../streams/definition.ts";
import type { SyncEvent } from "./events.ts";
import { recordsOf } from "./records-of.ts";
import type { RespondentSource } from "./respondent-source.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { SurveyPage } from "./survey-list.ts";
import type { OpenPage } from "./tries.ts";

/** One stream in a sync. */
export interface StreamProgress {
  readonly definition: StreamDefinition;
  readonly cursor: StreamCursor;
  /** Whether something could not be read, so that the stream ends incomplete. */
  readonly isIncomplete: boolean;
  /** Whether it takes nothing more. */
  readonly isGivenUp: boolean;
  /** Whom it asks for; undefined if it reads surveys alone. */
  readonly respondents: RespondentSource | undefined;
  /** Takes in a page of a survey. `newestSeen`: of that survey, in this sync. */
  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[];
  /** Takes in a page that was requested because of this stream's open ranges alone. */
  acceptOpenPage(page: OpenPage): SyncEvent[];
  /** Marks the stream as incomplete. */
  failed(error: SurveyExportError, surveyId?: string): SyncEvent;
  /** Nothing more is requested: what is left to report. */
  finish(): SyncEvent[];
}

/** A stream whose records are the responses of the surveys themselves. */
export class SurveyStreamProgress implements StreamProgress {
  readonly definition: SurveyStream;
  readonly cursor: StreamCursor;
  isIncomplete = false;
  readonly isGivenUp = false;
  readonly respondents = undefined;
  readonly #unknown: Unknown;

  constructor(definition: SurveyStream, cursor: StreamCursor, unknown: Unknown) {
    this.definition = definition;
    this.cursor = cursor;
    this.#unknown = unknown;
  }

  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[] {
    return this.#accept(
      surveyId,
      page.items,
      page.read.map(({ read }) => read),
      newestSeen,
      false,
    );
  }

  acceptOpenPage({ surveyId, items, read, tries }: OpenPage): SyncEvent[] {
    const events = this.#accept(surveyId, items, [read], undefined, true);
    const hasFailed = events.some(({ type }) => type === "failure");
    tries.answered(hasFailed || read.open.length > 0 || read.covered.length === 0);
    return events;
  }

  #accept(
    surveyId: string,
    all: readonly Item[],
    reads: readonly Read[],
    newestSeen: Timestamp | undefined,
    isRetry: boolean,
  ): SyncEvent[] {
    const items = all.filter(({ timestamp }) => this.cursor.takes({ surveyId, timestamp }, isRetry));
    const failures: SyncEvent[] = [];
    const open: Place[] = [];
    const origin = { surveyId, unknown: this.#unknown };
    const records = recordsOf(items, this.definition, origin, ({ timestamp }, error) => {
      open.push({ surveyId, timestamp });
      failures.push(this.failed(error, surveyId));
    });
    let page = { taken: items.length, delivered: items.length - open.length, open };
    for (const { covered: intervals, open: ranges, upTo } of reads) {
      for (const range of ranges) this.cursor.leaveOpen(surveyId, range);
      this.cursor.settle({ ...page, surveyId, intervals, upTo, newestSeen, isRetry, doubtful: 0 });
      page = { taken: 0, delivered: 0, open: [] };
    }
    return [
      { type: "records", stream: this.definition.name, surveyId, records, state: this.cursor.state() },
      ...failures,
    ];
  }

  failed(error: SurveyExportError, surveyId?: string): SyncEvent {
    this.isIncomplete = true;
    return {
      type: "failure",
      stream: this.definition.name,
      error,
      ...(surveyId !== undefined && { surveyId }),
    };
  }

  finish(): SyncEvent[] {
    return [];
  }
}
