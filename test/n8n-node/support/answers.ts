import type { Question } from "../../../sandbox/index.ts";
import * as setUp from "./set-up.ts";

export const RESPONDENT = "11111111-1111-4111-8111-111111111111";

/** Answers to a question with words, and to one with a score. */
export const SAID = [
  { question_id: 1001, question_type: "single", answer: "In a friend's words" },
  { question_id: 1006, question_type: "numerical_scale", answer: { content: "9", tag: "promoter" } },
];

/** n8n and a sandbox: survey 7 has a response with `SAID` and one without answers, and survey 8 has only `questions`. */
export async function startWithAnswers(questions: readonly Question[]) {
  const { sandbox, engine } = await setUp.startEngine({
    surveys: [
      { id: "7", name: "Pricing page", responses: [], questions: [] },
      { id: "8", responses: [], questions },
    ],
    respondents: [{ uuid: RESPONDENT, attributes: [{ name: "plan", value: "pro" }] }],
  });
  for (const [second, answers] of [SAID, []].entries())
    sandbox.service.collect("7", [
      { collected_at: setUp.at(second), respondent_uuid: RESPONDENT, fields: { answers } },
    ]);
  return { sandbox, engine };
}
