import { type Coverage, NOTHING } from "../coverage/coverage.ts";
import { EMPTY_STATE, type InitialState } from "../coverage/stream-state.ts";
import { addMicroseconds, type Timestamp } from "../coverage/timestamp.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { respondentKey } from "../text/uuid.ts";
import type { Settings } from "./sync-options.ts";

/** What a stream's stored state is worth in a sync. */
export interface UsableState {
  readonly surveys: ReadonlyMap<string, Coverage>;
  /** By key, the respondents whose responses the stream reads by the configuration: a state names nobody else. */
  readonly respondentKeys: ReadonlySet<string>;
  /** Those of them that the state knows, with what was read. */
  readonly respondents: ReadonlyMap<string, Coverage>;
  /** Down to which date it reads them; the next state says so. */
  readonly startDate: Timestamp | undefined;
  /** What holds for a list of which the state says nothing. */
  readonly unknown: Coverage;
  /** As written by hand: what `unknown` comes from. */
  readonly collectedAt: Timestamp | undefined;
  /** Whether it was made under another setting of personal data. */
  readonly isOtherTreatment: boolean;
}

/**
 * A snapshot starts over. Lists of the respondents whom pages have shown, and that were read down to a later start date, are
 * void: they lack what is older. Nobody knows when a time was written by hand: the lookback before it is read again.
 */
export function usableState(
  stored: InitialState,
  definition: Pick<StreamDefinition, "reads" | "isSnapshot">,
  {
    startDate,
    lookbackMs,
    treatment,
    respondentUuids,
    isEverySurvey,
  }: Pick<Settings, "startDate" | "lookbackMs" | "treatment" | "respondentUuids" | "isEverySurvey">,
): UsableState {
  const state = definition.isSnapshot ? EMPTY_STATE : stored;
  const hasLists = definition.reads === "respondent responses";
  const readDownTo = hasLists ? state.startDate : undefined;
  const isVoid =
    !isEverySurvey && readDownTo !== undefined && (startDate === undefined || startDate < readDownTo);
  const { surveys, respondents } = isVoid ? EMPTY_STATE : state;
  const respondentKeys = new Set(hasLists ? respondentUuids.map(respondentKey) : []);
  const { collectedAt } = state;
  return {
    surveys,
    respondentKeys,
    respondents: new Map([...respondents].filter(([key]) => respondentKeys.has(key))),
    startDate: hasLists ? startDate : undefined,
    unknown: collectedAt === undefined ? NOTHING : [[null, addMicroseconds(collectedAt, -1000 * lookbackMs)]],
    collectedAt,
    isOtherTreatment: state !== EMPTY_STATE && state.personalData !== treatment.fingerprint,
  };
}
