import { describe, expect, it } from "vitest";
import { companyAnswers, createService, exampleCompany } from "../../../sandbox/index.ts";

describe("the example company", () => {
  it("is the same in each run, and answers later in the same way", () => {
    const [one, other] = [exampleCompany(), exampleCompany()];
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    expect(companyAnswers("1002", [1e12])).toEqual(companyAnswers("1002", [1e12]));
    expect(() => companyAnswers("9", [1e12])).toThrow('The company has no survey "9".');
  });

  it("gets answers of its own people to its own questions from collect and from the page's buttons", () => {
    const company = exampleCompany();
    const { collect, truth } = createService(company);
    const people = new Set(company.respondents.map(({ uuid }) => uuid));
    for (const id of truth.surveyIds()) {
      const questions = new Set([...truth.answers(id)].flatMap(({ answers }) => answers.map(questionOf)));
      const added = new Set([...collect(id, 20), ...collect(id, 20)]);
      const items = [...truth.items(id)].filter(({ response }) => added.has(response.uuid));
      expect(items).toHaveLength(40);
      expect(items.every(({ response }) => people.has(response.respondent.uuid))).toBe(true);
      const answers = items.flatMap(({ response }) => response.answers);
      expect(answers.length).toBeGreaterThan(40);
      expect(answers.every((answer) => questions.has(questionOf(answer)))).toBe(true);
      expect(new Set(items.map(({ response }) => JSON.stringify(response.answers))).size).toBeGreaterThan(5);
    }
  });
});

const questionOf = (answer: unknown) => (answer as { question_id: number }).question_id;
