import { isObject } from "../client/page.ts";
import type { RespondentResponse, SurveyResponse } from "../generated/records.ts";
import type { Item } from "../lists/item.ts";
import type { ColumnContents } from "../privacy/personal-data.ts";
import { additionalFields } from "./additional-fields.ts";
import type { Origin } from "./definition.ts";

/** Fields of the service that have a column of their own. */
const KNOWN_RESPONSE = new Set([
  "uuid",
  "collected_at",
  "url",
  "device_type",
  "operating_system",
  "platform",
  "language",
  "answers",
  "attributes",
  "respondent",
]);
const KNOWN_SURVEY = new Set(["id", "name", "type"]);
const KNOWN_RESPONDENT = new Set(["uuid", "attributes"]);
const KNOWN_WRAPPER = new Set(["survey", "response"]);

/** The columns of a response's record. */
export const RESPONSE_COLUMNS = {
  uuid: "plain",
  collected_at: "plain",
  survey_id: "plain",
  survey_name: "plain",
  survey_type: "plain",
  respondent_uuid: "respondent_identifiers",
  url: "url_query",
  device_type: "plain",
  operating_system: "plain",
  // It names the respondent's own device.
  platform: "respondent_identifiers",
  language: "plain",
  answers: "answers",
  attributes: "attributes",
  respondent_attributes: "attributes",
  additional_fields: "unknown",
} as const satisfies ColumnContents;

/**
 * A response as one flat record: the survey's fields as `survey_…`, the respondent's as `respondent_…`, values as they
 * came. Fields that this version does not know are in `additional_fields`, with names by the same rule. An id that the
 * item leaves out, because its list has it, comes from `origin`.
 */
export function responseRecord(item: Item, origin: Origin): SurveyResponse & RespondentResponse {
  const { response, survey } = item;
  const respondent = isObject(response.respondent) ? response.respondent : undefined;
  const record = {
    uuid: item.uuid,
    collected_at: response.collected_at,
    ...surveyColumns(item, origin),
    survey_type: survey?.type ?? null,
    respondent_uuid: respondentUuid(item, origin),
    url: response.url ?? null,
    device_type: response.device_type ?? null,
    operating_system: response.operating_system ?? null,
    platform: response.platform ?? null,
    language: response.language ?? null,
    answers: response.answers ?? [],
    attributes: response.attributes ?? [],
    respondent_attributes: respondent?.attributes ?? [],
    additional_fields: additionalFields(
      [
        { fields: response, known: KNOWN_RESPONSE },
        ...(survey ? [{ fields: survey, known: KNOWN_SURVEY, prefix: "survey_" }] : []),
        ...(respondent ? [{ fields: respondent, known: KNOWN_RESPONDENT, prefix: "respondent_" }] : []),
        ...(response === item.raw ? [] : [{ fields: item.raw, known: KNOWN_WRAPPER }]),
      ],
      origin.unknownFields,
    ),
  };
  return record as unknown as SurveyResponse & RespondentResponse;
}

/** The columns that name the survey, by the item or by the list it comes from. */
export function surveyColumns({ survey }: Item, { surveyId }: Origin) {
  return { survey_id: survey?.id ?? surveyId ?? null, survey_name: survey?.name ?? null };
}

/** The respondent's UUID, by the item or by the list it comes from. */
export function respondentUuid({ response }: Item, origin: Origin): unknown {
  const respondent = isObject(response.respondent) ? response.respondent : undefined;
  return respondent?.uuid ?? origin.respondentUuid ?? null;
}
