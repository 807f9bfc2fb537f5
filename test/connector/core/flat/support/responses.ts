import { createHash } from "node:crypto";
import { KEEP_ALL, type RecordTreatment, type SurveyResponse } from "@survey-export/core";
import { expect } from "vitest";
import { formOf, type OutputName } from "../../../../../connector/core/flat/form.ts";
import { surveyResponses } from "../../../../../connector/core/streams/survey-responses.ts";

export const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** An item of a list with these answers. */
export function itemOf(answers: readonly unknown[]) {
  const response = {
    uuid: "r1",
    collected_at: "2026-01-01T00:00:00.000000Z",
    url: "https://shop.example/?mail=w@mail.example",
    answers,
    attributes: [],
    respondent: { uuid: "00000000-0000-4000-8000-00000000000A" },
  };
  const survey = { id: "7", name: "Pricing" };
  const timestamp = response.collected_at as never;
  return { uuid: response.uuid, timestamp, response, survey, raw: { survey, response } };
}

/** A response as the stream gives it. */
export const response = (answers: readonly unknown[], attributes: Readonly<Record<string, unknown>> = {}) => {
  const [record] = surveyResponses.records(itemOf(answers), {
    unknown: { fields: new Set(), answers: new Map() },
  });
  const pairs = Object.entries(attributes).map(([name, value]) => ({ name, value }));
  return { ...record, attributes: pairs } as unknown as SurveyResponse;
};
/** What n8n shows of responses. */
export const tableOf = (
  output: OutputName,
  columns: readonly string[],
  responses: readonly SurveyResponse[],
  treatment: RecordTreatment = KEEP_ALL,
) => {
  const form = formOf(output, columns);
  const leaving = { treatment, warn: () => expect.fail() };
  return form.finish(responses.flatMap((one) => form.itemsOf(one, leaving))).rows;
};
