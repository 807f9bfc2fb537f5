import { formatTimestamp } from "../time.ts";
import type { Dataset } from "./dataset.ts";
import type { AttributeRecord } from "./record.ts";
import { comparePositions, type StoredResponse } from "./survey.ts";

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

/**
 * The data of the service now, read from it and not from the pages that answer requests. Tests compare the records that
 * a client read with it.
 */
export interface Truth {
  surveyIds(): string[];
  /** The responses of one survey, oldest first. Throws if there is no such survey. */
  responses(surveyId: string): Iterable<TrueResponse>;
  /** The `answers` of each response of one survey, oldest first. */
  answers(surveyId: string): Iterable<{ readonly uuid: string; readonly answers: readonly unknown[] }>;
  count(surveyId: string): number;
  /** Everybody who answered the survey, removed respondents included. */
  respondents(surveyId: string): Set<string>;
  /** One respondent's responses to all surveys, oldest first. */
  responsesOf(respondentUuid: string): TrueResponse[];
  /** The newest responses of all surveys, newest first. */
  newest(count: number): TrueResponse[];
  /** A respondent's attributes, largest id first, or undefined for an unknown or removed respondent. */
  attributes(respondentUuid: string): readonly AttributeRecord[] | undefined;
}

/** The truth about a dataset. */
export function truthOf(dataset: Dataset): Truth {
  const stored = (surveyId: string): readonly StoredResponse[] => {
    const survey = dataset.survey(surveyId);
    if (survey === undefined) throw new Error(`There is no survey "${surveyId}".`);
    return survey.responses;
  };
  return {
    surveyIds: () => dataset.surveys().map(({ id }) => id),
    responses: (surveyId) => stored(surveyId).map(trueResponse),
    answers: (surveyId) =>
      stored(surveyId).map((response) => ({
        uuid: response.uuid,
        answers: (response.fields?.answers ?? response.survey.variant(response).content.answers) as unknown[],
      })),
    count: (surveyId) => stored(surveyId).length,
    respondents: (surveyId) => new Set(stored(surveyId).map(({ respondent }) => respondent)),
    responsesOf: (respondentUuid) =>
      dataset
        .surveys()
        .flatMap(({ responses }) => responses.filter(({ respondent }) => respondent === respondentUuid))
        .sort(comparePositions)
        .map(trueResponse),
    newest: (count) => dataset.newest(count).map(trueResponse),
    attributes: (respondentUuid) =>
      dataset.respondents.attributes(respondentUuid)?.toSorted((one, other) => other.id - one.id),
  };
}

const trueResponse = ({ uuid, survey, respondent, micros }: StoredResponse): TrueResponse => ({
  uuid,
  survey_id: survey.id,
  respondent_uuid: respondent,
  collected_at: formatTimestamp(micros),
  micros,
});
