import { describe, expect, it } from "vitest";
import { ANSWER_KINDS, QUESTION_TYPES, readableAnswerRows } from "../../../connector/core/index.ts";
import { DEVICE_TYPES, OPERATING_SYSTEMS } from "../../../sandbox/data/record.ts";
import { exampleSurveys } from "../../../sandbox/index.ts";
import { inProcess, walk } from "../support/client.ts";
import { responses } from "../support/responses.ts";

describe("answers", () => {
  it("holds every kind of answer, all enumerations, and languages present and absent", async () => {
    const client = await inProcess({ surveys: [{ id: "1", responses }] });
    const { items } = await walk(client, "/surveys/1/responses?items_per_page=100&attributes[]=plan");
    // biome-ignore lint/suspicious/noExplicitAny: items are looked at in every detail
    const all = items.map((item: any) => item.response);
    expect(new Set(all.map(({ device_type }) => device_type))).toEqual(new Set(DEVICE_TYPES));
    expect(new Set(all.map(({ operating_system }) => operating_system))).toEqual(new Set(OPERATING_SYSTEMS));
    expect(new Set(all.map((response) => "language" in response))).toEqual(new Set([true, false]));
    expect(all.some(({ attributes }) => attributes.length > 0)).toBe(true);
    expect(all.some(({ respondent }) => respondent.attributes.length > 0)).toBe(true);
    expect(all.some(({ answers }) => answers.length === 0)).toBe(true);
    const answers = all.flatMap((response) => response.answers);
    expect(new Set(answers.map(({ question_type }) => question_type))).toEqual(new Set(QUESTION_TYPES));
    const types = readableAnswerRows(answers).rows.map(({ answer_type }) => answer_type);
    expect(new Set(types)).toEqual(new Set(Object.keys(ANSWER_KINDS)));
  });

  it("holds scores from 0 to 10, comments, and a net promoter score that differs from survey to survey", async () => {
    const client = await inProcess({ limits: false, surveys: exampleSurveys(1_000, 1) });
    const netScores: number[] = [];
    for (const id of client.service.truth.surveyIds()) {
      const { items } = await walk(client, `/surveys/${id}/responses?items_per_page=100`);
      // biome-ignore lint/suspicious/noExplicitAny: answers are looked at in every detail
      const answers = items.flatMap((item: any) => item.response.answers);
      const scores = answers.flatMap(({ answer }) => (answer?.tag ? [answer] : []));
      expect(new Set(scores.map(({ content }) => content)).size).toBe(11);
      for (const { content, tag } of scores) {
        expect(tag).toBe(content < 7 ? "detractor" : content < 9 ? "passive" : "promoter");
      }
      expect(answers.filter(({ answer }) => answer?.comment).length).toBeGreaterThan(100);
      const count = (tag: string) => scores.filter((score) => score.tag === tag).length;
      netScores.push((100 * (count("promoter") - count("detractor"))) / scores.length);
    }
    const rising = [...netScores].sort((one, other) => one - other);
    for (const [place, score] of rising.slice(1).entries())
      expect(score - rising[place]!).toBeGreaterThan(10);
    expect(rising[0]).toBeLessThan(0);
    expect(rising.at(-1)).toBeGreaterThan(30);
  });

  it("gives an option of a question one id and one text", async () => {
    const client = await inProcess({ surveys: [{ id: "1", responses }] });
    const { items } = await walk(client, "/surveys/1/responses?items_per_page=100");
    const texts = new Map<number, string>();
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked at in every detail
    for (const { answer, answers } of items.flatMap((item: any) => item.response.answers)) {
      for (const { id, content } of [...(answers ?? []), ...(answer?.id ? [answer] : [])]) {
        expect(texts.get(id) ?? content).toBe(content);
        texts.set(id, content);
      }
    }
    expect(texts.size).toBeGreaterThan(20);
  });
});
