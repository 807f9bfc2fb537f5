import { percent, signed } from "./numbers.ts";

/** How often a question was answered in a month, or in several. Of an NPS, promoters are good, and detractors bad. */
export interface Answers {
  readonly answers: number;
  readonly good: number;
  readonly bad: number;
}

/** A question that has one figure: its NPS, or its CSAT, which is the share of the satisfied. */
export interface Measure {
  readonly kind: "nps" | "csat";
  readonly surveyId: string;
  readonly questionId: string;
  /** In words; null if the service does not list the question. */
  readonly question: string | null;
  /** Its months with answers, by their names, such as 2026-09. */
  readonly months: ReadonlyMap<string, Answers>;
}

/** With fewer answers than these, a figure says little, and the page says so. */
export const FEW_ANSWERS = 30;

/** How many standard errors lie on either side of a figure, for a confidence of 95 %. */
const STANDARD_ERRORS = 1.96;

/** The answers of these months together; of all months without a list. */
export function answersIn({ months }: Measure, names: readonly string[] = [...months.keys()]): Answers {
  const found = names.map((name) => months.get(name)).filter((of) => of !== undefined);
  const sum = (of: keyof Answers) => found.reduce((total, answers) => total + answers[of], 0);
  return { answers: sum("answers"), good: sum("good"), bad: sum("bad") };
}

/** 100 × (good − bad) / answers: from -100 to 100, and from 0 to 100 if there is no bad. */
export const scoreOf = ({ answers, good, bad }: Answers): number => (100 * (good - bad)) / answers;

/**
 * By how much chance alone may have moved the score, up or down, in 95 of 100 cases: 1.96 standard errors of the mean of
 * answers that count 1, 0 and -1. It is 0 if all answers are alike, which says nothing.
 */
export function marginOf({ answers, good, bad }: Answers): number {
  const mean = (good - bad) / answers;
  const variance = (good + bad) / answers - mean ** 2;
  return 100 * STANDARD_ERRORS * Math.sqrt(variance / answers);
}

/** "+17" of an NPS, "82 %" of a CSAT. */
export const shownScore = (kind: Measure["kind"], of: Answers): string =>
  kind === "nps" ? signed(scoreOf(of)) : percent(of.good, of.answers);
