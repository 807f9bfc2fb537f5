import { type AnswerFields, byQuestion, isNps, npsOf, signed } from "./scores.ts";

const BAR_WIDTH = 30;

/**
 * The NPS of each survey as lines for a terminal, best first, from records of `survey_answers`; each record counts
 * once, so give each answer once. Undefined if no record is an NPS answer.
 */
export function npsBySurvey(answers: Iterable<AnswerFields>): string | undefined {
  const questions = byQuestion([...answers].filter(isNps));
  if (questions.size === 0) return undefined;
  const width = Math.max(...[...questions.keys()].map((name) => name.length));
  const lines = [...questions].map(([name, answered]) => {
    const { score, promoters, detractors, answers: total } = npsOf(answered);
    const unhappy = Math.round((BAR_WIDTH * detractors) / total);
    const happy = Math.min(Math.round((BAR_WIDTH * promoters) / total), BAR_WIDTH - unhappy);
    const bar = "░".repeat(unhappy) + "▒".repeat(BAR_WIDTH - unhappy - happy) + "█".repeat(happy);
    const count = `${total} ${total === 1 ? "answer" : "answers"}`;
    return { score, line: `${name.padEnd(width)}  ${signed(score).padStart(4)}  ${bar}  ${count}` };
  });
  const sorted = lines.toSorted((one, other) => other.score - one.score).map(({ line }) => `  ${line}`);
  return ["NPS by survey (░ detractors  ▒ passives  █ promoters):", ...sorted].join("\n");
}
