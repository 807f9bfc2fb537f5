import { type InitialState, type KnownSurveys, surveysIn } from "../coverage/stream-state.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { ListedSurvey } from "../lists/item.ts";
import { KEEP_ALL, type RecordTreatment } from "../privacy/record-treatment.ts";
import type { StreamDefinition } from "../streams/definition.ts";

export interface SyncOptions<Name extends string = string> {
  /** The surveys to read, listed or not. Empty: every survey that the service lists. */
  readonly surveyIds: readonly string[];
  /** The respondents of whom the respondent streams are read. Empty: those whom the surveys show. */
  readonly respondentUuids: readonly string[];
  /** Surveys that are not read if every survey is. Their coverage stays in the state. Default: none. */
  readonly excludedSurveyIds?: ReadonlySet<string>;
  /** The streams to read, each with its state (`parseStreamState`), or undefined for a first sync. */
  readonly streams: ReadonlyMap<StreamDefinition & { readonly name: Name }, InitialState | undefined>;
  /** The surveys of earlier syncs. Default: none. */
  readonly knownSurveys?: KnownSurveys;
  /** What lists of surveys have shown to the caller's earlier reads. What this one shows is added. Default: nothing. */
  readonly listed?: Map<string, ListedSurvey>;
  /** Bounds of `collected_at`, both inclusive. */
  readonly startDate?: Timestamp | undefined;
  readonly endDate?: Timestamp | undefined;
  /** Names of the attributes to return with survey responses. */
  readonly attributes?: readonly string[];
  readonly lookbackMs?: number;
  /** 1 to 100. */
  readonly itemsPerPage?: number;
  /** Each survey strictly newest first, its next page only when the last one was taken, instead of slices side by side. */
  readonly inOrder?: boolean;
  /** Whether what failed is asked for once more at the end. Default: yes. Not for a caller that tries again by itself. */
  readonly asksAgain?: boolean;
  /** What happens to personal data; default: it is kept. */
  readonly treatment?: RecordTreatment;
  readonly signal?: AbortSignal | undefined;
  /** Called once, at the beginning. */
  readonly onStart?: (progress: SyncProgress) => void;
}

type Optional =
  | "excludedSurveyIds"
  | "knownSurveys"
  | "attributes"
  | "lookbackMs"
  | "itemsPerPage"
  | "inOrder"
  | "asksAgain"
  | "treatment";
/** The options, with defaults for those that are not set. */
export type Settings = SyncOptions & Required<Pick<SyncOptions, Optional>>;

/** Whether a stream is read from the lists of the respondents whom the configuration names, and so from no survey. */
export const isOfNamedRespondents = (
  { reads }: Pick<StreamDefinition, "reads">,
  { respondentUuids }: Pick<Settings, "respondentUuids">,
): boolean =>
  respondentUuids.length > 0 && (reads === "respondent responses" || reads === "respondent attributes");

export const settingsOf = (options: SyncOptions): Settings => ({
  excludedSurveyIds: new Set(),
  knownSurveys: surveysIn([]),
  attributes: [],
  lookbackMs: 0,
  itemsPerPage: 100,
  inOrder: false,
  asksAgain: true,
  treatment: KEEP_ALL,
  ...options,
});

/** How far a sync is, at the moment when a value is read. */
export interface SyncProgress {
  /** Surveys that are read, and how many of their lists are not read to the end. Undefined until the service has listed them. */
  readonly surveys: { readonly all: number; readonly remaining: number } | undefined;
  /**
   * Responses of surveys that have come, and about how many there are with those to come, as the list of surveys counts them.
   * Undefined if it does not say it of each survey, or if one was read before: nobody knows how much is new.
   */
  readonly responses: { readonly read: number; readonly about: number } | undefined;
  /**
   * Respondents whose lists wait or are being read, and whose were read, in the stream with the fewest of these. Undefined
   * without such a stream.
   */
  readonly respondents: { readonly waiting: number; readonly read: number } | undefined;
  /** Lists of respondents that wait or are being read, of all streams: each is a request, at least. */
  readonly waitingLists: number;
}
