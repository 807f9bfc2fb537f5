import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ANSWER_FIELDS, QUESTION_TYPES } from "../../../../connector/core/answers/answer-fields.ts";
import { ANSWER_TYPES, DOCUMENTED_KINDS } from "../../../../connector/core/answers/answer-kinds.ts";
import { ANSWERS } from "../../../../connector/core/streams/answers-schema.ts";
import { STREAMS } from "../../../../connector/core/streams/index.ts";

describe("the kinds of answers", () => {
  it("and the types of questions are in the descriptions of survey_answers", () => {
    const { answer_type, question_type } = STREAMS.survey_answers.schema.properties as Record<
      string,
      { readonly description: string }
    >;
    expect(
      ANSWER_TYPES.filter((type) => !new RegExp(`\\b${type}\\b`).test(answer_type!.description)),
    ).toEqual([]);
    expect(question_type!.description).toContain(`Known values: ${QUESTION_TYPES.join(", ")}.`);
  });

  it("and the types of questions are in the document of the service", async () => {
    const document = await readFile(new URL("../../../../spec/service.md", import.meta.url), "utf8");
    const fields = Object.values(ANSWER_FIELDS).flatMap((names) => Object.keys(names));
    const [, table = ""] = /^\| Shape \|.*\n.*\n((?:\|.*\n)+)/m.exec(document) ?? [];
    const rows = table.trim().split("\n");
    expect(rows.length).toBe(DOCUMENTED_KINDS.length);
    expect(fields.filter((field) => !rows.some((row) => new RegExp(`\\b${field}\\b`).test(row)))).toEqual([]);
    expect(QUESTION_TYPES.filter((type) => !document.includes(`\`${type}\``))).toEqual([]);
  });

  it("describe the column answers of both streams of responses", () => {
    for (const { schema } of [STREAMS.survey_responses, STREAMS.respondent_responses]) {
      expect(schema.properties.answers).toEqual(ANSWERS);
    }
  });
});
