import { addMicroseconds, STREAMS, type StreamName, type Timestamp } from "@survey-export/core";
import { answerKeys, attributeKey, responseKey } from "../../../sandbox/index.ts";
import { createListService, type ListService, type Response } from "../../support/list-service.ts";
import { type History, SURVEYS, type Who } from "./history.ts";

export const isOfSurveys = (stream: StreamName): boolean => STREAMS[stream].reads === "survey responses";
export const isOfAttributes = (stream: StreamName): boolean =>
  STREAMS[stream].reads === "respondent attributes";
/** Whether a stream is read from the lists of named people: then it has theirs alone. */
export const isOfNamed = (stream: StreamName, named: ReadonlySet<string>): boolean =>
  named.size > 0 && STREAMS[stream].reads.startsWith("respondent ");
export const surveyId = (survey: number): string => `s${survey}`;

/**
 * The data of a history, and the keys of the records that each stream must hold of it, as the sandbox counts them.
 * So the model proves the reading of every stream, and nothing about what its records hold.
 */
export class Truth {
  /** UUIDs as the service spells them, with letters, so that capitals differ. */
  readonly people: readonly string[];
  readonly surveys = Array.from({ length: SURVEYS }, (_, survey) => surveyId(survey));
  readonly service: ListService;
  readonly #attributeCounts: Map<string, number>;
  /** How many attributes its person had when a response was given. */
  readonly #attributesAt = new Map<Response, number>();
  /** A response's `collected_at` as surveys' lists show it: asked for very often. */
  readonly #shown = new Map<Response, Timestamp>();
  readonly #isNameless: (number: number) => boolean;
  /** How many of the answers that were added to a response came within the shortest lookback. */
  readonly #grewInTime = new Map<Response, number>();

  constructor({ dialect, attributeCounts, namelessEvery, statuses }: History) {
    this.people = attributeCounts.map(
      (_, person) => `fedcba98-00ab-4cde-8fab-${String(person).padStart(12, "0")}`,
    );
    this.#attributeCounts = new Map(this.people.map((person, place) => [person, attributeCounts[place]!]));
    this.#isNameless = (number) => namelessEvery !== undefined && number % namelessEvery === 0;
    this.service = createListService(dialect, this.#attributeCounts);
    for (const survey of this.surveys) this.service.setStatus(survey, "listed");
    for (const { survey, status } of statuses) this.service.setStatus(surveyId(survey), status);
  }

  get responses(): readonly Response[] {
    return this.service.responses;
  }

  person(number: number): string {
    return this.people[number % this.people.length]!;
  }

  chosen(who: Who): string[] {
    if (typeof who === "number") return [this.person(who)];
    const every = { all: 1, half: 2, fifth: 5 }[who];
    return this.people.filter((_, place) => place % every === every - 1);
  }

  add(survey: string, person: string, at: number): Response {
    const response = { uuid: `r${this.#shown.size + 1}`, survey, person, at };
    this.#attributesAt.set(response, this.#attributeCounts.get(person)!);
    this.#shown.set(response, this.service.shown(response));
    this.service.add(response);
    return response;
  }

  /** The response has one answer more. `isInTime`: it is not older than the shortest lookback. */
  grow(response: Response, isInTime: boolean): void {
    this.service.grow(response);
    if (isInTime) this.#grewInTime.set(response, this.service.answersAddedTo(response));
  }

  /** How many of the answers that were added to it must come, sooner or later. */
  dueOf = (response: Response): number => this.#grewInTime.get(response) ?? 0;

  /** The person has one attribute more. */
  addAttribute(person: string): void {
    this.#attributeCounts.set(person, this.#attributeCounts.get(person)! + 1);
  }

  /** Whether the response names nobody, permanently. */
  isNameless = ({ uuid }: Response): boolean => this.#isNameless(Number(uuid.slice(1)));

  shownOf = (response: Response): Timestamp => this.#shown.get(response)!;

  /** `added`: with so many of the answers that were added to it. */
  keysOf(stream: StreamName, response: Response, added = this.dueOf(response)): readonly string[] {
    if (stream !== "survey_answers") return [responseKey(response)];
    return answerKeys(this.service.item(response, "surveys", added).response);
  }

  /** The keys of the attributes that the person had when the response was given. */
  attributesAsOf(response: Response): string[] {
    return Array.from({ length: this.#attributesAt.get(response)! }, (_, place) =>
      attributeKey(response.person, place + 1),
    );
  }

  /** The items of a person's list, in its order, with the keys of their records. */
  listed(person: string, of: "responses" | "attributes"): Listed[] {
    return of === "responses"
      ? this.service.responsesOf(person).map((each) => ({ id: each.uuid, key: responseKey(each) }))
      : this.service.attributeIds(person).map((id) => ({ id, key: attributeKey(person, id) }));
  }
}

export interface Listed {
  readonly id: string | number;
  readonly key: string;
}

/** What the service did not show in one sync, or not as the document says (spec/sync.md, "What this gives up"). */
export class OutOfReach {
  /** Surveys of which a complete stream may lack what its state does not cover. */
  readonly surveys = new Set<string>();
  /** Surveys that the list of surveys showed for the first time when it was read again: they are read or not. */
  readonly optional = new Set<string>();
  /** Responses that named nobody: they lead to no person. */
  readonly nameless = new Set<Response>();
  /** Responses that pages of their survey have hidden, which two of them may have done. */
  readonly hidden = new Set<Response>();
  /** How many pages have hidden some. */
  lies = 0;
  readonly lists = { responses: new PeopleLists(), attributes: new PeopleLists() };
}

/** All people's lists of one kind, in one sync. */
export class PeopleLists {
  /** People whose list failed in some way, at least once. */
  readonly odd = new Set<string>();
  /** In the order in which the service has answered: whom it has found, and whom not. */
  readonly #answers: { readonly person: string; readonly isFound: boolean }[] = [];
  /** The newest timestamp that a person's list showed; undefined if it showed none. */
  readonly #newest = new Map<string, Timestamp | undefined>();
  /** Keys of records that a list omitted although it looked whole. */
  readonly #hidden = new Set<string>();

  notFound(person: string): void {
    this.odd.add(person);
    this.#answers.push({ person, isFound: false });
  }

  found(person: string, newest: Timestamp | undefined): void {
    this.#answers.push({ person, isFound: true });
    const before = this.#newest.get(person);
    const isOlder = newest === undefined || (before !== undefined && newest < before);
    this.#newest.set(person, isOlder ? before : newest);
  }

  hide(person: string, items: readonly Listed[]): void {
    this.odd.add(person);
    for (const { key } of items) this.#hidden.add(key);
  }

  isHidden(key: string): boolean {
    return this.#hidden.has(key);
  }

  /**
   * Whether what led to a person may be covered without the record: if they are gone, or if nothing shows that the list was
   * cut. A list of responses shows it if it is more than a second older than `lead`, the response that led there.
   */
  mayLack(person: string, key: string, lead?: Timestamp): boolean {
    if (this.#isGone(person)) return true;
    const newest = this.#newest.get(person);
    const lags = lead !== undefined && (newest === undefined || newest < addMicroseconds(lead, -1_000_000));
    return !lags && this.#hidden.has(key);
  }

  /** Two 404s, and somebody else who was found between. */
  #isGone(person: string): boolean {
    const isOwn = (each: { readonly person: string; readonly isFound: boolean }): boolean =>
      each.person === person && !each.isFound;
    const [first, last] = [this.#answers.findIndex(isOwn), this.#answers.findLastIndex(isOwn)];
    return first < last && this.#answers.slice(first, last).some(({ isFound }) => isFound);
  }
}
