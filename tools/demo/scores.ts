/** The fields of a record of `survey_answers` that a score is made of. */
export interface AnswerFields {
  readonly survey_name?: unknown;
  readonly survey_id?: unknown;
  readonly question_id?: unknown;
  readonly question_type?: unknown;
  readonly nps_tag?: unknown;
  readonly value_number?: unknown;
}

export interface NetPromoterScore {
  readonly promoters: number;
  readonly passives: number;
  readonly detractors: number;
  readonly answers: number;
  /** From -100 to 100: the share of promoters less the share of detractors. */
  readonly score: number;
}

const SATISFIED_FROM = 4;

/** Whether the answer counts for an NPS. */
export const isNps = ({ nps_tag: tag }: AnswerFields): boolean =>
  tag === "promoter" || tag === "passive" || tag === "detractor";

/** Whether the answer counts for a CSAT. */
export const isCsat = ({ question_type: type, value_number: rating }: AnswerFields): boolean =>
  type === "csat" && typeof rating === "number";

/**
 * The answers by question, under the name of the survey. If a survey asks several of these questions, each has its
 * id in the name, because a score that mixes two questions means nothing.
 */
export function byQuestion<Answer extends AnswerFields>(answers: Iterable<Answer>): Map<string, Answer[]> {
  const surveys = new Map<string, Map<unknown, Answer[]>>();
  for (const answer of answers) {
    const name = String(answer.survey_name ?? answer.survey_id);
    const questions = surveys.get(name) ?? new Map<unknown, Answer[]>();
    surveys.set(name, questions);
    const asked = questions.get(answer.question_id) ?? [];
    questions.set(answer.question_id, asked);
    asked.push(answer);
  }
  return new Map(
    [...surveys].flatMap(([name, questions]) =>
      [...questions].map(([id, of]): [string, Answer[]] => [
        questions.size === 1 ? name : `${name}, question ${id}`,
        of,
      ]),
    ),
  );
}

/** The NPS of answers to one question, of which there is at least one. */
export function npsOf(answers: readonly AnswerFields[]): NetPromoterScore {
  const count = (tag: string) => answers.filter(({ nps_tag }) => nps_tag === tag).length;
  const [promoters, passives, detractors] = [count("promoter"), count("passive"), count("detractor")];
  const total = promoters + passives + detractors;
  const score = (100 * (promoters - detractors)) / total;
  return { promoters, passives, detractors, answers: total, score };
}

/** The CSAT of answers to one question, of which there is at least one: percent of ratings of 4 or 5. */
export const csatOf = (answers: readonly AnswerFields[]): number =>
  (100 * answers.filter(({ value_number }) => Number(value_number) >= SATISFIED_FROM).length) /
  answers.length;

/** A score as people write it: whole, and a plus before what is positive. */
export const signed = (score: number): string => `${Math.round(score) > 0 ? "+" : ""}${Math.round(score)}`;

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
