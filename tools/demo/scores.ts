/** A record as the program writes it. */
export type Data = { readonly [field: string]: unknown };

const SATISFIED_FROM = 4;
const TAGS: readonly unknown[] = ["promoter", "passive", "detractor"];

/** Whether the answer counts for an NPS. */
export const isNps = ({ nps_tag: tag }: Data): boolean => TAGS.includes(tag);

/** Whether the answer counts for a CSAT. */
export const isCsat = ({ question_type: type, value_number: rating }: Data): boolean =>
  type === "csat" && typeof rating === "number";

/** The answers to one question. */
export interface Asked {
  readonly survey: string;
  /** Its text, if the survey asks several of these questions. */
  readonly question: string | undefined;
  readonly answers: readonly Data[];
}

/** Survey and question on one line. */
export const nameOf = ({ survey, question }: Pick<Asked, "survey" | "question">): string =>
  question === undefined ? survey : `${survey}: ${question}`;

/**
 * The answers by question, under the name of the survey. If a survey asks several of these questions, each has its
 * text in the name, because a score that mixes two questions means nothing.
 */
export function byQuestion(answers: readonly Data[]): Asked[] {
  const surveys = Map.groupBy(answers, ({ survey_name: name, survey_id: id }) => String(name ?? id));
  return [...surveys].flatMap(([survey, own]) => {
    const questions = Map.groupBy(own, ({ question_id: id }) => id);
    return [...questions].map(([id, of]): Asked => {
      const text = String(of[0]?.question ?? `question ${id}`);
      return { survey, question: questions.size === 1 ? undefined : text, answers: of };
    });
  });
}

const shareOf = (answers: readonly Data[], tag: string): number =>
  answers.filter(({ nps_tag }) => nps_tag === tag).length / answers.length;

/** The NPS of answers to one question, of which there is at least one: from -100 to 100. */
export const npsOf = (answers: readonly Data[]): number =>
  100 * (shareOf(answers, "promoter") - shareOf(answers, "detractor"));

/** The CSAT of answers to one question, of which there is at least one: percent of ratings of 4 or 5. */
export const csatOf = (answers: readonly Data[]): number =>
  (100 * answers.filter(({ value_number }) => Number(value_number) >= SATISFIED_FROM).length) /
  answers.length;

/** A score as people write it: whole, and a plus before what is positive. */
export const signed = (score: number): string => `${Math.round(score) > 0 ? "+" : ""}${Math.round(score)}`;

const BAR_WIDTH = 30;

/** The NPS of each question as lines for a terminal, best first. Give each answer once. */
export function npsLines(answers: readonly Data[]): string[] {
  const questions = byQuestion(answers.filter(isNps));
  const width = Math.max(...questions.map((asked) => nameOf(asked).length));
  return questions
    .toSorted((one, other) => npsOf(other.answers) - npsOf(one.answers))
    .map((asked) => {
      const of = asked.answers;
      const unhappy = Math.round(BAR_WIDTH * shareOf(of, "detractor"));
      const happy = Math.min(Math.round(BAR_WIDTH * shareOf(of, "promoter")), BAR_WIDTH - unhappy);
      const bar = "░".repeat(unhappy) + "▒".repeat(BAR_WIDTH - unhappy - happy) + "█".repeat(happy);
      return `${nameOf(asked).padEnd(width)}  ${signed(npsOf(of)).padStart(4)}  ${bar}  ${of.length} ${of.length === 1 ? "answer" : "answers"}`;
    });
}
