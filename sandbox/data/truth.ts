import { type Fraction, formatTimestamp } from "../time.ts";
import type { Dataset } from "./dataset.ts";
import type { AttributeRecord } from "./record.ts";
import type { ListedResponse } from "./survey.ts";

/** A response as it is in the data. */
export interface TrueResponse {
  readonly uuid: string;
  readonly survey_id: string;
  readonly respondent_uuid: string;
  /** As the service writes it. */
  readonly collected_at: string;
  /** The same in microseconds since the epoch. */
  readonly micros: number;
}

/** An item of a survey's list as it is in the data, without the attributes that a request may ask for. */
export interface TrueItem {
  readonly survey: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>> & {
    readonly uuid: string;
    /** As the service writes it. */
    readonly collected_at: string;
    readonly answers: readonly unknown[];
    readonly respondent: Readonly<Record<string, unknown>> & { readonly uuid: string };
  };
}

/**
 * The data of the service now, found by counting through it and not by the code that answers requests. Tests
 * compare the records that a client read with it.
 */
export interface Truth {
  surveyIds(): string[];
  /** The responses of one survey, oldest first, computed one by one. Throws if there is no such survey. */
  responses(surveyId: string): Iterable<TrueResponse>;
  /** What the service holds of each response of one survey, oldest first. */
  items(surveyId: string): Iterable<TrueItem>;
  /** The `answers` of each response of one survey, oldest first. */
  answers(surveyId: string): Iterable<{ readonly uuid: string; readonly answers: readonly unknown[] }>;
  count(surveyId: string): number;
  /** Everybody who answered the survey, removed respondents included. */
  respondents(surveyId: string): Set<string>;
  /** One respondent's responses to all surveys, oldest first. Counts through everything: slow on millions. */
  responsesOf(respondentUuid: string): TrueResponse[];
  /** A respondent's attributes, largest id first, or undefined for an unknown or removed respondent. */
  attributes(respondentUuid: string): readonly AttributeRecord[] | undefined;
}

/** The truth about a dataset whose timestamps are shown with this fraction. */
export function truthOf(dataset: Dataset, fraction: Fraction): Truth {
  const describe = (listed: ListedResponse): TrueResponse => ({
    uuid: listed.of.uuid(listed),
    survey_id: listed.of.id,
    respondent_uuid: listed.of.respondent(listed),
    collected_at: formatTimestamp(listed.micros, fraction),
    micros: listed.micros,
  });
  const survey = (id: string) => {
    const found = dataset.survey(id);
    if (found === undefined) throw new Error(`There is no survey "${id}".`);
    return found;
  };
  function* responses(surveyId: string): Generator<TrueResponse> {
    for (const listed of survey(surveyId).ascending()) yield describe(listed);
  }
  function* items(surveyId: string): Generator<TrueItem> {
    const { json } = survey(surveyId);
    for (const listed of survey(surveyId).ascending()) {
      const { uuid, collected_at, respondent_uuid } = describe(listed);
      const own = {
        uuid,
        collected_at,
        respondent: { uuid: respondent_uuid, attributes: [] },
        attributes: [],
      };
      const { content } = listed.of.variant(listed);
      yield { survey: JSON.parse(json), response: { ...own, ...content, ...listed.stored?.fields } };
    }
  }
  function* answers(surveyId: string) {
    for (const { response } of items(surveyId)) yield { uuid: response.uuid, answers: response.answers };
  }
  return {
    surveyIds: () => dataset.surveys().map(({ id }) => id),
    responses,
    items,
    answers,
    count: (surveyId) => survey(surveyId).count,
    respondents: (surveyId) => {
      const found = survey(surveyId);
      const everybody = new Set<string>();
      for (const listed of found.ascending()) everybody.add(found.respondent(listed));
      return everybody;
    },
    responsesOf: (respondentUuid) =>
      dataset
        .surveys()
        .flatMap(({ id }) =>
          [...responses(id)].filter((response) => response.respondent_uuid === respondentUuid),
        )
        .sort((one, other) => one.micros - other.micros),
    attributes: (respondentUuid) => {
      const records = dataset.respondents.attributes(respondentUuid);
      return records && [...records].sort((one, other) => other.id - one.id);
    },
  };
}
