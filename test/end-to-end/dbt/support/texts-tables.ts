import { createTables, insert, type Row } from "./tables.ts";

/** Tables of two connections, made by hand: the first syncs the surveys and their questions, the second does not. */

const at = (day: string) => `2026-05-${day}T12:00:00.000000Z`;
const choices = (...contents: readonly (readonly [id: number | string, content: string])[]) =>
  JSON.stringify(contents.map(([id, content]) => ({ id, content })));

/** A text that ends a literal, a comment, a template and a statement. */
export const HOSTILE_TEXT = '\\\'); drop table {{ this }}; -- "Really"?\n*/ Yes';

/** Texts in ten languages, with their names; one with an accent as a character of its own, and one in no Latin letters. */
export const WORDED = [
  ["Würden Sie uns weiterempfehlen, Herr Groß?", "wuerden_sie_uns_weiterempfehlen_herr_gross"],
  [
    "Qu’avez-vous préféré à la cérémonie, ça ou l’œuvre ?",
    "qu_avez_vous_prefere_a_la_ceremonie_ca_ou_l_oeuvre",
  ],
  ["¿Cómo fue la atención del señor?", "como_fue_la_atencion_del_senor"],
  ["Jak łatwo było znaleźć odpowiedź, Żaneto?", "jak_latwo_bylo_znalezc_odpowiedz_zaneto"],
  ["Příliš žluťoučký kůň úpěl ďábelské ódy", "prilis_zlutoucky_kun_upel_dabelske_ody"],
  ["İYİ bir ürün mü, yoksa kötü mü, ağır mı?", "iyi_bir_ueruen_mue_yoksa_koetue_mue_agir_mi"],
  ["Hur lätt är det på ön?", "hur_laett_aer_det_pa_oen"],
  ["Er prøven nær?", "er_proven_naer"],
  ["Să știți că țara e mare", "sa_stiti_ca_tara_e_mare"],
  ["Fu\u0308r e\u0301te\u0301 wa\u0308hlen", "fuer_ete_waehlen"],
  ["Вам понравилось?", "question_50"],
] as const;

/** What the list of questions said on which days of May: a survey, a question, its text and its choices. */
const LISTED: readonly (readonly [
  days: string,
  survey: string,
  id: number,
  text: string,
  choices?: string,
])[] = [
  ["01", "s1", -11, "Of a negative id?"],
  ["01", "s1", -10, "Of a negative id?"],
  ["01", "s1", 11, "Old wording?"],
  ["02 03", "s1", 11, "Would you recommend us?"],
  ["01 02", "s1", 12, "Is it easy?", choices([1, "Yes"], [2, "No"])],
  [
    "03",
    "s1",
    12,
    "Is it easy?",
    choices([1, "Yes, it is"], ["first", "Ignored"], ["-", ""], ["2.5", "Two"]),
  ],
  ["01", "s1", 13, "A question that was removed?"],
  ["01 02 03", "s1", 15, "\u200b"],
  ["01 02 03", "s1", 16, "Nobody answered this"],
  ["01 02 03", "s1", 17, "A long text for which the seed has a short one", choices([1, "Yes"])],
  ["01 02 03", "s1", 18, HOSTILE_TEXT, choices([1, HOSTILE_TEXT])],
  ["01 02 03", "s1", 19, "Order"],
  ["01 02 03", "s1", 20, "Current date?"],
  ["01 02 03", "s1", 21, "5 stars?"],
  ["01 02 03", "s1", 22, "Survey ID"],
  ["01 02 03", "s1", 23, "Question ID"],
  ["01 02 03", "s1", 24, "만족하십니까?"],
  ["01 02 03", "s1", 25, "How well ".repeat(20)],
  ["01 02 03", "s1", 26, "Grade each part", choices([5, "Price"], [6, "\u200b"])],
  ["01 02 03", "s1", 27, "Value number"],
  ["01 02 03", "s1", 28, "Is deleted?"],
  ["01 02 03", "s1", 29, "A question with a label before its first answer"],
  // Later questions have the texts of earlier ones, or the names that these have by their ids.
  ["03", "s1", 30, "Grade, each part!"],
  ["03", "s1", 31, "Grade each part"],
  ["03", "s1", 32, "Order"],
  ...WORDED.map(([text], number) => ["03", "s1", 40 + number, text] as const),
  ["01 02 03", "s2", 211, "Would you recommend us?"],
  ["01 02 03", "s2", 212, "Not asked for as columns"],
];

const answer = (survey: string, response: string, question: number, more: Row): Row => ({
  response_uuid: response,
  collected_at: at("01"),
  survey_id: survey,
  survey_name: "Of the response",
  question_id: question,
  position: 1,
  _airbyte_extracted_at: at("01"),
  answer_type: "text",
  ...more,
});
const choice = (answer_id: number, value_text: string) => ({
  answer_type: "single_choice",
  answer_id,
  value_text,
});
/** The questions that get a text, in addition to those for a choice, a score or a matrix. */
const TEXTS = [-11, 13, 14, 15, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28];
const ANSWERS = [
  answer("s1", "r1", 11, { answer_type: "nps", value_number: 9, nps_tag: "promoter", value_text: "9" }),
  answer("s1", "r1", 12, choice(1, "Yes")),
  answer("s1", "r2", 12, choice(1, "Ja")),
  answer("s1", "r3", 12, choice(2, "Nein")),
  answer("s1", "r4", 12, choice(3, "Vielleicht")),
  answer("s1", "r1", 17, choice(1, "Yes")),
  answer("s1", "r2", 18, choice(1, "Yes")),
  answer("s1", "r1", 26, { answer_type: "matrix", answer_id: 5, label: "Prix", value_text: "Good" }),
  answer("s1", "r1", 26, {
    answer_type: "matrix",
    answer_id: 6,
    label: "Vide",
    value_text: "Bad",
    position: 2,
  }),
  ...TEXTS.map((question) => answer("s1", "r1", question, { value_text: `To ${question}` })),
  answer("s2", "r5", 211, { answer_type: "nps", value_number: 3, nps_tag: "detractor", value_text: "3" }),
  answer("s2", "r5", 212, { value_text: "To 212" }),
  answer("s3", "r6", 311, { value_text: "To 311" }),
];
const RESPONSES = [
  // Read after the others, though it is the oldest: its survey has another name by then.
  { uuid: "r1", survey_id: "s1", survey_name: "Renamed", _airbyte_extracted_at: at("02") },
  ...["r2", "r3", "r4"].map((uuid) => ({ uuid, survey_id: "s1", collected_at: at("02") })),
  ...[
    { uuid: "r5", survey_id: "s2" },
    { uuid: "r6", survey_id: "s3" },
  ],
].map((response) => ({
  collected_at: at("01"),
  survey_name: "Of the response",
  survey_type: "Old",
  language: "en",
  url: "https://texts.example/",
  _airbyte_extracted_at: at("01"),
  ...response,
}));

const created = { created_at: at("01").replace("05", "01") };
/** Survey s3 is missing from the second day on, and s4 in between. */
const SURVEYS = [
  { day: "01", id: "s1", name: "Old name", enabled: true, ...created },
  { day: "02", id: "s1", name: "New name", enabled: false, ...created },
  { day: "03", id: "s1", name: "New name", enabled: false, ...created },
  ...["01", "02", "03"].map((day) => ({ day, id: "s2", name: "Second", enabled: true, ...created })),
  { day: "01", id: "s3", name: "Gone", enabled: true, ...created },
  ...["01", "03"].map((day) => ({ day, id: "s4", name: "Back", enabled: true, ...created })),
].map(({ day, ...survey }) => ({ ...survey, type: "PageSurvey", collected_at: at(day) }));

/** Two schemas: `texts` and `texts_two`, which has the same answers and neither list. */
export const TEXTS_TABLES = [
  createTables("texts", "survey_answers", "survey_responses", "surveys", "survey_questions"),
  createTables("texts_two", "survey_answers", "survey_responses"),
  ...["texts", "texts_two"].flatMap((schema) => [
    insert(`${schema}.survey_answers`, ANSWERS),
    insert(`${schema}.survey_responses`, RESPONSES),
  ]),
  insert("texts.surveys", SURVEYS),
  insert(
    "texts.survey_questions",
    LISTED.flatMap(([days, survey_id, id, question, answer_choices = "null"]) =>
      days.split(" ").map((day) => ({
        survey_id,
        id,
        question,
        introduction: `Beside ${id}`,
        answer_choices,
        collected_at: at(day),
      })),
    ),
  ),
].join("\n");

/** What connections that write into one schema listed at which times, as the loader keeps it, and what must look deleted. */
interface Listings {
  readonly readings: readonly (readonly [time: string, surveys: string])[];
  /** Whether the loader keeps the latest row of each survey alone, as Append + Deduped does. */
  readonly isDeduped?: boolean;
  /** When the responses were loaded, if not before all readings. */
  readonly loaded?: string;
  /** The surveys that look deleted, with the time at which that was seen. */
  readonly deleted?: Readonly<Record<string, string>>;
  /** How many of them a test warns of. */
  readonly warnsOf?: number;
}
const APART = [
  ["01T09", "a1 a2"],
  ["04T09", "b"],
  ["08T09", "a1 a2"],
  ["11T09", "b"],
] as const;
export const LISTINGS: Readonly<Record<string, Listings>> = {
  apart: { readings: APART },
  apart_at_first: { readings: APART.slice(0, 2), deleted: { a1: "04T09", a2: "04T09" }, warnsOf: 2 },
  apart_and_deleted: { readings: [...APART, ["15T09", "a1"]], deleted: { a2: "15T09" } },
  apart_deduped: { readings: [...APART, ["11T10", "a1 a2"]], isDeduped: true },
  overlapping: {
    readings: ["01", "02", "03"].flatMap((day) => [
      [`${day}T09`, "a both"],
      [`${day}T15`, "b both"],
    ]),
  },
  not_whole: {
    readings: [
      ["01T09", "a b c"],
      ["02T09", "a"],
    ],
  },
  back: {
    readings: [
      ["01T09", "a b"],
      ["08T09", "b"],
      ["15T09", "a b"],
    ],
  },
  deleted_deduped: {
    readings: [
      ["01T09", "a b c"],
      ["08T09", "b c"],
    ],
    isDeduped: true,
    deleted: { a: "08T09" },
  },
  answered_later: {
    readings: [
      ["01T09", "a b c"],
      ["08T09", "b c"],
    ],
    loaded: "09T09",
    deleted: { a: "08T09" },
    warnsOf: 1,
  },
};

export const LISTINGS_TABLES = Object.entries(LISTINGS)
  .flatMap(([schema, { readings, isDeduped = false, loaded = "01T00" }]) => {
    const rows = readings.flatMap(([time, ids]) =>
      ids.split(" ").map((id) => ({ id, name: id, collected_at: `2026-06-${time}:00:00Z` })),
    );
    const latest = new Map(rows.map((row) => [row.id, row]));
    const responses = [...latest.keys()].map((id) => ({
      uuid: id,
      survey_id: id,
      collected_at: at("01"),
      _airbyte_extracted_at: `2026-06-${loaded}:00:00Z`,
    }));
    return [
      createTables(schema, "survey_responses", "surveys"),
      insert(`${schema}.survey_responses`, responses),
      insert(`${schema}.surveys`, isDeduped ? [...latest.values()] : rows),
    ];
  })
  .join("\n");
