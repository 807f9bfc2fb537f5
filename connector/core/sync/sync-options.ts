import type { InitialState } from "../coverage/stream-state.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { KEEP_ALL, type RecordTreatment } from "../privacy/record-treatment.ts";
import type { StreamDefinition } from "../streams/definition.ts";

export interface SyncOptions<Name extends string = string> {
  readonly surveyIds: readonly string[];
  readonly respondentUuids: readonly string[];
  /** The streams to read, each with its state (`parseStreamState`), or undefined for a first sync. */
  readonly streams: ReadonlyMap<StreamDefinition & { readonly name: Name }, InitialState | undefined>;
  /** Surveys that an earlier sync has read. One that is not found is a warning if another survey is found. Default: none. */
  readonly knownSurveys?: ReadonlySet<string>;
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
  /** What happens to personal data; default: it is kept. */
  readonly treatment?: RecordTreatment;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with what is left to read. */
  readonly onProgress?: (left: Left) => void;
}

type Optional = "attributes" | "lookbackMs" | "itemsPerPage" | "inOrder" | "treatment";
/** The options with the defaults of those that were left out. */
export type Settings = SyncOptions & Required<Pick<SyncOptions, Optional>>;

export const settingsOf = (options: SyncOptions): Settings => ({
  ...{ attributes: [], lookbackMs: 0, itemsPerPage: 100, inOrder: false, treatment: KEEP_ALL },
  ...options,
});

/** What is left to read, as far as it is known. */
export interface Left {
  /** Surveys that were not read to their end. */
  readonly surveys: number;
  /** Respondents who wait for their turn at this moment, in all streams together. */
  readonly respondents: number;
  /** Pages of surveys that were requested; and an estimate of those that are left, infinite without a start date. */
  readonly pages: number;
  pagesLeft(): number;
}
