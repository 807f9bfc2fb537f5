import { liesIn } from "../coverage/coverage.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamDefinition, SurveyStream } from "../streams/definition.ts";
import type { SyncEvent } from "./events.ts";
import { recordsOf } from "./records-of.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { SurveyPage } from "./survey-list.ts";

/** One stream in a sync. */
export interface StreamProgress {
  readonly definition: StreamDefinition;
  readonly cursor: StreamCursor;
  /** Whether something could not be read, so that the stream ends incomplete. */
  readonly isIncomplete: boolean;
  /** Whether it takes nothing more. */
  readonly isGivenUp: boolean;
  /** Takes in a page of a survey. `newestSeen`: of that survey, in this sync. */
  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[];
  /** Marks the stream as incomplete. */
  failed(error: SurveyExportError): SyncEvent;
  /** Nothing more is requested: what is left to report. */
  finish(): SyncEvent[];
}

/** A stream whose records are the responses of the surveys themselves. */
export class SurveyStreamProgress implements StreamProgress {
  readonly definition: SurveyStream;
  readonly cursor: StreamCursor;
  isIncomplete = false;
  readonly isGivenUp = false;
  readonly #unknownFields: Set<string>;

  constructor(definition: SurveyStream, cursor: StreamCursor, unknownFields: Set<string>) {
    this.definition = definition;
    this.cursor = cursor;
    this.#unknownFields = unknownFields;
  }

  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[] {
    const gaps = this.cursor.gapsOfSurvey(surveyId);
    const origin = { surveyId, unknownFields: this.#unknownFields };
    const failures: SyncEvent[] = [];
    const items = page.items.filter((item) => liesIn(gaps, item.timestamp));
    const records = recordsOf(items, this.definition, origin, (item, error) => {
      this.cursor.leaveOpen(surveyId, item.timestamp);
      failures.push(this.failed(error));
    });
    for (const { intervals } of page.covered) {
      for (const interval of intervals) this.cursor.coverSurvey(surveyId, interval, newestSeen);
    }
    return [
      { type: "records", stream: this.definition.name, records, state: this.cursor.state() },
      ...failures,
    ];
  }

  failed(error: SurveyExportError): SyncEvent {
    this.isIncomplete = true;
    return { type: "failure", stream: this.definition.name, error };
  }

  finish(): SyncEvent[] {
    return [];
  }
}
