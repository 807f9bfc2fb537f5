import type { RandomSource } from "./random.ts";
import type { Answer, AnswerShape, QuestionType } from "./record.ts";

const OPINIONS = ["Very easy to use", "Too many steps", "I found it by chance", "Good value", "Other"];
const REASONS = ["Price", "Support", "Speed of delivery", "Design", "Recommendation by a friend"];
const REMARKS = [
  "The new layout took me a while, but now I would not want to go back.",
  'It says "saved", and then it is not.',
  "Größe und Farbe stimmten, die Lieferung kam früh. Gerne wieder! 👍",
  "First line.\nSecond line, with a tab\tand a back\\slash.",
  "",
];
const MOODS = ["Terrible", "Bad", "Fine", "Good", "Great"];

const nps = (score: number): AnswerShape => ({
  answer: { content: String(score), tag: score < 7 ? "detractor" : score < 9 ? "passive" : "promoter" },
});

const commented = (random: RandomSource, content: string, id: number) => ({
  id,
  content,
  ...(random.below(3) === 0 ? { comment: random.pick(REMARKS) } : {}),
});

type Question = readonly [QuestionType, (random: RandomSource, firstId: number) => AnswerShape];

/** One questionnaire for all surveys; it holds every question type and all nine answer shapes. */
const QUESTIONS: readonly Question[] = [
  ["single", (random, id) => ({ answer: commented(random, random.pick(OPINIONS), id + random.below(5)) })],
  [
    "multiple",
    (random, id) => ({
      answers: REASONS.slice(random.below(3)).map((reason, number) => commented(random, reason, id + number)),
    }),
  ],
  [
    "dropdown_list",
    (random, id) => ({ answer: commented(random, random.pick(REASONS), id + random.below(5)) }),
  ],
  ["rating", (random, id) => starred(random, id)],
  ["csat", (random, id) => starred(random, id)],
  ["smiley_scale", (random, id) => starred(random, id)],
  [
    "single",
    (random) => ({
      fields: [
        { type: "first_name", content: random.pick(["Ada", "Zoë", "Łukasz", "美咲"]) },
        { type: "email", content: `person${random.below(10_000)}@example.com` },
        { type: "phone", content: "" },
      ],
    }),
  ],
  ["single", (random) => ({ answer: random.pick(REMARKS) })],
  ["numerical_scale", (random) => nps(random.below(11))],
  [
    "multiple",
    (random, id) => ({
      answers: REASONS.slice(0, 3).map((content, number) => ({
        id: id + number,
        content,
        score: random.pick(MOODS),
      })),
    }),
  ],
  [
    "ranking",
    (random, id) => {
      const first = random.below(4);
      return {
        answers: REASONS.slice(0, 4).map((content, number) => ({
          id: id + number,
          content,
          rank: ((number + first) % 4) + 1,
        })),
      };
    },
  ],
  ["single", (random) => ({ action_performed: random.below(2) === 1 })],
];

function starred(random: RandomSource, firstId: number): AnswerShape {
  const rating = random.below(5) + 1;
  return { answer: { id: firstId + rating, content: MOODS[rating - 1]!, rating } };
}

/** The answers of one respondent to the questionnaire; skipped questions are left out, now and then all. */
export function answersOf(random: RandomSource, surveyNumber: number): Answer[] {
  const skipped = random.below(5);
  return QUESTIONS.flatMap(([question_type, answer], number): Answer[] => {
    if (random.below(4) < skipped) return [];
    const question_id = (surveyNumber + 1) * 1_000 + number + 1;
    return [{ question_id, question_type, ...answer(random, question_id * 100) }];
  });
}
