import { type Question, type QuestionParts, questionOf } from "./question.ts";
import { itemAt, Random, share, spread } from "./random.ts";
import type { AttributePair } from "./respondents.ts";

/** What a response holds besides its id, timestamp and people. Many responses share one. */
export interface Content {
  readonly url: string;
  readonly device_type: string;
  readonly operating_system: string;
  readonly platform: string;
  readonly language?: string;
  readonly answers: readonly object[];
}

/** A content, and attributes that are recorded with the response itself. */
export interface Variant {
  readonly content: Content;
  readonly attributes: readonly AttributePair[];
}

/** What people answer: opinions from the worst to the best, and options of questions with several answers. */
const OPINIONS = ["Very disappointed", "Disappointed", "As expected", "Pleased", "Delighted"];
const TOPICS = ["Price", "Speed", "Quality", "Support", "Choice of products"];
const CRITICISM = ["It took too long.", "The price went up again.", "I had to explain it to three people."];
const PRAISE = [
  "Exactly as described.",
  "I use it every morning.",
  "Maria solved it in five minutes. Thank you!",
];
/** Remarks of people who are neither pleased nor angry. They hold what breaks careless programs. */
const NEUTRAL_REMARKS = [
  'It says "saved", and then it is not.',
  "Größe und Farbe stimmten, die Lieferung kam später als erwartet. 👍",
  "First line.\nSecond line, with a tab\tand a back\\slash.",
  "使い方は簡単ですが、もう少し速いと嬉しいです。",
  "",
];

/** One respondent while they fill in a survey. */
interface Respondent {
  readonly random: Random;
  /** How likely they are to recommend it, 0 to 10. Their other answers agree with it. */
  readonly score: number;
}

/** How much the respondent likes something, from 0 to 4: near their score, but not always the same. */
const ratingOf = ({ random, score }: Respondent): number =>
  Math.min(4, Math.max(0, Math.floor(score / 2.2) + random.below(3) - 1));

function remarkOf({ random, score }: Respondent): string {
  if (random.below(5) === 0) return random.pick(NEUTRAL_REMARKS);
  return random.pick(score < 7 ? CRITICISM : score < 9 ? NEUTRAL_REMARKS : PRAISE);
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

function rated(who: Respondent, firstId: number): object {
  const place = ratingOf(who);
  return { answer: { id: firstId + place, content: itemAt(OPINIONS, place), rating: place + 1 } };
}

const CONTACT = [
  { type: "first_name", label: "First name" },
  { type: "email", label: "Your email" },
  { type: "phone", label: "Phone" },
];

const contact = ({ random }: Respondent): object => ({
  fields: [
    { type: "first_name", content: random.pick(["Ada", "Zoë", "Łukasz", "美咲", "Inês", "Min-jun"]) },
    { type: "email", content: `person${random.below(10_000)}@example.com` },
    { type: "phone", content: random.below(2) === 0 ? "" : `+1 202 555 01${10 + random.below(90)}` },
  ],
});

/** An entry for each of the first few topics. */
const forTopics = (count: number, id: number, more: (place: number) => object) => ({
  answers: TOPICS.slice(0, count).map((content, place) => ({ id: id + place, content, ...more(place) })),
});

function several(who: Respondent, firstId: number): object {
  const from = who.random.below(3);
  return { answers: TOPICS.slice(from).map((_, place) => chosen(who, TOPICS, from + place, firstId)) };
}

const MATRIX_OPTIONS = ["Terrible", "Bad", "Fine", "Good", "Great"];

function ranking({ random }: Respondent, firstId: number): object {
  const first = random.below(4);
  return forTopics(4, firstId, (place) => ({ rank: ((place + first) % 4) + 1 }));
}

const SCALE = ["1", "2", "3", "4", "5"];

const opinion = (who: Respondent, id: number) => ({ answer: chosen(who, OPINIONS, ratingOf(who), id) });
const topic = (who: Respondent, id: number) => ({ answer: chosen(who, TOPICS, who.random.below(5), id) });
const graded = (who: Respondent, id: number) =>
  forTopics(3, id, () => ({ score: itemAt(MATRIX_OPTIONS, ratingOf(who)) }));
const eased = (who: Respondent, id: number) => ({ answer: chosen(who, SCALE, ratingOf(who), id) });
const acted = ({ random }: Respondent) => ({ action_performed: random.below(2) === 1 });
const day = ({ random }: Respondent) => ({ answer: `2025-0${1 + random.below(9)}-17` });

type AskedQuestion = readonly [
  questionType: string,
  /** Undefined: the list does not have it, as if it had been removed after people had answered it. */
  text: string | undefined,
  parts: QuestionParts,
  /** Undefined: nobody answers it. */
  answer?: (who: Respondent, firstId: number) => object,
];

/** The questions of every survey. They have every question type and every kind of answer. */
const QUESTIONS: readonly AskedQuestion[] = [
  ["single", "How did we meet your expectations?", { choices: OPINIONS }, opinion],
  ["multiple", "What do you like about us?", { choices: TOPICS }, several],
  ["dropdown_list", "What should we work on first?", { choices: TOPICS }, topic],
  ["rating", "How do you rate the product?", { choices: OPINIONS }, rated],
  ["csat", "How satisfied are you with our service?", { choices: OPINIONS }, rated],
  ["smiley_scale", undefined, {}, rated],
  ["form", "How can we reach you?", { introduction: "All fields are optional.", fields: CONTACT }, contact],
  ["text", "What should we know?", {}, (who) => ({ answer: remarkOf(who) })],
  ["nps", "How likely are you to recommend us to a friend?", {}, ({ score }) => nps(score)],
  ["matrix", "How good are these?", { choices: TOPICS.slice(0, 3), columns: MATRIX_OPTIONS }, graded],
  ["ranking", "What matters most to you?", { choices: TOPICS.slice(0, 4) }, ranking],
  ["button", "Get the app", {}, acted],
  ["numerical_scale", "How easy was it to get help?", { choices: SCALE }, eased],
  ["date", "When did you first buy from us?", {}, day],
  ["message", "Thank you for your time!", {}],
];

/** The number of a question of a survey. */
const questionId = (surveyNumber: number, place: number): number => (surveyNumber + 1) * 1_000 + place + 1;

/** The list of a survey's questions: without one that was answered, and with one that nobody answers. */
export const questionsOf = (surveyNumber: number): Question[] =>
  QUESTIONS.flatMap(([type, text, parts], place) =>
    text === undefined ? [] : [questionOf(questionId(surveyNumber, place), type, text, parts)],
  );

/** One respondent's answers. Skipped questions are omitted; one in five respondents skips all of them. */
function answersOf(who: Respondent, surveyNumber: number): object[] {
  const skipped = who.random.below(5);
  return QUESTIONS.flatMap(([question_type, , , answer], place) => {
    const skips = who.random.below(4) < skipped;
    if (answer === undefined || skipped === 4 || (skips && question_type !== "nps")) return [];
    const question_id = questionId(surveyNumber, place);
    return [{ question_id, question_type, ...answer(who, question_id * 100) }];
  });
}

const DEVICE_TYPES = ["Desktop", "Mobile", "Tablet", "Tv"];
const OPERATING_SYSTEMS = ["Android", "OS", "iOS", "Linux", "macOS", "Windows", "Other"];
/** For each survey: the smaller, the higher the scores. So net promoter scores differ clearly. */
const DISCONTENT = [0.25, 0.7, 0.4, 0.2];
const VARIANT_COUNT = 128;

/** What the responses of a survey hold. */
export interface ContentRules {
  readonly seed: number;
  readonly surveyNumber: number;
  /** Without answers, so that pages are small. */
  readonly isLittle: boolean;
}

/** The variant for any whole number, each made when it is first needed. The same number gives the same variant. */
export function variantsOf(rules: ContentRules): (number: number) => Variant {
  const made: (Variant | undefined)[] = [];
  return (number) => {
    const place = rules.isLittle ? 0 : number % VARIANT_COUNT;
    made[place] ??= makeVariant(rules, place);
    return made[place];
  };
}

function makeVariant({ seed, surveyNumber, isLittle }: ContentRules, place: number): Variant {
  const random = new Random(spread(seed, place, 3));
  const score = Math.floor(11 * share(seed, place, 5) ** itemAt(DISCONTENT, surveyNumber));
  const content: Content = {
    url: `https://www.example.com/${random.pick(["", "pricing", "help?from=mail&x=1", "größen#oben"])}`,
    device_type: itemAt(DEVICE_TYPES, place),
    operating_system: itemAt(OPERATING_SYSTEMS, place),
    platform: random.pick(["Chrome", "Safari", "Firefox", "com.example.app 4.2.0", ""]),
    ...(place % 3 !== 0 && { language: random.pick(["en", "de", "pl", "pt-BR", "ja"]) }),
    answers: isLittle ? [] : answersOf({ random, score }, surveyNumber),
  };
  const attributes = [
    { name: "campaign", value: random.pick(["newsletter", "spring launch", "documentation banner"]) },
    { name: "order id", value: `A-${10_000 + random.below(90_000)}` },
    { name: "plan", value: random.pick(["free", "starter", "pro", "enterprise"]) },
  ].filter(() => !isLittle && random.below(3) === 0);
  return { content, attributes };
}
