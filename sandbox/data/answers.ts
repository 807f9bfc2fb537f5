import { itemAt, type Random } from "./random.ts";
import type { Answer } from "./record.ts";
import { NEUTRAL_REMARKS, type Theme } from "./themes.ts";

/** What an answer has besides its question's id and type. */
type AnswerShape = Readonly<Record<string, unknown>>;

/** One respondent while they fill in a survey. */
interface Respondent {
  readonly random: Random;
  readonly theme: Theme;
  /** How likely they are to recommend it, 0 to 10. Their other answers agree with it. */
  readonly score: number;
}

/** How much the respondent likes something, from 0 to 4: near their score, but not always the same. */
const ratingOf = ({ random, score }: Respondent): number =>
  Math.min(4, Math.max(0, Math.floor(score / 2.2) + random.below(3) - 1));

function remarkOf({ random, theme, score }: Respondent): string {
  if (random.below(5) === 0) return random.pick(NEUTRAL_REMARKS);
  return random.pick(score < 7 ? theme.criticism : score < 9 ? NEUTRAL_REMARKS : theme.praise);
}

/** A chosen option with its id. One in three respondents adds a comment. */
const chosen = (who: Respondent, options: readonly string[], place: number, firstId: number) => ({
  id: firstId + place,
  content: itemAt(options, place),
  ...(who.random.below(3) === 0 && { comment: remarkOf(who) }),
});

/** A score from 0 to 10, as the service sends it. */
export const nps = (score: number) => ({
  answer: { content: String(score), tag: score < 7 ? "detractor" : score < 9 ? "passive" : "promoter" },
});

function rated(who: Respondent, firstId: number): AnswerShape {
  const place = ratingOf(who);
  return { answer: { id: firstId + place, content: itemAt(who.theme.opinions, place), rating: place + 1 } };
}

const FIRST_NAMES = ["Ada", "Zoë", "Łukasz", "美咲", "Inês", "Min-jun"];
const MATRIX_OPTIONS = ["Terrible", "Bad", "Fine", "Good", "Great"];

const contact = ({ random }: Respondent): AnswerShape => ({
  fields: [
    { type: "first_name", content: random.pick(FIRST_NAMES) },
    { type: "email", content: `person${random.below(10_000)}@example.com` },
    { type: "phone", content: random.below(2) === 0 ? "" : `+1 202 555 01${10 + random.below(90)}` },
  ],
});

/** An entry for each of the first few topics. */
const forTopics = (topics: readonly string[], firstId: number, more: (place: number) => AnswerShape) => ({
  answers: topics.map((content, place) => ({ id: firstId + place, content, ...more(place) })),
});

function ranking({ random, theme }: Respondent, firstId: number): AnswerShape {
  const first = random.below(4);
  return forTopics(theme.topics.slice(0, 4), firstId, (place) => ({ rank: ((place + first) % 4) + 1 }));
}

function several(who: Respondent, firstId: number): AnswerShape {
  const { topics } = who.theme;
  const from = who.random.below(3);
  return { answers: topics.slice(from).map((_, place) => chosen(who, topics, from + place, firstId)) };
}

type Question = readonly [questionType: string, (who: Respondent, firstId: number) => AnswerShape];
const NPS_QUESTION = 8;

/** The questions of every survey. They have every question type and every kind of answer. */
const QUESTIONS: readonly Question[] = [
  ["single", (who, id) => ({ answer: chosen(who, who.theme.opinions, ratingOf(who), id) })],
  ["multiple", several],
  ["dropdown_list", (who, id) => ({ answer: chosen(who, who.theme.topics, who.random.below(5), id) })],
  ["rating", rated],
  ["csat", rated],
  ["smiley_scale", rated],
  ["single", contact],
  ["single", (who) => ({ answer: remarkOf(who) })],
  ["numerical_scale", ({ score }) => nps(score)],
  [
    "multiple",
    (who, id) =>
      forTopics(who.theme.topics.slice(0, 3), id, () => ({ score: itemAt(MATRIX_OPTIONS, ratingOf(who)) })),
  ],
  ["ranking", ranking],
  ["single", ({ random }) => ({ action_performed: random.below(2) === 1 })],
];

/** One respondent's answers. Skipped questions are left out; one in five respondents skips all of them. */
export function answersOf(random: Random, theme: Theme, score: number, surveyNumber: number): Answer[] {
  const skipped = random.below(5);
  return QUESTIONS.flatMap(([question_type, answer], number): Answer[] => {
    const skips = random.below(4) < skipped;
    if (skipped === 4 || (skips && number !== NPS_QUESTION)) return [];
    const question_id = (surveyNumber + 1) * 1_000 + number + 1;
    return [{ question_id, question_type, ...answer({ random, theme, score }, question_id * 100) }];
  });
}
