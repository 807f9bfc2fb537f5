import { nps as scored } from "./answers.ts";
import { type QuestionParts, questionOf } from "./question.ts";
import { itemAt, Random } from "./random.ts";
import type { RespondentInput } from "./respondents.ts";
import type { ResponseInput, SurveyOptions } from "./survey.ts";
import { SURVEY_IDS } from "./survey-ids.ts";

interface Person {
  readonly uuid: string;
  readonly plan: string;
  /** How much happier than others this person is. */
  readonly content: number;
}

const PLANS = ["Free", "Team", "Business"];
const DEVICES = [
  { device_type: "Desktop", operating_system: "macOS", platform: "Safari" },
  { device_type: "Desktop", operating_system: "Windows", platform: "Chrome" },
  { device_type: "Mobile", operating_system: "iOS", platform: "Safari" },
  { device_type: "Tablet", operating_system: "Android", platform: "Chrome" },
];
/** Parts of the product: how much better than others they are graded, and how much more important people find them. */
const PARTS = [
  { content: "Speed", better: 0.3, weight: 0.5 },
  { content: "Design", better: 0.6, weight: 0 },
  { content: "Price", better: -0.9, weight: 0.8 },
  { content: "Support", better: 0, weight: 0.3 },
];
const nameOf = ({ content }: { readonly content: string }): string => content;
const GRADES = ["Poor", "Fair", "Good", "Great"];
const MOODS = ["Terrible", "Bad", "Fine", "Good", "Great"];
const EASE = ["Very easy", "Easy", "Hard"];
const COMPLAINTS = [
  "I could not find the export.",
  "Too many emails.",
  "It was slow all week.",
  "The price went up without a word.",
  "Nobody answered my ticket.",
  "The search finds everything but my file.",
  "I was asked to log in three times before lunch.",
  "The app on my phone forgets what I typed.",
];
const PRAISE = [
  "Works as it should.",
  "The new dashboard is lovely.",
  "Support was quick!",
  "Ready in five minutes, and the guide was right.",
  "Saves me an hour every Friday.",
  "My whole team uses it now.",
  "Finally an import that keeps our accents: Zoë, José, 민준.",
  "",
];

const PEOPLE = 120;
/** A share of the people skip a question that they may skip. */
const SKIPPED = 0.12;

/**
 * A made-up company with a year that has a story: people like the onboarding better each month, and the support had
 * a bad spring. Two more surveys have no responses: one is disabled, the other a draft. The same in each run. The
 * examples of `docs/questions.md` ask about it, and `--company` serves it.
 */
export function exampleCompany(): {
  readonly surveys: readonly SurveyOptions[];
  readonly respondents: readonly RespondentInput[];
} {
  const draw = new Random(7);
  const people = peopleOf(draw);
  const surveys = SURVEYS.map((survey, number) => {
    const responses = survey.moods.flatMap((mood, month) =>
      Array.from({ length: 16 + 3 * month + draw.below(8) }, () =>
        responseOf(draw, people, survey, mood, () => {
          const [day, hour, minute] = [1 + draw.below(28), draw.below(24), draw.below(60)];
          return Date.UTC(2026, month, day, hour, minute, draw.below(60), draw.below(1000));
        }),
      ),
    );
    const answer = (number: number) =>
      responseOf(new Random(number), people, survey, survey.moods.at(-1) ?? 0, () => 0);
    const questions = survey.questions.map((of) => questionOf(...of));
    return { id: itemAt(SURVEY_IDS, number), name: survey.name, questions, responses, answer };
  });
  const attributesOf = ({ plan }: Person) => [{ name: "plan", value: plan }];
  return {
    respondents: people.map((one) => ({ uuid: one.uuid, attributes: attributesOf(one) })),
    surveys: [...surveys, ...EMPTY_SURVEYS],
  };
}

const launch = {
  start_at: "2025-09-01T09:00:00+02:00",
  end_at: "2025-10-31T18:00:00+01:00",
  responses_limit: 500,
};
const EMPTY_SURVEYS: readonly SurveyOptions[] = [
  {
    id: SURVEY_IDS[3],
    name: "Website relaunch",
    enabled: false,
    launch,
    responses: [],
    questions: [questionOf(4001, "single", "How do you like our new website?")],
  },
  {
    id: SURVEY_IDS[4],
    name: "Exit survey (draft)",
    responses: [],
    questions: [questionOf(5001, "single", "Why are you leaving us?")],
  },
];

const peopleOf = (draw: Random): Person[] =>
  Array.from({ length: PEOPLE }, (_, number) => ({
    uuid: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    plan: itemAt(PLANS, number * 7),
    content: draw.share() * 3 - 1.5 + ((number * 7) % 3) * 0.5,
  }));

/** A response of somebody on some device, who feels about as the mood says. */
function responseOf(
  draw: Random,
  people: readonly Person[],
  { page, answers }: CompanySurvey,
  mood: number,
  timeMs: () => number,
): ResponseInput {
  const person = draw.pick(people);
  const device = draw.pick(DEVICES);
  const felt = mood + person.content + (draw.share() - 0.5) * 5 - (device.device_type === "Mobile" ? 0.8 : 0);
  return {
    collected_at: new Date(timeMs()).toISOString().replace("Z", "000Z"),
    respondent_uuid: person.uuid,
    fields: {
      ...device,
      url: `https://app.example/${page}?ticket_id=${10_000 + draw.below(900)}&from=mail`,
      language: draw.pick(["en", "de", "ko"]),
      answers: answers(draw, Math.min(10, Math.max(0, felt))),
    },
  };
}

interface CompanySurvey {
  /** The page of the app on which it is shown. */
  readonly page: number;
  readonly name: string;
  readonly questions: readonly (readonly [id: number, type: string, text: string, parts?: QuestionParts])[];
  /** How content people are with the survey's subject, month by month: from 0 to 10. */
  readonly moods: readonly number[];
  /** The answers of a person who feels so, from 0 to 10. */
  readonly answers: (draw: Random, felt: number) => object[];
}

const SURVEYS: readonly CompanySurvey[] = [
  {
    page: 1001,
    name: "Onboarding",
    questions: [
      [1001, "numerical_scale", "Would you recommend us?"],
      [1002, "single", "How easy was the setup?", { choices: EASE }],
      [1003, "single", "What should we know?"],
    ],
    moods: [5.6, 6.0, 6.3, 6.9, 7.4, 7.6, 8.1, 8.4, 8.6],
    answers: (draw, felt) => [
      nps(1001, felt),
      ...unless(draw, SKIPPED, () => choice(1002, EASE, felt > 7 ? 0 : felt > 4.5 ? 1 : 2)),
      ...unless(draw, 0.45, () => text(draw, 1003, felt)),
    ],
  },
  {
    page: 1002,
    name: "Product feedback",
    questions: [
      [2001, "numerical_scale", "Would you recommend us?"],
      [2002, "csat", "How satisfied are you with the product?", { choices: MOODS, firstChoice: 1 }],
      [2003, "multiple", "How good is each part?", { choices: PARTS.map(nameOf), columns: GRADES }],
      [2004, "ranking", "What matters most to you?", { choices: PARTS.map(nameOf) }],
      [2005, "numerical_scale", "Would you recommend our dashboard?"],
    ],
    moods: [7.6, 7.5, 7.8, 7.4, 7.7, 7.9, 7.8, 8.0, 7.9],
    answers: (draw, felt) => [
      nps(2001, felt),
      ...unless(draw, SKIPPED, () => csat(2002, felt)),
      ...unless(draw, 0.25, () => matrix(draw, 2003, felt)),
      ...unless(draw, 0.55, () => ranking(draw, 2004)),
      // A second score, which is lower than the first one.
      nps(2005, Math.max(0, felt - 2)),
    ],
  },
  {
    page: 1003,
    name: "Support",
    questions: [
      [3001, "numerical_scale", "Would you recommend us?"],
      [3002, "csat", "How satisfied are you with our support?", { choices: MOODS, firstChoice: 1 }],
      [3003, "single", "What could we do better?"],
    ],
    moods: [8.2, 8.0, 7.9, 5.2, 4.9, 6.4, 7.4, 7.9, 8.1],
    answers: (draw, felt) => [
      nps(3001, felt),
      ...unless(draw, SKIPPED, () => csat(3002, felt)),
      ...unless(draw, 0.35, () => text(draw, 3003, felt)),
    ],
  },
];

/** The answer, or nothing for a share of the people. */
const unless = (draw: Random, skipped: number, answer: () => object): object[] =>
  draw.share() < skipped ? [] : [answer()];

const nps = (question_id: number, felt: number) => ({
  question_id,
  question_type: "numerical_scale",
  ...scored(Math.round(felt)),
});

const text = (draw: Random, question_id: number, felt: number) => ({
  question_id,
  question_type: "single",
  answer: draw.pick(felt < 6.5 ? COMPLAINTS : PRAISE),
});

function csat(question_id: number, felt: number) {
  const rating = Math.min(5, 1 + Math.floor(felt / 2));
  const answer = { id: question_id * 100 + rating, content: itemAt(MOODS, rating - 1), rating };
  return { question_id, question_type: "csat", answer };
}

const choice = (question_id: number, contents: readonly string[], which: number) => ({
  question_id,
  question_type: "single",
  answer: { id: question_id * 100 + which, content: itemAt(contents, which) },
});

const matrix = (draw: Random, question_id: number, felt: number) => ({
  question_id,
  question_type: "multiple",
  answers: PARTS.map(({ content, better }, number) => {
    const grade = Math.round(felt / 3.4 + better + draw.share() - 0.5);
    const score = itemAt(GRADES, Math.min(3, Math.max(0, grade)));
    return { id: question_id * 100 + number, content, score };
  }),
});

function ranking(draw: Random, question_id: number) {
  const parts = PARTS.map(({ content, weight }, number) => {
    return { id: question_id * 100 + number, content, weight: draw.share() + weight };
  }).sort((one, other) => other.weight - one.weight);
  const answers = parts.map(({ id, content }, place) => ({ id, content, rank: place + 1 }));
  return { question_id, question_type: "ranking", answers };
}
