import type { SandboxOptions } from "../../sandbox/index.ts";

/** An address, a name or a number that belongs to nobody, and the place where it is planted. */
export interface PersonalValue {
  readonly kind: "email" | "name" | "phone";
  /** Such as `answers: comment of single_choice`. */
  readonly place: string;
  readonly value: string;
  /** The value as it is, percent-encoded, and with plus signs for spaces. */
  readonly spellings: readonly string[];
}

const planted: PersonalValue[] = [];

/** Everything that is planted. Each value is in one place only, so that a leak tells where it comes from. */
export const PERSONAL_DATA: readonly PersonalValue[] = planted;

const SURNAMES = ["Ashgrove", "Birkenfeld", "Castellanos", "Dąbrowska", "Eriksson", "Fujimoto", "Grünewald"];

function plant(kind: PersonalValue["kind"], place: string): string {
  const number = planted.length + 100;
  const surname = SURNAMES[number % SURNAMES.length]!;
  const value = {
    email: `wilhelmina.${number}@mail.example`,
    name: `Wilhelmina ${surname}-${surname.slice(0, 4)}${number}`,
    phone: `+44 20 7946 0${number}`,
  }[kind];
  const encoded = encodeURIComponent(value);
  const spellings = [...new Set([value, encoded, encoded.replaceAll("%20", "+")])];
  planted.push({ kind, place, value, spellings });
  return value;
}

/** A sentence with all three kinds, as people write them into free text. */
const sentence = (place: string): string =>
  `Please ask ${plant("name", place)}: ${plant("email", place)} or ${plant("phone", place)}.`;

const PARAMETERS = new URLSearchParams({
  email: plant("email", "url: query"),
  name: plant("name", "url: query"),
});
const PHONE = encodeURIComponent(plant("phone", "url: query"));
const QUERY = `${PARAMETERS}&tel=${PHONE}#${encodeURIComponent(plant("email", "url: fragment"))}`;

/** A sentence in a field of a kind of answer. */
const said = (field: string, kind: string) => sentence(`answers: ${field} of ${kind}`);
const entered = (type: "first_name" | "email" | "phone", kind: PersonalValue["kind"]) => ({
  type,
  content: plant(kind, `answers: ${type} field of contact_form`),
});
/** An option with personal data in its text and its comment. */
const option = (id: number, kind: string) => ({
  id,
  content: said("content", kind),
  comment: said("comment", kind),
});

/** One answer of every kind, with personal data in each place that can hold it. Scores and ranks stay valid. */
const ANSWERS = [
  { question_type: "single", answer: option(1, "single_choice") },
  { question_type: "multiple", answers: [option(2, "multiple_choice")] },
  { question_type: "rating", answer: { id: 3, content: said("content", "rating"), rating: 3 } },
  {
    question_type: "single",
    fields: [
      ...[entered("first_name", "name"), entered("email", "email"), entered("phone", "phone")],
      { type: "message", content: said("message field", "contact_form") },
    ],
  },
  { question_type: "single", answer: said("text", "text") },
  {
    question_type: "numerical_scale",
    answer: { content: "7", tag: "passive", remark: said("unknown field", "nps") },
  },
  {
    question_type: "multiple",
    answers: [{ id: 4, content: said("content", "matrix"), score: said("score", "matrix") }],
  },
  { question_type: "ranking", answers: [{ id: 5, content: said("content", "ranking"), rank: 1 }] },
  { question_type: "single", action_performed: true, note: said("unknown field", "action") },
].map((answer, place) => ({ question_id: 990_001 + place, ...answer }));

const attributes = (of: string) => [
  { name: "contact email", value: plant("email", `attributes of a ${of}: contact email`) },
  { name: "contact name", value: plant("name", `attributes of a ${of}: contact name`) },
  { name: "contact phone", value: plant("phone", `attributes of a ${of}: contact phone`) },
  { name: "notes", value: sentence(`attributes of a ${of}: notes`) },
];
const OF_RESPONSES = attributes("response");
const OF_RESPONDENTS = attributes("respondent");

/** The fields of each response that can hold personal data. */
const FIELDS = {
  url: `https://www.example.com/?${QUERY}`,
  platform: `${plant("name", "platform")}'s phone`,
  answers: ANSWERS,
  contact: { note: sentence("unknown field of a response"), lines: [sentence("unknown list of a response")] },
};
const OF_SURVEYS = { owner: sentence("unknown field of a survey") };
const LABEL = sentence("unknown field of a respondent");

const PEOPLE = 30;
const DAY_MS = 86_400_000;
const uuidOf = (person: number) => `5eed0000-0000-4000-8000-${String(person % PEOPLE).padStart(12, "0")}`;

/** Surveys of so many responses, a day apart, from thirty people, with all of it in each response, survey and person. */
export function personalSurveys(ids: readonly string[], count: number): SandboxOptions {
  const answer = (number: number) => ({
    respondent_uuid: uuidOf(number),
    attributes: OF_RESPONSES,
    fields: { ...FIELDS, respondent: { uuid: uuidOf(number), attributes: OF_RESPONDENTS, label: LABEL } },
  });
  const responses = Array.from({ length: count }, (_, number) => {
    const collected_at = new Date(Date.UTC(2026, 0, 1) + number * DAY_MS).toISOString().replace("Z", "000Z");
    return { ...answer(number), collected_at };
  });
  return {
    surveys: ids.map((id) => ({ id, fields: OF_SURVEYS, responses, answer })),
    respondents: Array.from({ length: PEOPLE }, (_, person) => {
      return { uuid: uuidOf(person), attributes: OF_RESPONDENTS };
    }),
  };
}
