import assert from "node:assert/strict";
import { STREAMS, type StateSnapshot, type StreamName } from "@survey-export/core";
import { type Response, timestampAt } from "../../support/list-service.ts";
import type { Replica } from "../../support/sync.ts";
import type { PlayedSettings } from "./history.ts";
import {
  isOfAttributes,
  isOfNamed,
  isOfSurveys,
  type OutOfReach,
  type PeopleLists,
  type Truth,
} from "./truth.ts";

type Range = readonly [older: string | null, newer: string];
type Ranges = Readonly<Record<string, readonly Range[]>>;
/** The fields of a state that the rules are about. */
export interface State {
  readonly surveys: Ranges;
  readonly start_date?: string;
}
export const stateOf = (state: StateSnapshot): State => state.toJSON() as unknown as State;

const isInside = (ranges: readonly Range[] | undefined, timestamp: string): boolean =>
  ranges?.some(([older, newer]) => (older === null || older < timestamp) && timestamp < newer) ?? false;

/** The parts of a survey between two timestamps that a state does not cover. */
export function holesBetween(state: State, survey: string, older: string, newer: string): Range[] {
  const ranges = state.surveys[survey] ?? [];
  return ranges
    .slice(1)
    .map(([to], place): Range => [ranges[place]![1], to!])
    .filter(([, to]) => to > older && to < newer);
}

export interface StreamCheckOptions {
  readonly stream: StreamName;
  readonly settings: PlayedSettings;
  /** Those that the sync is to read: all of them are known before a state covers anything. */
  readonly surveys: ReadonlySet<string>;
  readonly truth: Truth;
  readonly replica: Replica;
  readonly outOfReach: OutOfReach;
  /** Whether a survey that nobody named has answered 404, and is not listed after that. */
  readonly isGone: (survey: string) => boolean;
  /** Responses that earlier syncs have given up for this stream. */
  readonly givenUp: ReadonlySet<Response>;
  /** What was there when the sync began, with the number of answers that had been added to it. */
  readonly existing: ReadonlyMap<Response, number>;
}

/**
 * Holds the states of one stream in one sync against what was delivered.
 *
 * What a state covers, strictly inside an interval, has been delivered, since nothing appears or grows there any more. In
 * the streams that read people, so has what the response leads to: the attributes that its person had by then, or what
 * they answered to other surveys before. This is asked in the sync in which the response becomes covered, since only that
 * sync knows which lists were odd. A complete stream has delivered all that existed when it began, but for what it does
 * not cover, and something was odd.
 */
export class StreamCheck {
  readonly #o: StreamCheckOptions;
  readonly #surveys: ReadonlySet<string>;
  /** The state that the sync was given, if any. */
  readonly #before: State | undefined;
  readonly #lists: PeopleLists;
  readonly #from: number;
  readonly #to: number;
  /** Whether the stream holds what people answered. */
  readonly #holdsResponsesOfPeople: boolean;
  /** Whether it is read from the lists of named people, and so from no survey. */
  readonly #isOfNamed: boolean;

  constructor(options: StreamCheckOptions) {
    this.#o = options;
    const { stream, settings, surveys, replica, outOfReach } = options;
    this.#surveys = surveys;
    this.#before = replica.state(stream) as State | undefined;
    this.#lists = outOfReach.lists[isOfAttributes(stream) ? "attributes" : "responses"];
    this.#from = settings.startDate ?? 0;
    this.#to = settings.endDate ?? Number.POSITIVE_INFINITY;
    this.#holdsResponsesOfPeople = STREAMS[stream].reads === "respondent responses";
    this.#isOfNamed = isOfNamed(stream, settings.respondents);
  }

  state(state: State): void {
    this.#checkForm(state);
    const { truth } = this.#o;
    for (const response of truth.responses) {
      const covered = state.surveys[response.survey];
      if (!isInside(covered, truth.shownOf(response)) || this.#isGivenUp(response)) continue;
      this.#expect(this.#ownKeys(response), "is covered", response, state);
      if (this.#surveys.has(response.survey) && this.#isNew(response))
        this.#expect(this.#keysLedTo(response, true), "was led to", response, state);
    }
  }

  complete(state: State): void {
    if (this.#isOfNamed) this.#completeOfNamed(state);
    else this.#completeOfSurveys(state);
  }

  #completeOfSurveys(state: State): void {
    const { truth, existing, outOfReach } = this.#o;
    for (const response of truth.responses) {
      if (!existing.has(response) || !this.#surveys.has(response.survey) || !this.#isWanted(response))
        continue;
      if (this.#isGivenUp(response)) continue;
      const isCovered = isInside(state.surveys[response.survey], truth.shownOf(response));
      if (!isCovered && (outOfReach.surveys.has(response.survey) || this.#mayBeUnread(response.survey)))
        continue;
      const why = "is there, and the stream is complete,";
      const added = isCovered ? undefined : Math.min(existing.get(response)!, truth.dueOf(response));
      this.#expect(this.#ownKeys(response, added), why, response, state);
      if (!isCovered && this.#isNew(response) && !this.#lists.odd.has(response.person))
        this.#expect(this.#keysLedTo(response, false), why, response, state);
    }
  }

  /** Everything that the named people had when the sync began, and still have. */
  #completeOfNamed(state: State): void {
    const { stream, settings, truth, existing } = this.#o;
    const isDue = ({ person }: Response): boolean =>
      settings.respondents.has(person) && !this.#lists.odd.has(person);
    if (isOfAttributes(stream)) {
      for (const response of existing.keys())
        if (isDue(response))
          this.#expect(truth.attributesAsOf(response), "is of somebody who is named", response, state);
      return;
    }
    for (const response of truth.responses)
      if (existing.has(response) && this.#isWanted(response) && isDue(response))
        this.#expect(this.#keysInList(response), "is of somebody who is named", response, state);
  }

  /** Whether a complete stream may lack a survey: it is gone, or was listed too late. */
  #mayBeUnread(survey: string): boolean {
    return this.#o.isGone(survey) || this.#o.outOfReach.optional.has(survey);
  }

  /** Surveys that the stream's state has told of, and does not any more. */
  get forgotten(): string[] {
    if (this.#startsOver) return [];
    const kept = new Set(this.kept);
    return Object.keys(this.#before?.surveys ?? {}).filter((id) => !kept.has(id));
  }

  get kept(): string[] {
    return Object.keys(this.#now?.surveys ?? {});
  }

  /** The state tells of the surveys as it did before. */
  checkUnchanged(): void {
    if (!this.#startsOver) assert.deepEqual(this.#now?.surveys ?? {}, this.#before?.surveys ?? {});
  }

  get #now(): State | undefined {
    return this.#o.replica.state(this.#o.stream) as State | undefined;
  }

  #expect(keys: readonly string[], why: string, { uuid, survey, at }: Response, state: State): void {
    const { stream, replica } = this.#o;
    const missing = keys.filter((key) => !replica.has(stream, key));
    if (missing.length === 0) return;
    const what = `${missing.join(", ")} ${why} and was not delivered (${uuid}, ${survey}, ${timestampAt(at)})`;
    assert.fail(`${stream}: ${what}: ${JSON.stringify(state)}`);
  }

  #checkForm({ surveys, start_date, ...others }: State): void {
    const { stream, settings } = this.#o;
    const { startDate } = settings;
    const readFrom =
      this.#holdsResponsesOfPeople && startDate !== undefined ? timestampAt(startDate) : undefined;
    const due = this.#isOfNamed ? this.#before?.start_date : readFrom;
    assert.equal(start_date, due, `${stream}: the start date is in the state`);
    if (this.#isOfNamed)
      for (const [id, ranges] of Object.entries(surveys))
        assert.deepEqual(ranges, this.#before?.surveys[id], `${stream}: nothing of ${id} is covered`);
    assert.deepEqual(others, { version: 1 }, `${stream}: a state names nobody`);
    for (const ranges of Object.values(surveys)) {
      for (const [place, [older, newer]] of ranges.entries()) {
        const below = ranges[place - 1]?.[1];
        const isApart = below === undefined || (older !== null && below < older);
        assert.ok(isApart && (older ?? "") <= newer, `${stream}: ranges are sorted and apart`);
      }
    }
  }

  #isWanted({ at }: Response): boolean {
    return this.#from <= at && at <= this.#to;
  }

  /** Whether this sync reads the response's survey there, so that what it leads to is asked for now. */
  #isNew(response: Response): boolean {
    const { survey } = response;
    if (this.#startsOver) return true;
    return !this.#wasCovered(this.#before?.surveys[survey], this.#o.truth.shownOf(response));
  }

  /** The lists of people on pages are read down to the start date, so their stream starts over if that is earlier than before. */
  get #startsOver(): boolean {
    const { startDate, isOfEverySurvey } = this.#o.settings;
    if (isOfEverySurvey || this.#isOfNamed) return false;
    const from = startDate === undefined ? "" : timestampAt(startDate);
    return this.#holdsResponsesOfPeople && from < (this.#before?.start_date ?? "");
  }

  /** When the sync began: strictly inside, or at the start date. */
  #wasCovered(ranges: readonly Range[] | undefined, shown: string): boolean {
    const isStart = shown === timestampAt(this.#from);
    return isInside(ranges, shown) || (isStart && (ranges?.some(([older]) => older === shown) ?? false));
  }

  #isGivenUp(response: Response): boolean {
    const { stream, givenUp, outOfReach } = this.#o;
    const { hidden, nameless } = outOfReach;
    if (givenUp.has(response) || hidden.has(response)) return true;
    return !isOfSurveys(stream) && nameless.has(response);
  }

  /** Of the records that the survey's page brings. */
  #ownKeys(response: Response, added?: number): readonly string[] {
    const { stream, truth } = this.#o;
    return isOfAttributes(stream) ? [] : truth.keysOf(stream, response, added);
  }

  /** Of the records that the list of the response's person brings, as far as they must have come. */
  #keysLedTo(lead: Response, isCovered: boolean): string[] {
    const { stream, settings, truth, existing } = this.#o;
    const { person } = lead;
    if (isOfSurveys(stream)) return [];
    if (isOfAttributes(stream))
      return truth.attributesAsOf(lead).filter((key) => !this.#lists.mayLack(person, key));
    if (settings.isOfEverySurvey) return [];
    return truth.responses
      .filter((other) => {
        if (other.person !== person || other.at > lead.at || this.#surveys.has(other.survey)) return false;
        return this.#isWanted(other) && (isCovered || existing.has(other));
      })
      .flatMap((other) => truth.keysOf(stream, other))
      .filter((key) => !this.#lists.mayLack(person, key, truth.shownOf(lead)));
  }

  #keysInList(response: Response): readonly string[] {
    const { stream, truth } = this.#o;
    return truth.keysOf(stream, response).filter((key) => !this.#lists.isHidden(key));
  }
}
