import {
  createRecordTreatment,
  type Handling,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
  type RecordTreatment,
  type StreamRecord,
  type SurveyResponse,
} from "@survey-export/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { formOf } from "../../../../connector/core/flat/form.ts";
import { surveyAnswers } from "../../../../connector/core/streams/survey-answers.ts";
import { surveyResponses } from "../../../../connector/core/streams/survey-responses.ts";
import { itemOf, sha } from "./support/responses.ts";

const text = fc.oneof(fc.string(), fc.constantFrom("Wilma@Mail.Example", "442079460123", "7", " 9", "4.5"));
const value = fc.oneof(text, fc.integer(), fc.double(), fc.constant(null), fc.boolean());
const choice = { id: fc.oneof(fc.integer(), text), content: value, comment: value, x: value };
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const list = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.array(some(fields), { maxLength: 3 });
/** The nine shapes of the service, with other values than it documents too. */
const shape = fc.oneof(
  fc.record({ answer: some(choice) }),
  fc.record({ answers: list(choice) }),
  fc.record({ answer: some({ ...choice, rating: value }) }),
  fc.record({ fields: list({ type: fc.constantFrom("email", "phone"), content: value, x: value }) }),
  fc.record({ answer: value }),
  fc.record({ answer: some({ content: value, tag: fc.constantFrom("promoter", "passive", null) }) }),
  fc.record({ answers: list({ ...choice, score: value }) }),
  fc.record({ answers: list({ ...choice, rank: value }) }),
  fc.record({ action_performed: fc.boolean(), x: value }),
);
const element = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom("single", "multiple", null), shape)
  .map(([question_id, question_type, answered]) => ({ question_id, question_type, ...answered }));

const setting = fc.oneof(
  fc
    .constantFrom<Handling>("keep", "hash", "omit")
    .map((how): PersonalDataSetting => Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, how]))),
  fc.record(
    Object.fromEntries(
      PERSONAL_DATA_KINDS.map((kind) => [kind, fc.constantFrom<Handling>("keep", "hash", "omit")]),
    ),
  ),
);

function fromAirbyte(item: ReturnType<typeof itemOf>, treatment: RecordTreatment): StreamRecord[] {
  const rows = surveyAnswers.records(item, { unknown: { fields: new Set(), answers: new Map() } });
  return rows.map((row) => treatment.record(row, surveyAnswers.columns));
}

function fromN8n(item: ReturnType<typeof itemOf>, treatment: RecordTreatment): unknown[] {
  const [response] = surveyResponses.records(item, { unknown: { fields: new Set(), answers: new Map() } });
  const form = formOf("answers");
  const leaving = { treatment, warn: () => expect.fail() };
  return form.finish(form.itemsOf(response as SurveyResponse, leaving)).rows;
}

/** n8n's tables take no objects, and its filters take a null for the number 0. */
const flat = (record: StreamRecord): unknown => {
  const { additional_fields: more, answer_id, value_number, value_boolean, ...row } = record;
  const present = Object.entries({ answer_id, value_number, value_boolean }).filter(
    ([, value]) => value !== null,
  );
  return { ...row, ...Object.fromEntries(present), additional_fields: more && JSON.stringify(more) };
};

test("One Item per Answer gives the records of the Airbyte stream survey_answers, whatever is treated", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 5 }), setting, (answers, chosen) => {
      const treatment = createRecordTreatment(chosen, sha);
      const item = itemOf(answers);
      expect(fromN8n(item, treatment)).toEqual(fromAirbyte(item, treatment).map(flat));
    }),
    { numRuns: 2_000 },
  );
});
