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
  answerId,
  answerNumber,
  labelTreatment,
  plain,
  textTreatment,
  treatAnswers,
  treatAttributes,
} from "./treat-answers.ts";
import { ValueTreatment } from "./value-treatment.ts";

/** What happens to personal data on its way out: in records, in messages and in states. */
export interface RecordTreatment {
  /** The setting as the state remembers it; undefined if everything is kept. */
  readonly fingerprint: string | undefined;
  readonly identifiers: Handling;
  /** The record as it may leave. `columns`: those of its stream. */
  record<R extends object>(record: R, columns: ColumnContents): R;
  /** For `render`: messages leave out what the service sent. Undefined if everything is kept. */
  readonly messages: MessageTreatment | undefined;
}

/** The default: everything leaves as it came. */
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

type Fields = Readonly<Record<string, unknown>>;
type Treat = (value: unknown, values: ValueTreatment, record: Fields) => unknown;

const TREATMENTS: Readonly<Record<Extract<ColumnContent, string>, Treat>> = {
  unknown: () => null,
  url: (value, values) => values.treatUrl(value),
  answers: treatAnswers,
  attributes: treatAttributes,
  contact_fields: (value, values) => values.treat("contact_fields", value),
  free_text: (value, values) => values.treat("free_text", value),
  answer_labels: (value, values) => values.treat("answer_labels", value),
  attribute_values: (value, values) => values.treat("attribute_values", value),
  respondent_identifiers: (value, values) => values.treat("respondent_identifiers", value),
  "answer id": answerId,
  "answer label": (value, values, row) =>
    labelTreatment(row.answer_type)(value, values, { id: row.answer_id }),
  "answer text": (value, values, row) => textTreatment(row.answer_type)(value, values, { id: row.answer_id }),
  "answer number": answerNumber,
};

/** A column that is not described is left out. */
function treatRecord<R extends object>(record: R, columns: ColumnContents, values: ValueTreatment): R {
  const treated: Record<string, unknown> = {};
  for (const column in record) {
    const holds = columns[column]?.holds ?? "unknown";
    const treat = typeof holds === "object" ? plain : TREATMENTS[holds];
    treated[column] = treat(record[column], values, record as Fields);
  }
  return treated as R;
}
