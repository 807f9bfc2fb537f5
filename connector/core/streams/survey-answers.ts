import { QUESTION_TYPES } from "../answers/answer-fields.ts";
import { ANSWER_KINDS } from "../answers/answer-kinds.ts";
import type { Item } from "../lists/item.ts";
import { answerRows } from "./answer-rows.ts";
import type { Columns, RecordOf } from "./column.ts";
import { defineStream, type Origin } from "./definition.ts";
import { RESPONSE_COLUMNS, respondentUuid, surveyId, surveyName } from "./response-record.ts";

const COLUMNS = {
  response_uuid: {
    type: "string",
    description:
      "Identifier of the response that the answer belongs to: uuid in survey_responses. First part of the stream's primary key.",
    from: "response.uuid",
    holds: { plain: "an id that the service makes" },
  },
  collected_at: RESPONSE_COLUMNS.collected_at,
  survey_id: RESPONSE_COLUMNS.survey_id,
  survey_name: RESPONSE_COLUMNS.survey_name,
  respondent_uuid: RESPONSE_COLUMNS.respondent_uuid,
  question_id: {
    type: "integer",
    description:
      "Identifier of the question. It is unique and never changes. Second part of the stream's primary key.",
    from: "one answer",
    holds: { plain: "an id that the service makes" },
  },
  question_type: {
    type: ["string", "null"],
    description: `Kind of the question, as the service names it. Known values: ${QUESTION_TYPES.join(", ")}.`,
    from: "one answer",
    holds: { plain: "one of the service's own words" },
  },
  position: {
    type: "integer",
    description:
      "Number of the row among the rows of this question in this response: 1, 2, … in the service's order. Third part of the stream's primary key.",
    from: "one answer",
    holds: { plain: "our own count" },
  },
  answer_type: {
    type: "string",
    description: `Kind of the answer, derived from the fields it has and not from question_type: ${Object.keys(ANSWER_KINDS).join(", ")}, or other if the fields are not known.`,
    from: "one answer",
    holds: { plain: "one of our own words" },
  },
  answer_id: {
    type: ["integer", "null"],
    description: "Identifier of the choice, of the matrix row, or of the ranked item.",
    from: "one answer",
    holds: "part of an answer",
  },
  label: {
    type: ["string", "null"],
    description:
      "The part of the question that the row is about, if a question has several: text of the matrix row, text of the ranked item, or type of the form field.",
    from: "one answer",
    holds: "part of an answer",
  },
  value_text: {
    type: ["string", "null"],
    description:
      "The answer as text: the content of a choice, of a rating or of an NPS answer, the text that the respondent wrote, the content of a form field, or the option selected in a matrix row.",
    from: "one answer",
    holds: "part of an answer",
  },
  value_number: {
    type: ["number", "null"],
    description:
      "The answer as a number: the rating, the NPS score, or the rank. A score of 0 is 0. Null if there is no number.",
    from: "one answer",
    holds: "part of an answer",
  },
  value_boolean: {
    type: ["boolean", "null"],
    description:
      "Whether the respondent performed the action that the question asked for. Null for every other kind of answer.",
    from: "one answer",
    holds: { plain: "true or false" },
  },
  comment: {
    type: ["string", "null"],
    description: "Comment that the respondent added to this answer.",
    from: "one answer",
    holds: "free_text",
  },
  nps_tag: {
    type: ["string", "null"],
    description:
      "Group of an NPS score. Known values: detractor (0 to 6), passive (7 or 8), promoter (9 or 10).",
    from: "one answer",
    holds: { plain: "one of the service's own words" },
  },
  additional_fields: {
    type: ["object", "null"],
    additionalProperties: true,
    description:
      "Everything else that the answer element held, under its own names. Fields from inside answer, answers or fields are in an object of that name; for the two lists, it has only the fields of this row's entry. Null if there is nothing else.",
    from: "one answer",
    holds: "unknown",
  },
} as const satisfies Columns;

/** Every answer of the responses to the surveys that are read, one row for each choice, matrix row, ranked item or field. */
export const surveyAnswers = defineStream({
  name: "survey_answers",
  title: "SurveyAnswer",
  description:
    "One answer to one question in one response: a choice, a rating, a score, a text, a form field, a row of a matrix, or a ranked item.",
  primaryKey: ["response_uuid", "question_id", "position"],
  columns: COLUMNS,
  reads: "survey responses",
  records: answerRecords,
});

function answerRecords(item: Item, origin: Origin): RecordOf<typeof COLUMNS>[] {
  const rows = answerRows(item.response.answers, origin.unknown.answers);
  // A value that does not fit is in `survey_responses`.
  const survey = surveyId(item, origin);
  const name = surveyName(item, origin);
  const respondent = respondentUuid(item, origin);
  // Written out: see `responseRecord`.
  return rows.map(
    (row): RecordOf<typeof COLUMNS> => ({
      response_uuid: item.uuid,
      collected_at: item.timestamp,
      survey_id: survey,
      survey_name: name,
      respondent_uuid: respondent,
      question_id: row.question_id,
      question_type: row.question_type,
      position: row.position,
      answer_type: row.answer_type,
      answer_id: row.answer_id,
      label: row.label,
      value_text: row.value_text,
      value_number: row.value_number,
      value_boolean: row.value_boolean,
      comment: row.comment,
      nps_tag: row.nps_tag,
      additional_fields: row.additional_fields,
    }),
  );
}
