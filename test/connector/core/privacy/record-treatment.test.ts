import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Handling, PERSONAL_DATA_KINDS } from "../../../../connector/core/privacy/personal-data.ts";
import { createRecordTreatment, KEEP_ALL } from "../../../../connector/core/privacy/record-treatment.ts";
import { readableAnswerRows } from "../../../../connector/core/streams/answer-rows.ts";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { all, hash, treat } from "./support/treat.ts";

/** Any JSON whose every string holds the secret. */
const SECRET = "s3cret";
const DIGITS = 442079460123;
const FORBIDDEN = new RegExp(`${SECRET}|${DIGITS}`);
const secret = fc.string().map((text) => `${text}${SECRET}${text}`);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    secret,
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(secret, fc.constantFrom("comment", "content", "score", "value", "note")),
      tie("value"),
      {
        maxKeys: 5,
      },
    ),
  ),
})).value;
const entry = fc.record(
  {
    question_id: fc.integer(),
    answer: json,
    answers: fc.array(fc.record({ id: fc.integer(), content: json, comment: json, score: json, x: json })),
    fields: fc.array(fc.record({ type: fc.constant("email"), content: json, x: json })),
    x: json,
  },
  { requiredKeys: ["question_id"] },
);
const response = fc.record({
  uuid: fc.uuid(),
  respondent_uuid: secret,
  platform: json,
  url: fc.webUrl().map((url) => `${url}?${SECRET}`),
  answers: fc.oneof(json, fc.array(entry)),
  attributes: fc.oneof(json, fc.array(fc.record({ name: fc.constant("plan"), value: json, x: json }))),
  additional_fields: json,
  a_column_of_tomorrow: json,
});

describe("a treated record", () => {
  it("holds no text of any kind, for any JSON in any place", () => {
    fc.assert(
      fc.property(response, fc.constantFrom<Handling>("hash", "omit"), (record, handling) => {
        expect(JSON.stringify(treat(all(handling), "survey_responses", record))).not.toContain(SECRET);
      }),
    );
  });

  it("holds no unknown field as soon as one kind is treated", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(...PERSONAL_DATA_KINDS), (unknown, kind) => {
        const answers = [
          { question_id: 1, x: unknown, answer: { id: 1, x: unknown }, fields: [{ x: unknown }] },
        ];
        const record = {
          answers,
          attributes: [{ name: "a", x: unknown }],
          additional_fields: { x: unknown },
        };
        for (const handling of ["hash", "omit"] as const) {
          expect(treat({ [kind]: handling }, "survey_responses", record)).toEqual({
            answers: [{ question_id: 1, answer: { id: 1 }, fields: [{}] }],
            attributes: [{ name: "a" }],
            additional_fields: null,
          });
        }
      }),
    );
  });

  it("is the very same record if everything is kept", () => {
    expect(createRecordTreatment({}, hash)).toBe(KEEP_ALL);
    expect(createRecordTreatment(all("keep"), hash)).toBe(KEEP_ALL);
    const record = {};
    expect(KEEP_ALL.record(record, {})).toBe(record);
  });

  it.each(PERSONAL_DATA_KINDS)("has no list and no object in place of a text, with %s omitted", (kind) => {
    for (const other of [{ name: SECRET }, [SECRET], [[SECRET]], [`${DIGITS}`], [DIGITS]]) {
      const answers = [
        {
          question_id: other,
          question_type: other,
          answer: { id: other, content: other, comment: other, tag: other },
        },
        {
          question_id: 1,
          answers: [{ id: other, content: other, comment: other, score: other, rank: other }],
        },
        { question_id: 2, fields: [{ type: other, content: other }] },
      ];
      const attributes = [{ id: other, name: other, value: other }];
      const record = {
        ...Object.fromEntries(Object.keys(STREAMS.survey_responses.columns).map((column) => [column, other])),
        ...{ answers, attributes },
      };
      expect(JSON.stringify(treat({ [kind]: "omit" }, "survey_responses", record))).not.toMatch(FORBIDDEN);
      const { rows } = readableAnswerRows(answers);
      const treated = rows.map((row) => treat({ [kind]: "omit" }, "survey_answers", row));
      expect(JSON.stringify(treated)).not.toMatch(FORBIDDEN);
    }
  });

  it("never asks for a hash if nothing is hashed", () => {
    const none = () => {
      throw new Error("asked for a hash");
    };
    const treatment = createRecordTreatment(all("omit"), none);
    const record = { url: "https://a/?b", respondent_uuid: "r", answers: [{ answer: "x" }] };
    expect(() => treatment.record(record, STREAMS.survey_responses.columns)).not.toThrow();
  });
});
