import { itemAt, type Random } from "./random.ts";
import type { Answer } from "./record.ts";

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
function ratingOf({ random, score }: Respondent): number {
  return Math.min(4, Math.max(0, Math.floor(score / 2.2) + random.below(3) - 1));
}

function remarkOf({ random, theme, score }: Respondent): string {
  if (random.below(5) === 0) return random.pick(NEUTRAL_REMARKS);
  return random.pick(score < 7 ? theme.criticism : score < 9 ? NEUTRAL_REMARKS : theme.praise);
}

/** A chosen option with its id. One in three respondents adds a comment. */
const chosen = (who: Respondent, options: readonly string[], place: number, firstId: number) => ({
  id: firstId + place,
  content: itemAt(options, place),
  ...(who.random.below(3) === 0 ? { comment: remarkOf(who) } : {}),
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

function contact({ random }: Respondent): AnswerShape {
  const phone = `+1 202 555 01${10 + random.below(90)}`;
  return {
    fields: [
      { type: "first_name", content: random.pick(FIRST_NAMES) },
      { type: "email", content: `person${random.below(10_000)}@example.com` },
      { type: "phone", content: random.below(2) === 0 ? "" : phone },
    ],
  };
}

function matrix(who: Respondent, firstId: number): AnswerShape {
  const topics = who.theme.topics.slice(0, 3);
  return {
    answers: topics.map((content, place) => {
      return { id: firstId + place, content, score: itemAt(MATRIX_OPTIONS, ratingOf(who)) };
    }),
  };
}

function ranking({ random, theme }: Respondent, firstId: number): AnswerShape {
  const first = random.below(4);
  return {
    answers: theme.topics.slice(0, 4).map((content, place) => {
      return { id: firstId + place, content, rank: ((place + first) % 4) + 1 };
    }),
  };
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
  ["multiple", matrix],
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

const FIRST_PERSONAL_QUESTION_ID = 990_001;

/**
 * One answer of every kind, with personal data in each place that can hold it; a place ends with the name of the
 * kind. Scores and ranks stay valid; unknown fields hold the rest.
 */
export function personalAnswers(
  plant: (kind: "email" | "name" | "phone", place: string) => string,
  sentence: (place: string) => string,
): Answer[] {
  return [
    {
      question_type: "single",
      answer: {
        id: 1,
        content: sentence("answers: content of single_choice"),
        comment: sentence("answers: comment of single_choice"),
      },
    },
    {
      question_type: "multiple",
      answers: [
        {
          id: 2,
          content: sentence("answers: content of multiple_choice"),
          comment: sentence("answers: comment of multiple_choice"),
        },
      ],
    },
    {
      question_type: "rating",
      answer: { id: 3, content: sentence("answers: content of rating"), rating: 3 },
    },
    {
      question_type: "single",
      fields: [
        { type: "first_name", content: plant("name", "answers: first_name field of contact_form") },
        { type: "email", content: plant("email", "answers: email field of contact_form") },
        { type: "phone", content: plant("phone", "answers: phone field of contact_form") },
        { type: "message", content: sentence("answers: message field of contact_form") },
      ],
    },
    { question_type: "single", answer: sentence("answers: text of text") },
    {
      question_type: "numerical_scale",
      answer: { content: "7", tag: "passive", remark: sentence("answers: unknown field of nps") },
    },
    {
      question_type: "multiple",
      answers: [
        {
          id: 4,
          content: sentence("answers: content of matrix"),
          score: sentence("answers: score of matrix"),
        },
      ],
    },
    {
      question_type: "ranking",
      answers: [{ id: 5, content: sentence("answers: content of ranking"), rank: 1 }],
    },
    { question_type: "single", action_performed: true, note: sentence("answers: unknown field of action") },
  ].map((answer, place) => ({ question_id: FIRST_PERSONAL_QUESTION_ID + place, ...answer }));
}

/** The texts of one kind of survey, and how its respondents score. */
interface Theme {
  /** Options of a question, from the worst to the best. */
  readonly opinions: readonly [string, string, string, string, string];
  /** Options of questions with several answers, a matrix or a ranking. */
  readonly topics: readonly [string, string, string, string, string];
  readonly praise: readonly string[];
  readonly criticism: readonly string[];
  /** Percent of the respondents that give each score from 0 to 10. */
  readonly scores: readonly number[];
}

/** Remarks of people who are neither pleased nor angry. They hold what breaks careless programs. */
const NEUTRAL_REMARKS = [
  'It says "saved", and then it is not.',
  "Größe und Farbe stimmten, die Lieferung kam später als erwartet. 👍",
  "First line.\nSecond line, with a tab\tand a back\\slash.",
  "使い方は簡単ですが、もう少し速いと嬉しいです。",
  "",
];

/** The themes of the example surveys, in their order. Their net promoter scores differ clearly. */
const THEMES: readonly Theme[] = [
  {
    opinions: ["Very disappointed", "Disappointed", "As expected", "Pleased", "Delighted"],
    topics: ["Price", "Delivery", "Quality", "Packaging", "Choice of products"],
    praise: [
      "Arrived a day early and exactly as described.",
      "I have ordered three times now and was never disappointed.",
      "The return was easy and the refund came the same week.",
    ],
    criticism: ["The box was damaged and one cup was broken.", "Shipping cost more than the product."],
    scores: [2, 1, 1, 2, 3, 4, 5, 10, 18, 26, 28],
  },
  {
    opinions: ["Far too expensive", "Too expensive", "About right", "Good value", "A bargain"],
    topics: ["Price", "Number of seats", "Integrations", "Contract length", "Support included"],
    praise: ["The starter plan has everything that my team needs.", "Clear prices, no hidden fees."],
    criticism: [
      "I cannot find out what happens when we exceed the limit.",
      "Per-seat pricing does not work for a team of volunteers.",
      "We moved to a competitor because of the price.",
    ],
    scores: [6, 4, 5, 7, 8, 11, 12, 17, 14, 9, 7],
  },
  {
    opinions: ["Very hard to use", "Hard to use", "Usable", "Easy to use", "Very easy to use"],
    topics: ["Speed", "Design", "Search", "Notifications", "Offline mode"],
    praise: ["I use it every morning on the train.", "The dark mode is beautiful."],
    criticism: ["It logs me out after every update.", "Since the last update it drains the battery."],
    scores: [3, 2, 3, 4, 5, 8, 10, 15, 18, 17, 15],
  },
  {
    opinions: ["Not solved at all", "Hardly solved", "Partly solved", "Mostly solved", "Completely solved"],
    topics: ["Waiting time", "Friendliness", "Knowledge", "Follow-up", "Opening hours"],
    praise: [
      "Maria solved it in five minutes. Thank you!",
      "Finally a support team that reads the whole question.",
    ],
    criticism: ["I had to explain the problem to three people."],
    scores: [2, 1, 1, 1, 2, 2, 3, 6, 14, 28, 40],
  },
];

/** The theme of a survey by its number. */
export const themeOf = (surveyNumber: number): Theme => itemAt(THEMES, surveyNumber);

/** The score of a share of the respondents, from 0 to 1: the lowest scores first. */
export function scoreAt(theme: Theme, share: number): number {
  let percent = 0;
  for (const [score, weight] of theme.scores.entries()) {
    percent += weight;
    if (share * 100 < percent) return score;
  }
  return theme.scores.length - 1;
}
