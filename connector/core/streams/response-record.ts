import { type Item, idText, respondentOf } from "../lists/item.ts";
import { isObject } from "../text/json.ts";
import { ANSWERS } from "./answers-schema.ts";
import { additionalFieldsOf, type Columns, fieldsFrom, type RecordOf, TIMESTAMP } from "./column.ts";
import type { Origin } from "./definition.ts";
import {
  ANSWERED,
  ATTRIBUTE_PAIR,
  additionalFields,
  fittingOrMisfit,
  listOrMisfit,
  type Misfit,
  textOrMisfit,
} from "./fitting.ts";

const ATTRIBUTE_SCHEMA = {
  title: "AttributePair",
  type: "object",
  additionalProperties: true,
  description: "A name and the value recorded under it.",
  properties: {
    name: { type: ["string", "null"], description: "Name of the attribute, exactly as it was set." },
    value: { type: ["string", "null"], description: "Value of the attribute. Always a string." },
  },
} as const;

/** The columns of a response's record: the survey's fields as `survey_…`, the respondent's as `respondent_…`. */
export const RESPONSE_COLUMNS = {
  uuid: {
    type: "string",
    description: "Identifier of the response. It is unique and never changes. Primary key of the stream.",
    from: "response.uuid",
    holds: { plain: "an id that the service makes" },
  },
  collected_at: {
    type: "string",
    ...TIMESTAMP,
    description:
      "Timestamp at which the service received the response, in UTC with microseconds. Cursor of the stream.",
    from: "response.collected_at",
    holds: { plain: "a time of the service's clock" },
  },
  survey_id: {
    type: ["string", "null"],
    description: "Identifier of the survey that was answered. It is unique and never changes.",
    from: "survey.id",
    holds: { plain: "an id that the service makes" },
  },
  survey_name: {
    type: ["string", "null"],
    description:
      "Name of the survey at the time of reading. Null if neither the response nor the service's list of surveys has it.",
    from: "survey.name",
    holds: { plain: "the survey's author writes it" },
  },
  survey_type: {
    type: ["string", "null"],
    description:
      "Kind of the survey. Known values: PageSurvey (by email or shareable link), WidgetSurvey (on a website or in a product), MobileSurvey (in a mobile app), MessengerSurvey (in a third party's messenger).",
    from: "survey.type",
    holds: { plain: "one of the service's own words" },
  },
  respondent_uuid: {
    type: ["string", "null"],
    description: "Identifier of the respondent, who gave the response. It joins all streams.",
    from: "respondent.uuid",
    holds: "respondent_identifiers",
  },
  url: {
    type: ["string", "null"],
    description: "Address of the page on which the survey was shown to the respondent.",
    from: "response.url",
    holds: "url",
  },
  device_type: {
    type: ["string", "null"],
    description: "Kind of device that the respondent used. Known values: Desktop, Mobile, Tablet, Tv.",
    from: "response.device_type",
    holds: { plain: "one of the service's own words" },
  },
  operating_system: {
    type: ["string", "null"],
    description:
      "Operating system of the respondent's device. Known values: Android, OS, iOS, Linux, macOS, Windows, Other.",
    from: "response.operating_system",
    holds: { plain: "one of the service's own words" },
  },
  platform: {
    type: ["string", "null"],
    description: "Identifier of the platform of the respondent's device.",
    from: "response.platform",
    // It names the respondent's own device.
    holds: "respondent_identifiers",
  },
  language: {
    type: ["string", "null"],
    description: "Language of the survey's translation that was shown. Null if there was no translation.",
    from: "response.language",
    holds: { plain: "a language into which the survey's author had it translated" },
  },
  answers: { ...ANSWERS, from: "response.answers", holds: "answers" },
  attributes: {
    type: ["array", "null"],
    description:
      "Attributes recorded with this response. Holds the attributes that the configuration names; empty if it names none.",
    items: ATTRIBUTE_SCHEMA,
    from: "response.attributes",
    holds: "attributes",
  },
  respondent_attributes: {
    type: ["array", "null"],
    description:
      "Attributes of the respondent. Holds the attributes that the configuration names; empty if it names none.",
    items: ATTRIBUTE_SCHEMA,
    from: "respondent.attributes",
    holds: "attributes",
  },
  additional_fields: additionalFieldsOf(
    "response",
    " A field of the survey has the prefix survey_, a field of the respondent the prefix respondent_.",
  ),
} as const satisfies Columns;

const KNOWN_RESPONSE = new Set([...fieldsFrom("response", RESPONSE_COLUMNS), "respondent"]);
const KNOWN_BARE = new Set([...KNOWN_RESPONSE, "survey"]);
const KNOWN_SURVEY = new Set(fieldsFrom("survey", RESPONSE_COLUMNS));
const KNOWN_RESPONDENT = new Set(fieldsFrom("respondent", RESPONSE_COLUMNS));
const KNOWN_WRAPPER = new Set(["survey", "response"]);

/**
 * A response as one flat record. A value that does not fit its column is null there and goes to `additional_fields`
 * under its name, like a field that this version does not know; names are made by the rule of the columns' names. Of a
 * list, the entries that fit stay. An id that the item omits, because its list has it, comes from `origin`.
 *
 * Written out: a loop over the columns takes 6 % more processor time for a page from JSON to JSON, and 20 % more in
 * `survey_answers`. A test holds each value against the column's `from`.
 */
export function responseRecord(item: Item, origin: Origin): RecordOf<typeof RESPONSE_COLUMNS> {
  const { response, survey } = item;
  const respondent = isObject(response.respondent) ? response.respondent : undefined;
  const isBare = response === item.raw;
  const misfits: Misfit[] = [];
  if (respondent === undefined && response.respondent != null) misfits.push("response.respondent");
  if (survey === undefined && item.raw.survey != null) misfits.push("item.survey", "response.survey");
  return {
    uuid: item.uuid,
    collected_at: item.timestamp,
    survey_id: surveyId(item, origin, misfits),
    survey_name: surveyName(item, origin, misfits),
    survey_type: textOrMisfit(survey?.type, "survey.type", misfits) ?? origin.survey?.type ?? null,
    respondent_uuid: respondentUuid(item, origin, misfits),
    url: textOrMisfit(response.url, "response.url", misfits),
    device_type: textOrMisfit(response.device_type, "response.device_type", misfits),
    operating_system: textOrMisfit(response.operating_system, "response.operating_system", misfits),
    platform: textOrMisfit(response.platform, "response.platform", misfits),
    language: textOrMisfit(response.language, "response.language", misfits),
    answers: listOrMisfit(response.answers ?? [], ANSWERED, "response.answers", misfits),
    attributes: listOrMisfit(response.attributes ?? [], ATTRIBUTE_PAIR, "response.attributes", misfits),
    respondent_attributes: listOrMisfit(
      respondent?.attributes ?? [],
      ATTRIBUTE_PAIR,
      "respondent.attributes",
      misfits,
    ),
    additional_fields: additionalFields(
      [
        { entity: "response", fields: response, known: isBare ? KNOWN_BARE : KNOWN_RESPONSE },
        { entity: "survey", fields: survey, known: KNOWN_SURVEY, prefix: "survey_" },
        { entity: "respondent", fields: respondent, known: KNOWN_RESPONDENT, prefix: "respondent_" },
        { entity: "item", fields: isBare ? undefined : item.raw, known: KNOWN_WRAPPER },
      ],
      misfits,
      origin.unknown,
    ),
  };
}

/** The survey's id, by the item or by the list it comes from. */
export const surveyId = ({ survey }: Item, origin: Origin, misfits: Misfit[] = []): string | null =>
  fittingOrMisfit(survey?.id, idText, "survey.id", misfits) ?? origin.surveyId ?? null;

/** The survey's name, by the item or by the list of surveys. */
export const surveyName = ({ survey }: Item, origin: Origin, misfits: Misfit[] = []): string | null =>
  textOrMisfit(survey?.name, "survey.name", misfits) ?? origin.survey?.name ?? null;

/** The respondent's UUID, by the item or by the list it comes from. One that is not a string names nobody. */
export function respondentUuid(item: Item, origin: Origin, misfits: Misfit[] = []): string | null {
  const { respondent } = item.response;
  if (isObject(respondent) && respondent.uuid != null && typeof respondent.uuid !== "string")
    misfits.push("respondent.uuid");
  return respondentOf(item) ?? origin.respondentUuid ?? null;
}
