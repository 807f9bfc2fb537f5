import { newestOf } from "../coverage/coverage.ts";
import { ListCoverages } from "../coverage/list-coverages.ts";
import type { InitialState, StateSnapshot } from "../coverage/stream-state.ts";
import { latest, type Timestamp } from "../coverage/timestamp.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { type UsableState, usableState } from "./stored-state.ts";
import type { Settings } from "./sync-options.ts";

/** What one stream has covered, and its state. */
export class StreamCoverage {
  readonly surveys: ListCoverages;
  /** The lists of the respondents that the configuration names, in a stream whose state has them. */
  readonly respondents: ListCoverages;
  readonly #stored: UsableState;
  readonly #treatment: Settings["treatment"];
  /** Whether each survey that the sync should read is known: then a time that was written by hand is no longer needed. */
  #areAllKnown = false;
  /** The state as of now, once somebody has asked for it. */
  #state: StateSnapshot | undefined;

  /** `stored`: the stream's state when the sync began. */
  constructor(definition: StreamDefinition, stored: InitialState, settings: Settings) {
    const { startDate: older = null, endDate: newer, lookbackMs, treatment } = settings;
    const usable = usableState(stored, definition, settings);
    const list = { wanted: { older, newer }, lookbackMs, isWhole: definition.isSnapshot ?? false };
    this.surveys = new ListCoverages(usable.surveys, usable.unknown, list);
    this.respondents = new ListCoverages(usable.respondents, usable.unknown, list);
    this.#stored = usable;
    this.#treatment = treatment;
  }

  /** Whether its state was made under another setting of personal data. */
  get isOtherTreatment(): boolean {
    return this.#stored.isOtherTreatment;
  }

  /** How far its state reached when the sync began. */
  get newestStored(): Timestamp | undefined {
    const { surveys, respondents, unknown } = this.#stored;
    return [...surveys.values(), ...respondents.values(), unknown].map(newestOf).reduce(latest, undefined);
  }

  /** Whether an earlier sync has covered something of it. */
  get hasState(): boolean {
    return [...this.#stored.surveys.values()].some(({ length }) => length > 0);
  }

  /**
   * This sync reads these surveys. `present`: a state that reaches above it is cut there (S12). `areAll`: there are no
   * others that it should read.
   * @returns the surveys whose state was cut
   */
  begin(surveyIds: readonly string[], present: Timestamp, areAll: boolean): string[] {
    this.respondents.begin([...this.#stored.respondentKeys], present);
    this.#areAllKnown = areAll;
    this.#state = undefined;
    return this.surveys.begin(surveyIds, present);
  }

  /** A survey that is gone: if it comes back, it is read from its beginning. */
  forget(surveyId: string): void {
    this.surveys.forget(surveyId);
    this.#state = undefined;
  }

  /** Changes the coverage of a list. */
  change(work: () => void): void {
    work();
    this.#state = undefined;
  }

  /** The state as of now; it never changes afterwards (I4). */
  state(): StateSnapshot {
    this.#state ??= this.#snapshot();
    return this.#state;
  }

  #snapshot(): StateSnapshot {
    const [surveys, respondents] = [this.surveys.snapshot(), this.respondents.snapshot()];
    const { startDate, collectedAt } = this.#stored;
    const { fingerprint } = this.#treatment;
    const isByHand = collectedAt !== undefined && !this.#areAllKnown;
    return {
      toJSON: () => {
        const lists = respondents();
        return {
          version: 1,
          surveys: surveys(),
          ...(Object.keys(lists).length > 0 && { respondents: lists }),
          ...(startDate !== undefined && { start_date: startDate }),
          ...(fingerprint !== undefined && { personal_data: fingerprint }),
          ...(isByHand && { collected_at: collectedAt }),
        };
      },
    };
  }
}
