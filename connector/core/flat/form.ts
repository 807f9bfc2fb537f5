import type { RespondentResponse, SurveyResponse } from "../generated/records.ts";
import type { RecordTreatment } from "../privacy/record-treatment.ts";
import { type AnswerRow, readableAnswerRows } from "../streams/answer-rows.ts";
import { surveyAnswers } from "../streams/survey-answers.ts";
import { surveyResponses } from "../streams/survey-responses.ts";
import { type Message, responseId, say } from "../text/message.ts";
import { answerColumns, type ColumnNames } from "./answer-columns.ts";
import {
  attributeColumn,
  type Cells,
  cellsOf,
  type FlatItem,
  type FlatRecord,
  missingIn,
  NO_CELLS,
  type Primitive,
  primitive,
  withAllColumns,
} from "./flat-item.ts";

export type Response = SurveyResponse | RespondentResponse;

/** The values of the parameter "Output". */
export const OUTPUTS = ["simplified", "answers", "raw", "text", "selected"] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** How responses leave. */
export interface Leaving {
  readonly treatment: RecordTreatment;
  /** Told of answers that no column can hold. */
  warn(message: Message): void;
}

/** How the responses of a run become items. */
export interface Form {
  /** The items of one response as the treatment lets them leave, without the columns that only others have. */
  itemsOf(response: Response, leaving: Leaving): readonly FlatItem[];
  /** All items of the run as later nodes get them. */
  finish(items: readonly FlatItem[]): FlatRecord[];
}

const COLUMNS = surveyResponses.columns;
/** Of responses whose answers leave as rows. */
const COLUMNS_BESIDE_ANSWERS = { ...COLUMNS, answers: { holds: "unknown" } } as const;

const treatedWhole = (response: Response, { treatment }: Leaving): Response =>
  treatment.record(response, COLUMNS);
const treatedBesideAnswers = (response: Response, { treatment }: Leaving): Response =>
  treatment.record(response, COLUMNS_BESIDE_ANSWERS);

/** How the items of a run are finished: all outputs but the raw ones are tables. */
export const finisherOf = (output: OutputName, missing = missingIn): Form["finish"] =>
  output === "raw" || output === "text" ? fixedParts : (items) => withAllColumns(items, missing);

export function formOf(output: OutputName, columns: readonly string[]): Form {
  const names: ColumnNames = new Map();
  // Made before the treatment: without its content an answer would look like one of another kind.
  const rowsOf = (response: Response, { treatment, warn }: Leaving): readonly AnswerRow[] => {
    // All of them, if some do not fit the column.
    const answers = response.additional_fields?.answers ?? response.answers;
    const { rows, unreadable } = readableAnswerRows(answers, {
      isLeftOut: treatment.fingerprint !== undefined,
    });
    for (const ending of unreadable) {
      warn(say`Response ${responseId(response.uuid)} ${ending}. It is left out; the output "Raw" shows it.`);
    }
    return rows.map((row) => treatment.record(row, surveyAnswers.columns));
  };
  const simplifiedTo =
    (fields: readonly string[]) =>
    (response: Response, leaving: Leaving): FlatItem =>
      simplified(treatedBesideAnswers(response, leaving), fields, rowsOf(response, leaving), names);
  const ofFields = simplifiedTo(FIELDS);
  const ofAllFields = simplifiedTo(ALL_FIELDS);
  const selected = new Set(columns);
  const itemsOf: Readonly<Record<OutputName, Form["itemsOf"]>> = {
    simplified: (...one) => [ofFields(...one)],
    answers: (...one) => answerItems(treatedBesideAnswers(...one), rowsOf(...one)),
    raw: (...one) => [asItIs(raw(treatedWhole(...one)))],
    text: (...one) => [asItIs(asText(treatedWhole(...one)))],
    selected: (...one) => [{ ...selectedFrom(ofAllFields(...one), selected), columns }],
  };
  return { itemsOf: itemsOf[output], finish: finisherOf(output) };
}

/** The fields of a simplified response, by their names in the output; answers and attributes follow. */
export const FIELDS = [
  "response_uuid",
  "collected_at",
  "survey_id",
  "survey_name",
  "respondent_uuid",
  "url",
  "device_type",
  "language",
] as const;
const ALL_FIELDS = [...FIELDS, "operating_system", "platform", "survey_type"] as const;
/** What can be selected from any survey; besides, each column of an answer or an attribute by its name. */
export const SELECTABLE_FIELDS: readonly string[] = [...ALL_FIELDS, "answers", "attributes"];
export const isSelectable = (name: string): boolean =>
  SELECTABLE_FIELDS.includes(name) || /^answer_\d+(_score|_tag|_comment)?$|^attribute_\w+$/.test(name);

function simplified(
  response: Response,
  fields: readonly string[],
  rows: readonly AnswerRow[],
  names: ColumnNames,
): FlatItem {
  const fixed: FlatRecord = {};
  for (const field of fields) {
    const value = response[field === "response_uuid" ? "uuid" : field];
    fixed[field] = primitive(value);
  }
  return { fixed, answers: answerColumns(rows, names), attributes: attributesOf(response) };
}

function selectedFrom(item: FlatItem, selected: ReadonlySet<string>): FlatItem {
  const fixed = Object.entries(item.fixed).filter(([name]) => selected.has(name));
  const { answers, attributes } = item;
  return {
    fixed: Object.fromEntries(fixed),
    answers: selected.has("answers") ? answers : only(answers, (name) => selected.has(name)),
    attributes: selected.has("attributes")
      ? attributes
      : only(attributes, (name) => selected.has(attributeColumn(name))),
  };
}

function only({ names, values }: Cells, keeps: (name: string) => boolean): Cells {
  const all = names.map((name, index): [string, Primitive] => [name, values[index] ?? null]);
  return cellsOf(new Map(all.filter(([name]) => keeps(name))));
}

/**
 * The rows of the stream `survey_answers`, and the attributes if some were asked for. An object is written as
 * JSON: Data Table refuses a whole insert that holds one. A missing number or boolean is undefined, see `missingIn`.
 */
function answerItems(response: Response, rows: readonly AnswerRow[]): FlatItem[] {
  const attributes = attributesOf(response);
  return rows.map((row) => ({
    fixed: {
      response_uuid: response.uuid,
      collected_at: response.collected_at,
      survey_id: response.survey_id ?? null,
      survey_name: response.survey_name ?? null,
      respondent_uuid: response.respondent_uuid ?? null,
      ...row,
      answer_id: row.answer_id ?? undefined,
      value_number: row.value_number ?? undefined,
      value_boolean: row.value_boolean ?? undefined,
      additional_fields: primitive(row.additional_fields),
    },
    answers: NO_CELLS,
    attributes,
  }));
}

/** An item without columns that depend on others. */
export const asItIs = (json: FlatRecord): FlatItem => ({
  fixed: json,
  answers: NO_CELLS,
  attributes: NO_CELLS,
});

/** A record of the stream `survey_responses`: always the same columns, with lists and objects as JSON. */
const asText = (record: Response): FlatRecord =>
  Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, primitive(record[name as keyof Response])]));

/** Items that need no columns of others. */
function fixedParts(items: readonly FlatItem[]): FlatRecord[] {
  return items.map(({ fixed }) => fixed);
}

/** By name. An attribute that was recorded with the response wins over one of the person. */
export function attributesOf(response: Pick<Response, "attributes" | "respondent_attributes">): Cells {
  const byName = new Map<string, Primitive>();
  for (const list of [response.respondent_attributes, response.attributes]) {
    for (const pair of Array.isArray(list) ? list : []) {
      if (pair?.name != null) byName.set(String(pair.name), primitive(pair.value));
    }
  }
  return cellsOf(byName);
}

/**
 * A record with all fields of the service at its top level. The streams keep fields that this version does not
 * know in `additional_fields`, for databases.
 */
function raw(record: { readonly additional_fields?: object | null }): FlatRecord {
  const { additional_fields: more, ...known } = record;
  return { ...more, ...known };
}
