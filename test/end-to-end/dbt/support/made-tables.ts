import { createTables, insert, type Row } from "./tables.ts";

/** The tables of one connection that has all kinds of answers, attributes and deletions. */

const TABLES = [
  ...(["survey_responses", "survey_answers", "respondent_attributes"] as const),
  ...(["response_keys", "response_key_snapshots"] as const),
];
/** Empty tables of the streams that the package needs. */
export const EMPTY_TABLES = createTables("made", ...TABLES);

const day = (date: string) => `2026-${date}T12:00:00.000000Z`;
const loaded = (date: string) => ({ _airbyte_extracted_at: day(date) });

/** A response with a score, a text and a parameter. */
function response(survey: string, uuid: string, collected: string, ...readings: readonly string[]): string {
  const of = {
    collected_at: day(collected),
    survey_id: survey,
    survey_name: "Made",
    respondent_uuid: `of ${uuid}`,
  };
  return readings
    .flatMap((date) => {
      const answer = { ...of, ...loaded(date), response_uuid: uuid, position: 1 };
      return [
        insert("made.survey_responses", [
          {
            ...of,
            ...loaded(date),
            uuid,
            url: "https://made.example/?order=1",
            language: "en",
            attributes: '[{"name": "order_id", "value": "7"}, {"name": null, "value": "nameless"}]',
            respondent_attributes: '[{"name": "plan", "value": null}, {"name": "seats", "value": 3}]',
            additional_fields: '{"device": "Watch"}',
          },
        ]),
        insert("made.survey_answers", [
          {
            ...answer,
            question_id: 11,
            answer_type: "nps",
            value_text: "9",
            value_number: 9,
            nps_tag: "promoter",
            comment: `Comment of ${uuid}`,
          },
          { ...answer, question_id: 12, answer_type: "text", value_text: `Text of ${uuid}` },
          { ...answer, question_id: 13, answer_type: "rating", value_number: 4, question_type: "csat" },
        ]),
      ];
    })
    .join("\n");
}

const SNAPSHOTS = ["06-01", "06-08", "06-15"] as const;

/**
 * Responses of survey 1 by what the snapshots of 1, 8 and 15 June found of them, with what must be said of them. The
 * snapshots cover 1 January to 31 May. `found` names the snapshots that hold the response.
 */
export const DELETION_CASES: readonly {
  readonly uuid: string;
  readonly collected: string;
  readonly read: readonly string[];
  readonly found: readonly string[];
  readonly deletedSeen: string | null;
}[] = [
  { uuid: "kept", collected: "02-01", read: ["05-01"], found: SNAPSHOTS, deletedSeen: null },
  { uuid: "gone", collected: "02-02", read: ["05-01"], found: [], deletedSeen: "06-01" },
  { uuid: "gone later", collected: "02-03", read: ["05-01"], found: ["06-01"], deletedSeen: "06-08" },
  { uuid: "back", collected: "02-04", read: ["05-01"], found: ["06-08", "06-15"], deletedSeen: null },
  { uuid: "back and gone", collected: "02-05", read: ["05-01"], found: ["06-08"], deletedSeen: "06-15" },
  { uuid: "read after all", collected: "02-06", read: ["06-20"], found: [], deletedSeen: null },
  { uuid: "read between", collected: "02-07", read: ["06-10"], found: [], deletedSeen: "06-15" },
  { uuid: "read twice", collected: "02-08", read: ["05-01", "06-20"], found: [], deletedSeen: null },
  { uuid: "read with the last", collected: "02-09", read: ["06-15"], found: [], deletedSeen: null },
  { uuid: "too new", collected: "05-31", read: ["05-31"], found: [], deletedSeen: null },
  { uuid: "too old", collected: "01-01", read: ["05-01"], found: [], deletedSeen: null },
];

const snapshotId = (date: string) => `2026-${date}T11:00:00.000000Z`;
const key = (survey: string, uuid: string, date: string) =>
  insert("made.response_keys", [
    { ...loaded(date), survey_id: survey, response_uuid: uuid, snapshot_id: snapshotId(date) },
  ]);
const finished = (survey: string, date: string, keys: number) =>
  insert("made.response_key_snapshots", [
    {
      ...loaded(date),
      snapshot_id: snapshotId(date),
      survey_id: survey,
      number_of_keys: keys,
      covered_from: survey === "1" ? day("01-02") : null,
      covered_to: day("05-30"),
    },
  ]);

/**
 * The cases, and: survey 2, which no snapshot read; a snapshot of survey 1 that was killed, and one of which the loader
 * lost keys; a later one, which could not read survey 1, and found nothing any more in survey 3.
 */
export const DELETIONS = [
  ...DELETION_CASES.map(({ uuid, collected, read }) => response("1", uuid, collected, ...read)),
  response("2", "of another survey", "02-01", "05-01"),
  response("3", "of an emptied survey", "02-01", "05-01"),
  ...SNAPSHOTS.flatMap((date) => {
    const found = DELETION_CASES.filter((one) => one.found.includes(date));
    return [...found.map(({ uuid }) => key("1", uuid, date)), finished("1", date, found.length)];
  }),
  key("1", "back", "06-22"),
  key("1", "back", "06-29"),
  finished("1", "06-29", 2),
  finished("3", "07-06", 0),
].join("\n");

/** The tables as a loader leaves them that overwrites: the last snapshot of survey 1 alone. */
export const OVERWRITTEN = ["response_keys", "response_key_snapshots"]
  .map((table) => `delete from made.${table} where snapshot_id <> '${snapshotId("06-15")}';`)
  .join("\n");

/** Names that end a literal in one database or another; the last goes on as SQL. */
export const HOSTILE_NAMES = [
  "ends in \\",
  "o'clock",
  "both \\'",
  "two\nlines\\'\n",
  "\\' then (select max(secret) from finance.salaries) -- ",
];

/** Names whose columns end in a checksum, with the words before it: two share eight digits, and two look like an end. */
export const ENDS_IN_CHECKSUM = [
  ["a! ~.-", "a"],
  ["a!!*~ ", "a"],
  ["plan_0123456789ab", "plan_0123456789ab"],
  ["0123456789ab", "0123456789ab"],
  ["Long".repeat(20), "long".repeat(10).slice(0, 37)],
] as const;

/** The identifier of a survey that does the same. */
export const HOSTILE_SURVEY = "\\' or\n1 = 1) -- ";

/** The attributes of a person as they were read on a day, and loaded then or later. */
const reading = (
  person: string,
  date: string,
  attributes: Readonly<Record<string, readonly [number, string]>>,
  loadedOn = date,
) =>
  insert(
    "made.respondent_attributes",
    Object.entries(attributes).map(([name, [id, value]]) => ({
      ...loaded(loadedOn),
      respondent_uuid: person,
      id,
      name,
      value,
      collected_at: day(date),
    })),
  );

export const ATTRIBUTES = [
  reading("changed", "05-02", { plan: [1, "Team"], seats: [3, "5"] }),
  reading("changed", "05-01", { plan: [1, "Free"], company: [2, "ACME"] }, "05-03"),
  reading("removed", "05-01", { plan: [4, "Free"], company: [5, "ACME"] }),
  reading("removed", "05-02", { plan: [4, "Free"] }),
  reading("made anew", "05-01", { plan: [30, "Old"] }),
  reading("made anew", "05-02", { plan: [10, "New"] }),
  reading("named alike", "05-01", { plan: [12, "Second"] }),
  reading("named alike", "05-01", { plan: [11, "First"] }),
  reading("one", "05-01", {
    Plan: [6, "Capital"],
    plan: [7, "Small"],
    "first name": [8, "Ada"],
    ...Object.fromEntries(
      ENDS_IN_CHECKSUM.map(([name], number) => [name, [10 + number, `Of ${name}`] as const]),
    ),
  }),
  reading(
    "hostile",
    "05-01",
    Object.fromEntries(HOSTILE_NAMES.map((name, number) => [name, [100 + number, `Value ${number}`]])),
  ),
].join("\n");

const scored = (survey: string, question: number, ...answers: readonly Row[]) =>
  insert(
    "made.survey_answers",
    answers.map((answer, number) => ({
      response_uuid: `scored ${number}`,
      collected_at: day("03-01"),
      survey_id: survey,
      question_id: question,
      position: 1,
      ...answer,
      ...loaded("05-01"),
    })),
  );
const responsesOf = (schema: string, survey: string, name: string, count: number) =>
  insert(
    `${schema}.survey_responses`,
    Array.from({ length: count }, (_, number) => ({
      uuid: `${name} ${number}`,
      collected_at: day("03-01"),
      survey_id: survey,
      ...loaded("05-01"),
    })),
  );

/** Rows of one question in one response, at the positions 1, 2, … */
const listed = (question: number, response: number, ...rows: readonly Row[]) =>
  scored(
    "9",
    question,
    ...rows.map((row, place) => ({ response_uuid: `scored ${response}`, position: place + 1, ...row })),
  );
const item = (answer_type: string, answer_id: number | null, more: Row = {}) => ({
  answer_type,
  answer_id,
  ...more,
});
const nps = (score: number) =>
  item("nps", null, { value_number: score, nps_tag: score > 8 ? "promoter" : "detractor" });

/** What a person wrote, planted in an answer of each type. */
export const OWN_WORDS = "Call +49 170";
const words = { value_text: OWN_WORDS, comment: OWN_WORDS };
/** Answers of each type, by question, with the samples that the seed gives. */
export const SAMPLES: Readonly<Record<string, readonly [readonly Row[], string]>> = {
  41: [[item("single_choice", null, words), item("single_choice", 1, { value_text: "Own" })], "Own"],
  42: [[item("multiple_choice", null, words), item("multiple_choice", 1, { value_text: "Own" })], "Own"],
  43: [[item("nps", 1, words), item("nps", 1, { ...words, value_number: 0 })], "0"],
  44: [[item("nps", null, { ...words, value_number: 49170 })], ""],
  45: [
    [item("rating", null, { ...words, value_number: 4 }), item("rating", 1, { value_text: "Good" })],
    "4; Good",
  ],
  46: [[item("contact_form", null, { ...words, label: "phone" })], "phone"],
  47: [[item("text", null, words)], ""],
  48: [
    [item("matrix", null, { ...words, label: OWN_WORDS }), item("matrix", 1, { ...words, label: "Own" })],
    "Own",
  ],
  49: [[item("ranking", null, { label: OWN_WORDS }), item("ranking", 1, { label: "Own" })], "Own"],
  50: [[item("other", null, words)], ""],
};

/** Texts without a visible character. */
const INVISIBLE = [
  "\n\t",
  "\u200b",
  "\u00a0",
  "   ",
  "",
  "\u2028\u3000\ufeff\u0085",
  "\u180e\u2060\u00ad\u202f",
];

const dayAfter1970 = (number: number) => new Date(number * 86_400_000).toISOString();
/** Days after 1 January 1970 that are 4,097, 4,096, 2 and 38,000 days apart. */
const DISTANT_DAYS = [0, 4097, 8193, 8195, 46_195];

/**
 * Answers to an NPS question, some without a tag; and to a question for a number, with an answer that is not a number.
 */
export const ANSWERS = [
  scored(
    "9",
    21,
    { answer_type: "nps", nps_tag: "Promoter", value_text: "9", value_number: 9 },
    { answer_type: "nps", nps_tag: "DETRACTOR", value_text: "6", value_number: 6 },
    { answer_type: "nps", nps_tag: "undecided", value_text: "8", value_number: 8 },
    { answer_type: "text", value_text: "3" },
    { answer_type: "single_choice", answer_id: 7, value_text: "10" },
    { answer_type: "rating", value_number: 7 },
    { answer_type: "text", value_text: "11" },
    { answer_type: "text", value_text: "it depends" },
  ),
  ...["nps", "csat"].map((question_type, at) =>
    scored(
      "9",
      36 + at,
      ...[9, 4].map((value_number) => item("number", null, { value_number, question_type })),
    ),
  ),
  scored("9", 38, ...DISTANT_DAYS.map((number) => ({ ...nps(9), collected_at: dayAfter1970(number) }))),
  scored("9", 25, { answer_type: "rating", value_number: 2 }),
  listed(26, 0, nps(10), nps(10)),
  listed(26, 1, item("single_choice", null, { value_text: "n/a" }), nps(3)),
  listed(26, 2, item("nps", null, { nps_tag: "" }), nps(9)),
  listed(26, 3, nps(9), nps(2)),
  listed(27, 0, ...[5, 1].map((value_number) => item("rating", 1, { value_number, question_type: "csat" }))),
  listed(
    29,
    0,
    ...["A", "A", "B"].map((value_text) =>
      item("multiple_choice", value_text === "A" ? 1 : 2, { value_text }),
    ),
  ),
  listed(30, 0, ...[1, 1, 2, 2].map((id) => item("matrix", id, { label: `Part ${id}`, value_text: "Good" }))),
  listed(31, 0, ...[1, 2, 1].map((id) => item("ranking", id, { value_number: id }))),
  listed(32, 0, item("text", null, { value_text: "One" }), item("action", null), item("text", null)),
  listed(
    33,
    0,
    ...["Ada", "Ada"].map((value_text) => item("contact_form", null, { label: "text", value_text })),
  ),
  scored(
    "9",
    35,
    ...INVISIBLE.map((value_text) =>
      item("text", null, { value_text, comment: value_text === "" ? "." : value_text }),
    ),
    item("text", null, { value_text: "\u00a0Ja\u200b" }),
  ),
  ...Object.entries(SAMPLES).map(([question, [rows]]) => scored("9", Number(question), ...rows)),
  scored(HOSTILE_SURVEY, 25, { answer_type: "rating", value_number: 1, position: 2 }),
  responsesOf("made", "9", "scored", 8),
].join("\n");

/** Six weeks later, the response "kept" is read again, with another text and the same comment. */
export const KEPT_IS_READ_AGAIN = response("1", "kept", "02-01", "07-01").replace(
  "Text of kept",
  "Another text",
);

const AROUND_MIDNIGHT = [
  ...["2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59Z"],
  ...["2026-11-01T04:00:00Z", "2026-11-02T04:59:59Z"],
];

/**
 * A second connection with the same responses and no snapshots, whose loader made no column additional_fields; and
 * scores of one survey around midnight in New York, before and after its clocks change.
 */
export const SECOND_CONNECTION = [
  "create schema made_two;",
  ...TABLES.map((table) => `create table made_two.${table} as select * from made.${table};`),
  "delete from made_two.response_key_snapshots;",
  "alter table made_two.survey_responses drop column additional_fields;",
  "alter table made_two.survey_answers drop column additional_fields;",
  insert(
    "made_two.survey_answers",
    AROUND_MIDNIGHT.map((collected_at, number) => ({
      response_uuid: `at ${number}`,
      collected_at,
      survey_id: "10",
      question_id: 11,
      position: 1,
      answer_type: "nps",
      nps_tag: "promoter",
      value_text: "9",
      value_number: 9,
      ...loaded("12-01"),
    })),
  ),
  responsesOf("made_two", "10", "at", AROUND_MIDNIGHT.length),
].join("\n");

const copyOfAnswers = (schema: string, time: string) => `
  create schema ${schema};
  create table ${schema}.survey_answers as
    select response_uuid, question_id, position, ${time} as _airbyte_extracted_at from made.survey_answers;`;
const ownTime = "_airbyte_extracted_at + question_id % 1000 * interval '1 millisecond'";

/**
 * The same answers with a time of loading for each, also as text; and with one time for each reading, from a loader that
 * read the responses again an hour later and two hours later, each time with fewer answers.
 */
export const OWN_TIMES = [
  copyOfAnswers("stamped", ownTime),
  copyOfAnswers("stamped_text", `cast(${ownTime} as text)`),
  copyOfAnswers("edited", "_airbyte_extracted_at"),
  ...[11, 12].map(
    (last, place) => `
      insert into edited.survey_answers
        select response_uuid, question_id, position, _airbyte_extracted_at + ${2 - place} * interval '1 hour'
        from made.survey_answers where question_id <= ${last};`,
  ),
].join("\n");
