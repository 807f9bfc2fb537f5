import { STREAMS, type StreamName } from "@survey-export/core";
import { answerKeys, attributeKey, responseKey } from "../../../sandbox/index.ts";
import type { History, Who } from "./history.ts";
import { createListService, type ListService, type Response } from "./list-service.ts";

export const isOfSurveys = (stream: StreamName): boolean => STREAMS[stream].reads === "survey responses";
export const isOfAttributes = (stream: StreamName): boolean =>
  STREAMS[stream].reads === "respondent attributes";
export const surveyId = (survey: number): string => `s${survey}`;

/**
 * The data of a history, and the keys of the records that each stream must hold of it, as the sandbox counts them.
 * So the model proves the reading of every stream, and nothing about what its records hold.
 */
export class Truth {
  /** UUIDs as the service spells them, with letters, so that capitals differ. */
  readonly people: readonly string[];
  readonly service: ListService;
  readonly #attributeCounts: Map<string, number>;
  /** How many attributes its person had when a response was given. */
  readonly #attributesAt = new Map<Response, number>();
  readonly #shown = new Map<Response, string>();
  readonly #keys = new Map<string, readonly string[]>();
  #count = 0;

  constructor({ dialect, attributeCounts }: History) {
    this.people = attributeCounts.map(
      (_, person) => `fedcba98-00ab-4cde-8fab-${String(person).padStart(12, "0")}`,
    );
    this.#attributeCounts = new Map(this.people.map((person, place) => [person, attributeCounts[place]!]));
    this.service = createListService(dialect, this.#attributeCounts);
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

  add(survey: number, person: string, at: number): Response {
    const response = { uuid: `r${++this.#count}`, survey: surveyId(survey), person, at };
    this.#attributesAt.set(response, this.#attributeCounts.get(person)!);
    this.service.add(response);
    return response;
  }

  /** The person has one attribute more. */
  addAttribute(person: string): void {
    this.#attributeCounts.set(person, this.#attributeCounts.get(person)! + 1);
  }

  /** A response's `collected_at` as surveys' lists show it. */
  shownOf(response: Response): string {
    const known = this.#shown.get(response);
    if (known !== undefined) return known;
    const shown = this.service.shown(response);
    this.#shown.set(response, shown);
    return shown;
  }

  shownToPeople(response: Response): string {
    return this.service.item(response, "respondents").response.collected_at;
  }

  keysOf(stream: StreamName, response: Response): readonly string[] {
    return this.#madeOnce(`${stream} ${response.uuid}`, () =>
      stream === "survey_answers"
        ? answerKeys(this.service.item(response, "surveys").response)
        : [responseKey(response)],
    );
  }

  /** The attributes that the person had when the response was given. */
  attributesAsOf(stream: StreamName, response: Response): string[] {
    const count = this.#attributesAt.get(response)!;
    return Array.from({ length: count }, (_, place) => place + 1).flatMap((id) =>
      this.attributeKeys(stream, response.person, id),
    );
  }

  attributeKeys(stream: StreamName, person: string, id: number): readonly string[] {
    return this.#madeOnce(`${stream} ${person} ${id}`, () => [attributeKey(person, id)]);
  }

  #madeOnce(item: string, make: () => readonly string[]): readonly string[] {
    const known = this.#keys.get(item);
    if (known !== undefined) return known;
    // In one spelling: a configured person's UUID is in the record as the configuration spells it.
    const keys = make().map((key) => key.toLowerCase());
    this.#keys.set(item, keys);
    return keys;
  }
}
