import type { Draw } from "./chance.ts";
import type { Answer, AnswerShape, QuestionType } from "./record.ts";

const opinions = ["Very easy to use", "Too many steps", "I found it by chance", "Good value", "Other"];
const reasons = ["Price", "Support", "Speed of delivery", "Design", "Recommendation by a friend"];
const remarks = [
  "The new layout took me a while, but now I would not want to go back.",
  'It says "saved", and then it is not.',
  "Größe und Farbe stimmten, die Lieferung kam früh. Gerne wieder! 👍",
  "First line.\nSecond line, with a tab\tand a back\\slash.",
  "",
];
const moods = ["Terrible", "Bad", "Fine", "Good", "Great"];

const nps = (score: number): AnswerShape => ({
  answer: { content: String(score), tag: score < 7 ? "detractor" : score < 9 ? "passive" : "promoter" },
});

const commented = (draw: Draw, content: string, id: number) => ({
  id,
  content,
  ...(draw.below(3) === 0 ? { comment: draw.pick(remarks) } : {}),
});

type Question = readonly [QuestionType, (draw: Draw, firstId: number) => AnswerShape];

/** One questionnaire for all surveys; it holds every question type and all nine answer shapes. */
const questions: readonly Question[] = [
  ["single", (draw, id) => ({ answer: commented(draw, draw.pick(opinions), id + draw.below(5)) })],
  [
    "multiple",
    (draw, id) => ({
      answers: reasons.slice(draw.below(3)).map((reason, number) => commented(draw, reason, id + number)),
    }),
  ],
  ["dropdown_list", (draw, id) => ({ answer: commented(draw, draw.pick(reasons), id + draw.below(5)) })],
  ["rating", (draw, id) => starred(draw, id)],
  ["csat", (draw, id) => starred(draw, id)],
  ["smiley_scale", (draw, id) => starred(draw, id)],
  [
    "single",
    (draw) => ({
      fields: [
        { type: "first_name", content: draw.pick(["Ada", "Zoë", "Łukasz", "美咲"]) },
        { type: "email", content: `person${draw.below(10_000)}@example.com` },
        { type: "phone", content: "" },
      ],
    }),
  ],
  ["single", (draw) => ({ answer: draw.pick(remarks) })],
  ["numerical_scale", (draw) => nps(draw.below(11))],
  [
    "multiple",
    (draw, id) => ({
      answers: reasons
        .slice(0, 3)
        .map((content, number) => ({ id: id + number, content, score: draw.pick(moods) })),
    }),
  ],
  [
    "ranking",
    (draw, id) => {
      const first = draw.below(4);
      return {
        answers: reasons
          .slice(0, 4)
          .map((content, number) => ({ id: id + number, content, rank: ((number + first) % 4) + 1 })),
      };
    },
  ],
  ["single", (draw) => ({ action_performed: draw.below(2) === 1 })],
];

function starred(draw: Draw, firstId: number): AnswerShape {
  const rating = draw.below(5) + 1;
  return { answer: { id: firstId + rating, content: moods[rating - 1]!, rating } };
}

/** The answers of one respondent to the questionnaire; skipped questions are left out, now and then all. */
export function answersOf(draw: Draw, surveyNumber: number): Answer[] {
  const skipped = draw.below(5);
  return questions.flatMap(([question_type, answer], number): Answer[] => {
    if (draw.below(4) < skipped) return [];
    const question_id = (surveyNumber + 1) * 1_000 + number + 1;
    return [{ question_id, question_type, ...answer(draw, question_id * 100) }];
  });
}
