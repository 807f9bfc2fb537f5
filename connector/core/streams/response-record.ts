import { isObject } from "../api/page.ts";
import type { RespondentResponse, SurveyResponse } from "../generated/records.ts";
import type { Item } from "../reading/item.ts";

/** Fields of the service that have a place of their own in a record; every other passes through (S6). */
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

/**
 * A response as one flat record: the survey's fields as `survey_…`, the respondent's as `respondent_…`, values
 * as they came. Fields that this version does not know keep their names by the same rule, never overwrite a
 * known one, and are added to `unknown`. What an item leaves out because its list says it comes from `list`.
 */
export function responseRecord(
  item: Item,
  list: { readonly surveyId?: string; readonly respondentUuid?: string },
  unknown: Set<string>,
): SurveyResponse & RespondentResponse {
  const { response, survey } = item;
  const respondent = isObject(response.respondent) ? response.respondent : undefined;
  const record: Record<string, unknown> = {
    uuid: item.uuid,
    collected_at: response.collected_at,
    survey_id: survey?.id ?? list.surveyId ?? null,
    survey_name: survey?.name ?? null,
    survey_type: survey?.type ?? null,
    respondent_uuid: respondent?.uuid ?? list.respondentUuid ?? null,
    url: response.url ?? null,
    device_type: response.device_type ?? null,
    operating_system: response.operating_system ?? null,
    platform: response.platform ?? null,
    language: response.language ?? null,
    answers: response.answers ?? [],
    attributes: response.attributes ?? [],
    respondent_attributes: respondent?.attributes ?? [],
  };
  keepUnknown(record, response, KNOWN_RESPONSE, "", unknown);
  if (survey) keepUnknown(record, survey, KNOWN_SURVEY, "survey_", unknown);
  if (respondent) keepUnknown(record, respondent, KNOWN_RESPONDENT, "respondent_", unknown);
  if (response !== item.raw) keepUnknown(record, item.raw, KNOWN_WRAPPER, "", unknown);
  return record as unknown as SurveyResponse & RespondentResponse;
}

function keepUnknown(
  record: Record<string, unknown>,
  fields: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  prefix: string,
  unknown: Set<string>,
): void {
  for (const name in fields) {
    if (known.has(name)) continue;
    const key = prefix + name;
    if (Object.hasOwn(record, key)) continue;
    // A plain assignment to "__proto__" would set the prototype instead of a field.
    if (key === "__proto__") Object.defineProperty(record, key, { value: fields[name], enumerable: true });
    else record[key] = fields[name];
    unknown.add(key);
  }
}
