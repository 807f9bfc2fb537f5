import schema from "../../../schemas/streams/survey_answers.json" with { type: "json" };
import { SurveyExportError } from "../errors.ts";
import type { SurveyAnswer } from "../generated/records.ts";
import type { Item } from "../lists/item.ts";
import { fixed, responseId, say } from "../text/message.ts";
import { answerRows } from "./answer-rows.ts";
import type { Origin, SurveyStream } from "./definition.ts";
import { respondentUuid, surveyColumns } from "./response-record.ts";

/** Every answer of the responses to the configured surveys, one row for each choice, matrix row, ranked item or field. */
export const surveyAnswers = {
  name: "survey_answers",
  schema,
  primaryKey: ["response_uuid", "question_id", "position"],
  columns: {
    response_uuid: "plain",
    collected_at: "plain",
    survey_id: "plain",
    survey_name: "plain",
    respondent_uuid: "respondent_identifiers",
    question_id: "plain",
    question_type: "plain",
    position: "plain",
    answer_type: "plain",
    answer_id: "plain",
    label: "answer label",
    value_text: "answer text",
    value_number: "answer number",
    value_boolean: "plain",
    comment: "free_text",
    nps_tag: "plain",
    additional_fields: "unknown",
  },
  reads: "survey responses",
  records: (item, origin) => answerRecords(item, origin),
} as const satisfies SurveyStream;

/** @throws SurveyExportError `unreadable_item` where an answer cannot become a row: none of the response is emitted */
function answerRecords(item: Item, origin: Origin): SurveyAnswer[] {
  const { rows, unreadable } = answerRows(item.response.answers);
  const [reason] = unreadable;
  if (reason !== undefined) {
    throw new SurveyExportError(
      "system",
      "unreadable_item",
      say`Response ${responseId(item.uuid)} ${fixed(reason)}.`,
      {
        advice: say`Its answers were left out of survey_answers, and the next sync tries again. Report this to the service.`,
      },
    );
  }
  const { survey_id, survey_name } = surveyColumns(item, origin);
  const respondent = respondentUuid(item, origin);
  // Written out, because spread objects take longer to make and to write as JSON.
  return rows.map(
    (row) =>
      ({
        response_uuid: item.uuid,
        collected_at: item.response.collected_at,
        survey_id,
        survey_name,
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
      }) as SurveyAnswer,
  );
}
