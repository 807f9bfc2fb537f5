import { type Coverage, NOTHING, newestOf } from "../coverage/coverage.ts";
import { ListCoverages, type ListsSnapshot } from "../coverage/list-coverages.ts";
import { EMPTY_STATE, type InitialState, type StateSnapshot } from "../coverage/stream-state.ts";
import { addMicroseconds, latest, type Timestamp } from "../coverage/timestamp.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import type { Settings } from "./sync-options.ts";

/** What one stream has covered, and its state. */
export class StreamCoverage {
  readonly surveys: ListCoverages;
  /** Whether an earlier sync has covered something of it. */
  readonly hasState: boolean;
  readonly #stored: UsableState;
  readonly #treatment: Settings["treatment"];
  /** Whether each survey that the sync should read is known: then a time that was written by hand is no longer needed. */
  #areAllKnown = false;
  /** The last state that somebody asked for, and the coverage that it says. */
  #last: { readonly surveys: ListsSnapshot; readonly state: StateSnapshot } | undefined;

  /** `stored`: the stream's state when the sync began. */
  constructor(definition: StreamDefinition, stored: InitialState, settings: Settings) {
    const { startDate: older = null, endDate: newer, lookbackMs, treatment } = settings;
    const usable = usableState(stored, definition, settings);
    const list = { wanted: { older, newer }, lookbackMs, isWhole: definition.isSnapshot ?? false };
    this.surveys = new ListCoverages(usable.surveys, usable.others, list);
    this.hasState = [...usable.surveys.values()].some(({ length }) => length > 0);
    this.#stored = usable;
    this.#treatment = treatment;
  }

  /** Whether its state was made under another setting of personal data. */
  get isOtherTreatment(): boolean {
    return this.#stored.isOtherTreatment;
  }

  /** How far its state reached when the sync began. */
  get newestStored(): Timestamp | undefined {
    const { surveys, others } = this.#stored;
    return [...surveys.values(), others].map(newestOf).reduce(latest, undefined);
  }

  /**
   * This sync reads these surveys. `present`: a state that reaches above it is cut there (S12). `areAll`: there are no
   * others that it should read.
   * @returns the surveys whose state was cut
   */
  begin(surveyIds: readonly string[], present: Timestamp, areAll: boolean): string[] {
    this.#areAllKnown = areAll;
    this.#last = undefined;
    return this.surveys.begin(surveyIds, present);
  }

  /**
   * The state as of now; it never changes afterwards (I4). The same one comes again until something changes: a sync that finds
   * nothing new has one, and an adapter need not make its text again to see that.
   */
  state(): StateSnapshot {
    const surveys = this.surveys.snapshot();
    if (this.#last?.surveys !== surveys) this.#last = { surveys, state: this.#stateOf(surveys) };
    return this.#last.state;
  }

  #stateOf(surveys: ListsSnapshot): StateSnapshot {
    const { startDate, collectedAt } = this.#stored;
    const { fingerprint } = this.#treatment;
    const isByHand = collectedAt !== undefined && !this.#areAllKnown;
    return {
      toJSON: () => ({
        version: 1,
        surveys: surveys(),
        ...(startDate !== undefined && { start_date: startDate }),
        ...(fingerprint !== undefined && { personal_data: fingerprint }),
        ...(isByHand && { collected_at: collectedAt }),
      }),
    };
  }
}

/** What a stream's stored state is worth in a sync. */
export interface UsableState {
  readonly surveys: ReadonlyMap<string, Coverage>;
  /** Down to which date it reads them; the next state says so. */
  readonly startDate: Timestamp | undefined;
  /** What holds for a list of which the state says nothing. */
  readonly others: Coverage;
  /** As written by hand: what `others` comes from. */
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
    isEverySurvey,
  }: Pick<Settings, "startDate" | "lookbackMs" | "treatment" | "isEverySurvey">,
): UsableState {
  const state = definition.isSnapshot ? EMPTY_STATE : stored;
  const hasLists = definition.reads === "respondent responses";
  const readDownTo = hasLists ? state.startDate : undefined;
  const isVoid =
    !isEverySurvey && readDownTo !== undefined && (startDate === undefined || startDate < readDownTo);
  const { surveys } = isVoid ? EMPTY_STATE : state;
  const { collectedAt } = state;
  return {
    surveys,
    startDate: hasLists ? startDate : undefined,
    others: collectedAt === undefined ? NOTHING : [[null, addMicroseconds(collectedAt, -1000 * lookbackMs)]],
    collectedAt,
    isOtherTreatment: state !== EMPTY_STATE && state.personalData !== treatment.fingerprint,
  };
}
