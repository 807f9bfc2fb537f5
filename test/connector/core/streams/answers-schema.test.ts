import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWERS } from "../../../../connector/core/streams/answers-schema.ts";

describe("the schema of answers", () => {
  const isTrueOf = new Ajv({ allowUnionTypes: true }).compile(ANSWERS);
  const element = (fields: object) => [{ question_id: 1, question_type: "single", ...fields }];

  it("is true of whatever is sent as an answer, or in its lists", () => {
    const bare = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.jsonValue()),
      fc.constant({ drawing: [1] }),
    );
    const parts = fc.record(
      {
        answer: bare,
        answers: fc.oneof(bare, fc.array(bare)),
        fields: fc.oneof(bare, fc.array(bare)),
        action_performed: bare,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(parts, (fields) => {
        expect([isTrueOf(element(fields)), isTrueOf.errors]).toEqual([true, null]);
      }),
      { numRuns: 500 },
    );
  });

  it("is true of a documented field with another kind of value", () => {
    expect(isTrueOf(element({ answer: { id: "one" } }))).toBe(true);
  });
});
