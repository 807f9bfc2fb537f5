import { describe, expect, it, test } from "vitest";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { recordsOf } from "./support/service-items.ts";

const item = (uuid: unknown) => ({
  response: {
    uuid: "r1",
    collected_at: "2026-01-01T00:00:00.000001Z",
    respondent: { uuid },
    answers: [{ question_id: 7, answer: "Fine" }],
  },
  survey: { id: "s1" },
  attribute: { id: 5, name: "plan", value: "pro" },
  listOf: "p1",
});

const { survey_responses, survey_answers, respondent_responses } = STREAMS;

describe.each([42, true, { id: "p1" }, ["p1"]])("a respondent's uuid that is %j", (uuid) => {
  it.each([survey_responses, survey_answers, respondent_responses])(
    "names nobody in $name, and is reported",
    (stream) => {
      const unknown = new Set<string>();
      const owner = stream.reads === "respondent responses" ? "p1" : null;
      const records = recordsOf(stream, item(uuid), unknown, owner);
      expect(records).toMatchObject([{ respondent_uuid: owner }]);
      expect([...unknown]).toEqual(["respondent_uuid"]);
    },
  );

  it("stays visible in additional_fields", () => {
    expect(recordsOf(survey_responses, item(uuid))).toMatchObject([
      { additional_fields: { respondent_uuid: uuid } },
    ]);
  });
});

test.each([null, undefined, ""])(
  "a respondent's uuid that is %j names nobody, and nothing is reported",
  (uuid) => {
    const unknown = new Set<string>();
    const records = recordsOf(survey_responses, item(uuid), unknown, null);
    expect(records).toMatchObject([{ respondent_uuid: null, additional_fields: null }]);
    expect([...unknown]).toEqual([]);
  },
);
