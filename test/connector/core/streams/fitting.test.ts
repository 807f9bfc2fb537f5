import { describe, expect, it } from "vitest";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { recordsOf } from "./support/service-items.ts";

describe("a value that does not fit its column", () => {
  const of = (response: object, survey: Readonly<Record<string, unknown>> = { id: "s1" }) => {
    const unknown = new Set<string>();
    const whole = { uuid: "r1", collected_at: "2026-01-31T12:00:00.000000Z", ...response };
    const item = { response: whole, survey, attribute: {}, listOf: "p1" };
    const [record] = recordsOf(STREAMS.survey_responses, item, unknown, null);
    return { record, told: [...unknown] };
  };

  it("is null there, goes to additional_fields under its name, and is reported", () => {
    const { record, told } = of({ url: { href: "u" }, language: ["en"] }, { id: "s1", name: {} });
    expect(record).toMatchObject({
      ...{ url: null, language: null, survey_name: null },
      additional_fields: { url: { href: "u" }, language: ["en"], survey_name: {} },
    });
    expect(told.toSorted()).toEqual(["language", "survey_name", "url"]);
  });

  it("becomes text if it is a number or a boolean", () => {
    expect(of({ platform: 7, url: true }, { id: 12 }).record).toMatchObject({
      ...{ platform: "7", url: "true", survey_id: "12", additional_fields: null },
    });
  });

  it("leaves a list alone, which then goes to additional_fields whole", () => {
    const plan = { name: "plan", value: "pro" };
    const { record } = of({ attributes: [plan, 5], respondent: { attributes: "none" }, answers: [null] });
    expect(record).toMatchObject({
      ...{ attributes: [plan], respondent_attributes: null, answers: [] },
      additional_fields: { attributes: [plan, 5], respondent_attributes: "none" },
    });
  });
});
