import type { AnswerColumn } from "../answers/answer-kinds.ts";
import type { Fields } from "../text/json.ts";
import type { MessageTreatment } from "../text/message.ts";
import {
  type ColumnContent,
  type ColumnContents,
  fingerprintOf,
  type Handling,
  type Hash,
  type PersonalDataSetting,
} from "./personal-data.ts";
import {
  answerValue,
  attributeKey,
  plain,
  plainParts,
  treatAnswers,
  treatAttributes,
  treatChoices,
} from "./treat-answers.ts";
import { ValueTreatment } from "./value-treatment.ts";

/** What happens to personal data on its way out: in records, in messages and in states. */
export interface RecordTreatment {
  /** The setting as the state remembers it; undefined if everything is kept. */
  readonly fingerprint: string | undefined;
  readonly identifiers: Handling;
  /** The record as it may be emitted. `columns`: those of its stream. */
  record<R extends object>(record: R, columns: ColumnContents): R;
  /** For `render`: messages omit what the service sent. Undefined if everything is kept. */
  readonly messages: MessageTreatment | undefined;
}

/** The default: everything is emitted as the service sent it. */
export const KEEP_ALL: RecordTreatment = {
  fingerprint: undefined,
  identifiers: "keep",
  record: (record) => record,
  messages: undefined,
};

/** `hash` is called only for kinds whose handling is `hash`. */
export function createRecordTreatment(setting: PersonalDataSetting, hash: Hash): RecordTreatment {
  const fingerprint = fingerprintOf(setting);
  if (fingerprint === undefined) return KEEP_ALL;
  const values = new ValueTreatment(setting, hash);
  const identifiers = values.handlingOf("respondent_identifiers");
  return {
    fingerprint,
    identifiers,
    record: (record, columns) => treatRecord(record, columns, values),
    messages: {
      respondentId: (uuid) => {
        const treated = values.treat("respondent_identifiers", uuid);
        return typeof treated === "string" ? treated : undefined;
      },
    },
  };
}

/** A column that is not described is omitted. */
function treatRecord<R extends object>(record: R, columns: ColumnContents, values: ValueTreatment): R {
  const treated: Record<string, unknown> = {};
  for (const column in record)
    treated[column] = treatColumn(column, columns[column]?.holds ?? "unknown", record as Fields, values);
  return treated as R;
}

function treatColumn(column: string, holds: ColumnContent, record: Fields, values: ValueTreatment): unknown {
  const value = record[column];
  if (typeof holds === "object") return holds.fields ? plainParts(value, holds.fields) : plain(value);
  switch (holds) {
    case "unknown":
      return null;
    case "url":
      return values.treatUrl(value);
    case "answer choices":
      return treatChoices(value, values);
    case "answers":
      return treatAnswers(value, values);
    case "attribute id":
      return attributeKey(value, record.name, values);
    case "attributes":
      return treatAttributes(value, values);
    case "part of an answer":
      return answerValue(column as AnswerColumn, value, values, record.answer_type, record.answer_id);
    default:
      return values.treat(holds, value);
  }
}
