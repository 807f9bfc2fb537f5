import { formatTimestamp } from "../time.ts";
import type { Dataset } from "./dataset.ts";
import type { Question } from "./question.ts";
import type { AttributeRecord } from "./respondents.ts";
import { answersOf, isGrowing, type StoredResponse, type Survey, type SurveyRecord } from "./survey.ts";

/** A response as it is in the data. */
export interface TrueResponse {
  readonly uuid: string;
  readonly survey_id: string;
  readonly respondent_uuid: string;
  /** As the service writes it. */
  readonly collected_at: string;
  /** The same in microseconds since the epoch. */
  readonly micros: number;
  /** Somebody is still answering: the lists do not show all of its answers yet. */
  readonly isGrowing: boolean;
}

/**
 * The data of the service now, read from it and not from the pages that answer requests. Tests compare the records that
 * a client read with it.
 */
export interface Truth {
  /** The list of surveys, newest first. */
  surveys(): SurveyRecord[];
  /** The list of a survey's questions. Throws if there is no such survey. */
  questions(surveyId: string): readonly Question[];
  /** The ids of all surveys, listed or not. */
  surveyIds(): string[];
  /** The responses of one survey, oldest first. Throws if there is no such survey. */
  responses(surveyId: string): readonly TrueResponse[];
  /** The `answers` of each response of one survey, oldest first, also those that the lists do not show yet. */
  answers(surveyId: string): readonly { readonly uuid: string; readonly answers: readonly unknown[] }[];
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
  const existing = (surveyId: string): Survey => {
    const survey = dataset.survey(surveyId);
    if (survey === undefined) throw new Error(`There is no survey "${surveyId}".`);
    return survey;
  };
  const stored = (surveyId: string): readonly StoredResponse[] => existing(surveyId).responses;
  return {
    surveys: () => dataset.listedSurveys().map(({ record }) => record),
    questions: (surveyId) => existing(surveyId).settings.questions,
    surveyIds: () => dataset.surveys().map(({ id }) => id),
    responses: (surveyId) => stored(surveyId).map(trueResponse),
    answers: (surveyId) =>
      stored(surveyId).map((response) => ({ uuid: response.uuid, answers: answersOf(response) })),
    count: (surveyId) => stored(surveyId).length,
    respondents: (surveyId) => new Set(stored(surveyId).map(({ respondent }) => respondent)),
    responsesOf: (respondentUuid) => dataset.responsesOf(respondentUuid).map(trueResponse).reverse(),
    newest: (count) => dataset.newest(count).map(trueResponse),
    attributes: (respondentUuid) => dataset.respondents.attributes(respondentUuid),
  };
}

function trueResponse(response: StoredResponse): TrueResponse {
  const { uuid, survey, respondent, micros } = response;
  return {
    uuid,
    survey_id: survey.id,
    respondent_uuid: respondent,
    collected_at: formatTimestamp(micros),
    micros,
    isGrowing: isGrowing(response),
  };
}

/** The streams whose records stay in a table. The snapshot streams get new keys in each sync. */
export const KEYED_STREAMS = [
  "survey_responses",
  "survey_answers",
  "respondent_responses",
  "respondent_attributes",
] as const;
type KeyedStream = (typeof KEYED_STREAMS)[number];

/**
 * The primary keys that each stream must hold after a whole sync of all surveys, as `keyOf` writes them. Counted from
 * the truth alone, so that no code of a reader takes part. `isRead` chooses responses, such as those since a start
 * date. The people are those who gave such a response, and all their responses that are read come.
 */
export function expectedKeys(
  truth: Truth,
  isRead: (response: TrueResponse) => boolean = () => true,
): Map<KeyedStream, Set<string>> {
  const ids = truth.surveyIds();
  const read = ids.flatMap((id) => truth.responses(id)).filter(isRead);
  const uuids = new Set(read.map(({ uuid }) => uuid));
  const answered = ids.flatMap((id) => truth.answers(id)).filter(({ uuid }) => uuids.has(uuid));
  const people = [...new Set(read.map(({ respondent_uuid }) => respondent_uuid))];
  const attributes = people.flatMap((uuid) =>
    (truth.attributes(uuid) ?? []).map(({ id }) => attributeKey(uuid, id)),
  );
  return new Map([
    ["survey_responses", new Set(read.map(responseKey))],
    ["survey_answers", new Set(answered.flatMap(answerKeys))],
    ["respondent_responses", new Set(read.map(responseKey))],
    ["respondent_attributes", new Set(attributes)],
  ]);
}

/** The keys that `surveys` and `survey_questions` must hold after a sync of all surveys that are listed. */
export function surveyKeys(truth: Truth): Map<"surveys" | "survey_questions", Set<string>> {
  const surveys = truth.surveys().map(({ id }) => id);
  const questions = surveys.flatMap((survey) => truth.questions(survey).map(({ id }) => [survey, id]));
  return new Map([
    ["surveys", new Set(surveys.map((id) => JSON.stringify([id])))],
    ["survey_questions", new Set(questions.map((key) => JSON.stringify(key)))],
  ]);
}

/** A record's key, as `expectedKeys` writes it. */
export const keyOf = (record: object, primaryKey: readonly string[]): string =>
  JSON.stringify(primaryKey.map((field) => (record as Readonly<Record<string, unknown>>)[field]));

/** The key of a response in `survey_responses` and `respondent_responses`. */
export const responseKey = ({ uuid }: { readonly uuid: string }): string => JSON.stringify([uuid]);

/** The key of an attribute in `respondent_attributes`. */
export const attributeKey = (respondentUuid: string, id: number): string =>
  JSON.stringify([respondentUuid, id]);

interface Answered {
  readonly question_id: number;
  readonly answers?: readonly unknown[];
  readonly fields?: readonly unknown[];
}

/** The keys of a response in `survey_answers`: one for each entry of a question's list, or one for the question. */
export function answerKeys(response: {
  readonly uuid: string;
  readonly answers: readonly unknown[];
}): string[] {
  const positions = new Map<number, number>();
  return (response.answers as readonly Answered[]).flatMap(({ question_id, answers, fields }) =>
    Array.from({ length: Math.max(1, (answers ?? fields ?? []).length) }, () => {
      const position = (positions.get(question_id) ?? 0) + 1;
      positions.set(question_id, position);
      return JSON.stringify([response.uuid, question_id, position]);
    }),
  );
}
