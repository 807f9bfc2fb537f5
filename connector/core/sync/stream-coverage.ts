import { type Coverage, NOTHING, newestOf } from "../coverage/coverage.ts";
import { ListCoverage, type ListOptions } from "../coverage/list-coverage.ts";
import { EMPTY_STATE, type InitialState, type StateSnapshot } from "../coverage/stream-state.ts";
import { addMicroseconds, isFarAbove, latest, type Timestamp } from "../coverage/timestamp.ts";
import { certain } from "../errors.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { isEverySurveyRead } from "./surveys/survey-selection.ts";
import { isOfNamedRespondents, type Settings } from "./sync-options.ts";

/** What one stream has covered of each survey, and its state. */
export class StreamCoverage {
  /** Whether an earlier sync has covered something of it. */
  readonly hasState: boolean;
  readonly #stored: UsableState;
  readonly #treatment: Settings["treatment"];
  readonly #list: Omit<ListOptions, "present">;
  /** The lists of the surveys that this sync reads. */
  readonly #read = new Map<string, ListCoverage>();
  /** What the state says of each survey that it names: of those that are not read, too, and of some nothing. */
  readonly #surveys: Map<string, Coverage>;
  /** Whether each survey that the sync should read is known: then a time that was written by hand is no longer needed. */
  #areAllKnown = false;
  /** Undefined if something has changed since it was asked for. */
  #state: StateSnapshot | undefined;

  /** `stored`: the stream's state when the sync began. */
  constructor(definition: StreamDefinition, stored: InitialState, settings: Settings) {
    const { startDate: older = null, endDate: newer, lookbackMs, treatment } = settings;
    this.#stored = usableState(stored, definition, settings);
    this.#treatment = treatment;
    this.#list = { wanted: { older, newer }, lookbackMs, isSnapshot: definition.isSnapshot ?? false };
    this.#surveys = new Map(this.#stored.surveys);
    this.hasState = [...this.#surveys.values()].some(({ length }) => length > 0);
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
   * This sync reads these surveys. All others keep what the state says. `present`: a state that reaches above it is cut there
   * (S12). `areAll`: there are no others that it should read.
   * @returns the surveys whose state was cut by more than clocks differ
   */
  begin(surveyIds: readonly string[], present: Timestamp, areAll: boolean): string[] {
    this.#areAllKnown = areAll;
    const onChange = (): void => {
      this.#state = undefined;
    };
    onChange();
    return surveyIds.filter((id) => {
      const known = this.#surveys.get(id) ?? this.#stored.others;
      const list = new ListCoverage(known, { ...this.#list, present }, onChange);
      this.#read.set(id, list);
      this.#surveys.set(id, list.covered);
      return isFarAbove(newestOf(known), present);
    });
  }

  /** The list of a survey that this sync reads. */
  of(surveyId: string): ListCoverage {
    return certain(this.#read.get(surveyId), "the list");
  }

  includes(surveyId: string): boolean {
    return this.#read.has(surveyId);
  }

  /** Nothing of the survey counts as read any more, and no state names it. */
  forget(surveyId: string): void {
    this.#surveys.delete(surveyId);
    this.#state = undefined;
  }

  /**
   * The state. The same object comes again until something changes: a sync that finds nothing new has one, and an adapter need
   * not make its text again to see that.
   */
  state(): StateSnapshot {
    this.#state ??= { toJSON: () => this.#toJSON() };
    return this.#state;
  }

  #toJSON(): ReturnType<StateSnapshot["toJSON"]> {
    const { startDate, collectedAt } = this.#stored;
    const { fingerprint } = this.#treatment;
    return {
      version: 1,
      surveys: Object.fromEntries([...this.#surveys].map(([id, covered]) => [id, [...covered]])),
      ...(startDate !== undefined && { start_date: startDate }),
      ...(fingerprint !== undefined && { personal_data: fingerprint }),
      ...(collectedAt !== undefined && !this.#areAllKnown && { collected_at: collectedAt }),
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
 * void: they lack what is older. A stream of which named respondents are read keeps what it has, for the day on which nobody
 * is named any more. Nobody knows when a time was written by hand: the lookback before it is read again.
 */
export function usableState(
  stored: InitialState,
  definition: Pick<StreamDefinition, "reads" | "isSnapshot">,
  settings: Pick<Settings, "startDate" | "lookbackMs" | "treatment" | "surveyIds" | "respondentUuids">,
): UsableState {
  const { startDate, lookbackMs, treatment } = settings;
  const state = definition.isSnapshot ? EMPTY_STATE : stored;
  const isKept = isOfNamedRespondents(definition, settings);
  const hasLists = definition.reads === "respondent responses";
  const areListsRead = hasLists && !isKept && !isEverySurveyRead(settings);
  const wasReadDownTo = areListsRead ? state.startDate : undefined;
  const isVoid = wasReadDownTo !== undefined && (startDate === undefined || startDate < wasReadDownTo);
  const isReadDownTo = isKept ? state.startDate : startDate;
  const { surveys } = isVoid ? EMPTY_STATE : state;
  const { collectedAt } = state;
  return {
    surveys,
    startDate: hasLists ? isReadDownTo : undefined,
    others: collectedAt === undefined ? NOTHING : [[null, addMicroseconds(collectedAt, -1000 * lookbackMs)]],
    collectedAt,
    isOtherTreatment: state !== EMPTY_STATE && state.personalData !== treatment.fingerprint,
  };
}
