import type { SurveyExportError } from "../../errors.ts";
import type { WarningCode } from "../../ports.ts";
import type { Message } from "../../text/message.ts";
import type { NamedSurveys } from "../surveys/survey-selection.ts";
import type { Note, Problem } from "./ledger.ts";

/** Lists of respondents that failed twice for one reason. */
export interface FailedLists {
  /** Of the first. */
  readonly error: SurveyExportError;
  readonly count: number;
  /** Of the first few. */
  readonly respondents: readonly string[];
}

/** What came of the respondents of one stream. */
export interface RespondentFacts {
  /** Lists that were read and hold something. */
  readonly good: number;
  /** Lists that lack the response that led there. */
  readonly lagging: number;
  /** Respondents that are gone (I11). */
  readonly gone: number;
  readonly failed: readonly FailedLists[];
  /** Whether the configuration names the respondents of this stream. */
  readonly areNamed: boolean;
  /** Respondents who were not asked for, since so many others failed. */
  readonly skipped: number;
}

/** What came of one stream. */
export interface StreamFacts {
  readonly name: string;
  /** Whether everything was asked for that it needs. False if the sync ended before. */
  readonly isDone: boolean;
  /** Whether an earlier sync has read something of it. */
  readonly hasState: boolean;
  /** How many items could be read, and how many could not, with the error of the first. */
  readonly items: number;
  readonly unreadable: { readonly count: number; readonly first: SurveyExportError } | undefined;
  /** Undefined if nobody is asked for. */
  readonly respondents?: RespondentFacts | undefined;
}

/** What came of a sync. */
export interface SyncFacts {
  /** Why it ended early. */
  readonly end: SurveyExportError | undefined;
  /** What failed and did not succeed later; of those, after which a page came. */
  readonly notes: readonly Note[];
  readonly ownNotes: readonly Note[];
  readonly problems: readonly Problem[];
  readonly streams: readonly StreamFacts[];
  /** How many surveys it was to read. */
  readonly surveys: number;
  /** Those of which a page of responses came. */
  readonly found: ReadonlySet<string>;
  /** Whether the configuration names the surveys to read. */
  readonly areSurveysNamed: boolean;
  /** The surveys that the service listed after all failures. Undefined if nobody knows, or nobody needs to. */
  readonly listed: ReadonlySet<string> | undefined;
  /** The whole list of surveys, with their names: somebody may have written a name for an id. Undefined if it was not read. */
  readonly allSurveys: NamedSurveys | undefined;
}

/** An error, of each stream that it makes incomplete. */
export interface Failure {
  readonly streams: readonly string[];
  readonly error: SurveyExportError;
  /** The surveys of which something is missing; none if it is not about surveys. */
  readonly surveyIds: readonly string[];
}

export interface Warning {
  readonly code: WarningCode;
  readonly message: Message;
}

export interface Verdict {
  /** The streams that do not have everything that the configuration asks for. */
  readonly incomplete: ReadonlySet<string>;
  /** What a later run may bring comes first: Airbyte runs a job again only if its first error is of that kind. */
  readonly failures: readonly Failure[];
  readonly warnings: readonly Warning[];
  /** The surveys that are gone, which no state names any more. */
  readonly gone: readonly string[];
}
