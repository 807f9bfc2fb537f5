import type { TrueResponse, Truth } from "./truth.ts";

/** The streams whose records stay in a table. The snapshot streams get new keys in each sync. */
export const KEYED_STREAMS = [
  "survey_responses",
  "survey_answers",
  "respondent_responses",
  "respondent_attributes",
] as const;
export type KeyedStream = (typeof KEYED_STREAMS)[number];

/** What a reader was configured to read. Without a field: all there is. */
export interface Reading {
  readonly surveyIds?: readonly string[];
  /** Respondents that are read besides those who answered the surveys. */
  readonly respondentUuids?: readonly string[];
  /** Chooses responses, such as those since a start date. It applies to the surveys' responses and to their people. */
  readonly isRead?: (response: TrueResponse) => boolean;
}

/**
 * The primary keys that each stream must hold after a whole sync, as `keyOf` writes them. Counted from the truth
 * alone, so that no code of a reader takes part. The people of `respondent_responses` and `respondent_attributes` are
 * those who gave a response that is read; all their responses that are read come, to any survey.
 */
export function expectedKeys(truth: Truth, reading: Reading = {}): Map<KeyedStream, Set<string>> {
  const { surveyIds = truth.surveyIds(), respondentUuids = [], isRead = () => true } = reading;
  const read = surveyIds.flatMap((id) => [...truth.responses(id)]).filter(isRead);
  const people = new Set([...read.map((response) => response.respondent_uuid), ...respondentUuids]);
  const theirs = truth
    .surveyIds()
    .flatMap((id) => [...truth.responses(id)])
    .filter((response) => people.has(response.respondent_uuid) && isRead(response));
  const known = new Set(read.map(({ uuid }) => uuid));
  const answered = surveyIds.flatMap((id) => [...truth.answers(id)]).filter(({ uuid }) => known.has(uuid));
  const attributes = [...people].flatMap((uuid) =>
    (truth.attributes(uuid) ?? []).map(({ id }) => attributeKey(uuid, id)),
  );
  return new Map([
    ["survey_responses", new Set(read.map(responseKey))],
    ["survey_answers", new Set(answered.flatMap(answerKeys))],
    ["respondent_responses", new Set(theirs.map(responseKey))],
    ["respondent_attributes", new Set(attributes)],
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

interface Answered {
  readonly question_id: number;
  readonly answers?: readonly unknown[];
  readonly fields?: readonly unknown[];
}
