import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import type { Gap, Span } from "../reading/coverage.ts";
import type { Item } from "../reading/item.ts";
import type { Moment } from "../reading/moment.ts";

/** What a stream reads: the surveys' lists themselves, or a list of each respondent found in them. */
export type Stream = SurveyStream | RespondentStream;

export interface SurveyStream {
  readonly reads: "surveys";
  record(item: Item, surveyId: string, unknown: Set<string>): StreamRecord;
}

export interface RespondentStream {
  readonly reads: "respondents";
  /** Whether what it delivers of a person goes down to the start date only. */
  readonly dependsOnStartDate: boolean;
  open(respondent: Respondent): RespondentReading;
}

/** A person whose list is to be read, and what is known before. */
export interface Respondent {
  readonly uuid: string;
  /** `collected_at` of the response that led here; null when the configuration alone names the person. */
  readonly collectedAt: string | null;
  readonly itemsPerPage: number;
  readonly startDate: Moment | undefined;
  readonly endDate: Moment | undefined;
  /** Stretches of the person's own list that are still wanted; undefined unless the configuration names them. */
  readonly gaps: readonly Gap[] | undefined;
  /** Whether the response, and with it all older ones of its responder, was delivered by an earlier sync. */
  wasDelivered(item: Item): boolean;
  readonly unknown: Set<string>;
}

/** Reading one respondent's list, page by page. */
export interface RespondentReading {
  /** The path to ask for; undefined when the list has been read. */
  readonly path: string | undefined;
  /** @throws SurveyExportError `broken_answer` for a body that should be asked for again */
  parse(body: string): RespondentPage;
}

/** A page that was understood; taking it moves the reading on. */
export type RespondentPage = () => RespondentProgress;

export interface RespondentProgress {
  readonly records: readonly StreamRecord[];
  /** Spans of the person's own list that are covered now, and the newest response seen in it. */
  readonly claims: readonly Span[];
  readonly newestSeen: Moment | undefined;
  readonly problem: SurveyExportError | undefined;
  readonly warning: string | undefined;
}
