import type { Truth } from "../sandbox/index.ts";

/**
 * The primary keys that the streams should hold now, by the sandbox's own count, for the streams that the sandbox
 * knows. Written without a look at the connector: it counts the answers' rows by itself.
 */
export function expectedKeys(truth: Truth): Map<string, Set<string>> {
  const surveyIds = truth.surveyIds();
  const responses = surveyIds.flatMap((id) => [...truth.responses(id)]);
  const respondents = new Set(responses.map(({ respondent_uuid }) => respondent_uuid));
  const keys = (values: readonly (readonly unknown[])[]): Set<string> =>
    new Set(values.map((value) => JSON.stringify(value)));
  return new Map([
    ["survey_responses", keys(responses.map(({ uuid }) => [uuid]))],
    ["survey_answers", keys(surveyIds.flatMap((id) => [...truth.answers(id)].flatMap(answerKeys)))],
    ["respondent_responses", keys(responses.map(({ uuid }) => [uuid]))],
    [
      "respondent_attributes",
      keys([...respondents].flatMap((uuid) => (truth.attributes(uuid) ?? []).map(({ id }) => [uuid, id]))),
    ],
  ]);
}

/** A record's key, as `expectedKeys` writes it. */
export function keyOf(data: Readonly<Record<string, unknown>>, primaryKey: readonly string[]): string {
  return JSON.stringify(primaryKey.map((field) => data[field]));
}

interface Element {
  readonly question_id: number;
  readonly answers?: readonly unknown[];
  readonly fields?: readonly unknown[];
}

/** One row for each entry of an answered question, and one where it has no list or an empty one. */
function answerKeys({ uuid, answers }: { uuid: string; answers: readonly unknown[] }): unknown[][] {
  const positions = new Map<number, number>();
  return (answers as readonly Element[]).flatMap(({ question_id: id, answers: choices, fields }) =>
    Array.from({ length: Math.max(1, (choices ?? fields ?? []).length) }, () => {
      const position = (positions.get(id) ?? 0) + 1;
      positions.set(id, position);
      return [uuid, id, position];
    }),
  );
}
