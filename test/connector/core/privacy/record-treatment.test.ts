import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import {
  type Handling,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
} from "../../../../connector/core/privacy/personal-data.ts";
import { createRecordTreatment, KEEP_ALL } from "../../../../connector/core/privacy/record-treatment.ts";
import { answerRows } from "../../../../connector/core/streams/answer-rows.ts";
import { defineStream, type StreamDefinition } from "../../../../connector/core/streams/definition.ts";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { markedItems, recordsOf } from "../streams/support/service-items.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
/** The same for every kind. */
const all = (handling: Handling): PersonalDataSetting =>
  Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, handling]));
/** A record of a stream, treated. */
const treat = (setting: PersonalDataSetting, stream: keyof typeof STREAMS, record: object) =>
  createRecordTreatment(setting, hash).record<Record<string, unknown>>(
    { ...record },
    STREAMS[stream].columns,
  );

/** A word; a telephone number as digits; and as a number, which reads as a good rating. */
const MARKERS = ["Wilma", "442079460123", 442079460123];

/** Values of other types than the service documents. */
const OF_OTHER_TYPES = [{ name: "Wilma" }, ["Wilma"], ["Wilma", 5], [["Wilma"]], [{ name: "Wilma" }]];
const ONE_KIND: readonly PersonalDataSetting[] = [
  ...PERSONAL_DATA_KINDS.flatMap((kind) => [{ [kind]: "hash" as const }, { [kind]: "omit" as const }]),
  ...[{ url: "host_only" as const }, { url: "omit" as const }],
];

/** The columns of a stream that let the marker through. */
function leaks(stream: StreamDefinition, marker: unknown, setting: PersonalDataSetting): string[] {
  const word = typeof marker === "object" ? "Wilma" : String(marker);
  const treatment = createRecordTreatment(setting, () => "hashed");
  const owner = typeof marker === "object" ? "somebody" : String(marker);
  const records = markedItems(marker)
    .flatMap((item) => recordsOf(stream, item, new Set(), owner))
    .map((record) => treatment.record(record, stream.columns));
  expect(records, "no marked item becomes a record: add one to service-items.ts").not.toEqual([]);
  const found = records
    .flatMap((record) => Object.entries(record))
    .filter(([, value]) => JSON.stringify(value)?.includes(word))
    .map(([column]) => column);
  return [...new Set(found)];
}

describe.each(Object.values(STREAMS))("$name", (stream) => {
  test.each(MARKERS)("lets nothing of a respondent through when every kind is treated: %j", (marker) => {
    expect(leaks(stream, marker, all("hash"))).toEqual([]);
    expect(leaks(stream, marker, all("omit"))).toEqual([]);
  });

  test.each(OF_OTHER_TYPES)("lets no %j through as soon as one kind is treated", (marker) => {
    const through = ONE_KIND.map((setting) => [setting, leaks(stream, marker, setting)]);
    expect(through).toEqual(ONE_KIND.map((setting) => [setting, []]));
  });

  it("treats no part of its key except identifiers and ids of attributes", () => {
    const contents = stream.primaryKey.map((column) => stream.columns[column]!.holds);
    expect(
      contents.filter(
        (holds) => typeof holds === "string" && !/^(respondent_identifiers|attribute id)$/.test(holds),
      ),
    ).toEqual([]);
  });

  it("gives a reason for each column that is plain", () => {
    for (const [name, { holds }] of Object.entries(stream.columns)) {
      if (typeof holds === "object") expect(holds.plain, name).toMatch(/^\S+( \S+){2,}$/);
    }
  });
});

test("a stream that calls an answer plain does not pass", () => {
  const scores = defineStream({
    name: "scores",
    title: "Score",
    description: "The score of a response.",
    primaryKey: ["uuid"],
    columns: {
      uuid: {
        type: "string",
        description: "The response.",
        from: "response.uuid",
        holds: { plain: "an id that the service makes" },
      },
      score: {
        type: ["string", "null"],
        description: "The score.",
        from: "one answer",
        holds: { plain: "it is only a score" },
      },
    },
    reads: "survey responses",
    records: ({ uuid, response }) =>
      (response.answers as { answer?: { content?: string } }[]).map(({ answer }) => ({
        uuid,
        score: answer?.content ?? null,
      })),
  });
  for (const marker of MARKERS) expect(leaks(scores, marker, all("omit"))).toEqual(["score"]);
});

test("everything that is kept is the very same record, and nothing is hashed unless the setting says so", () => {
  const none = () => expect.fail("asked for a hash");
  expect(createRecordTreatment({}, none)).toBe(KEEP_ALL);
  expect(createRecordTreatment(all("keep"), none)).toBe(KEEP_ALL);
  const record = {};
  expect(KEEP_ALL.record(record, {})).toBe(record);
  const answered = { url: "https://a/?b", respondent_uuid: "r", answers: [{ answer: "x" }] };
  createRecordTreatment(all("omit"), none).record(answered, STREAMS.survey_responses.columns);
});

test("what a survey's author writes stays, and choices follow the labels of answers", () => {
  const launch = { start_at: "2026-01-01T00:00:00+01:00", end_at: null, responses_limit: 9 };
  expect(treat(all("omit"), "surveys", { launch: { ...launch, note: "x" } })).toEqual({ launch });
  const question = {
    question: "Why?",
    columns: ["Good", "Bad"],
    fields: [{ type: "email", label: "Address", note: "x" }],
    answer_choices: [{ id: 4, content: "Price", note: "x" }],
  };
  const treated = (answer_labels: Handling) => treat({ answer_labels }, "survey_questions", question);
  const kept = { ...question, fields: [{ type: "email", label: "Address" }] };
  expect(treated("omit")).toEqual({ ...kept, answer_choices: [{ id: 4, content: null }] });
  // The same hash as in the answer, so that the two still join.
  expect(treated("hash")).toEqual({ ...kept, answer_choices: [{ id: 4, content: hash("Price") }] });
  const long = treat({ answer_labels: "omit" }, "survey_questions", { answer_choices: [{ id: PHONE }] });
  expect(long).toEqual({ answer_choices: [{ id: null }] });
  const [row] = answerRows([{ question_id: 1, answer: { id: 4, content: "Price" } }]);
  expect(treat({ answer_labels: "hash" }, "survey_answers", row!).value_text).toBe(hash("Price"));
});

const PHONE = 442079460123;

/** One answer, treated as the streams survey_answers and survey_responses have it. */
function treated(setting: PersonalDataSetting, answered: object) {
  const answers = [{ question_id: 1, ...answered }];
  const rows = answerRows(answers).map((row) => treat(setting, "survey_answers", row));
  const [element] = treat(setting, "survey_responses", { answers }).answers as Record<string, unknown>[];
  const answer = element!.answer as Record<string, unknown>;
  return { row: rows[0]!, answer, shown: JSON.stringify([rows, element]) };
}

it.each([PHONE, String(PHONE)])("takes the id %j of an answer for text: it is too long", (id) => {
  const idsWith = (setting: PersonalDataSetting): unknown[] => {
    const { row, answer } = treated(setting, { answer: { id, content: "own words" } });
    return [answer.id, row.answer_id];
  };
  for (const kind of ["answer_labels", "free_text", "contact_fields"] as const)
    for (const how of ["omit", "hash"] as const) expect(idsWith({ [kind]: how })).toEqual([null, null]);
  expect(idsWith({ url: "omit" })).toEqual([id, PHONE]);
});

it("keeps a recommendation score, and no other text or number in its place", () => {
  const score = (setting: PersonalDataSetting, given: string) => {
    const { row, answer } = treated(setting, { answer: { content: given, tag: "passive" } });
    return { text: row.value_text, number: row.value_number, content: answer.content };
  };
  const kept = (text: string) => ({ text, number: Number(text), content: text });
  for (const setting of [all("omit"), { free_text: "omit" }, { answer_labels: "omit" }] as const) {
    expect(score(setting, "7")).toEqual(kept("7"));
    for (const number of [String(PHONE), "4.4207946012", "44207.9"])
      expect(score(setting, number)).toEqual({ text: null, number: null, content: null });
  }
  expect(score({ url: "omit" }, String(PHONE))).toEqual(kept(String(PHONE)));
});

it.each([5, "5", "4.5", -1, PHONE, String(PHONE), 4.4207946012, 44207.9])(
  "keeps the rating %j unless it might be a telephone number",
  (rating) => {
    const { row, answer } = treated(all("omit"), { answer: { id: 1, content: "Great", rating } });
    const isShort = String(rating).length < 4;
    expect(answer.rating).toBe(isShort ? rating : null);
    expect(row.value_number).toBe(isShort ? Number(rating) : null);
  },
);

it("keeps no long id of an attribute", () => {
  const attributes = [PHONE, String(PHONE), 44].map((id) => ({ id, name: "plan", value: "pro" }));
  const idsWith = (setting: PersonalDataSetting): unknown[] =>
    (treat(setting, "survey_responses", { attributes }).attributes as typeof attributes).map(({ id }) => id);
  expect(idsWith({ attribute_values: "omit" })).toEqual([null, null, 44]);
  expect(idsWith({ url: "omit" })).toEqual([PHONE, String(PHONE), 44]);
});

it("puts a number made of the attribute's name in the place of a long id that is a key", () => {
  const keysWith = (setting: PersonalDataSetting) =>
    [44, PHONE, PHONE + 1].map(
      (id, at) => treat(setting, "respondent_attributes", { id, name: ["role", "plan", "seats"][at] }).id,
    );
  for (const how of ["omit", "hash"] as const)
    expect(keysWith({ attribute_values: how })).toEqual([44, -3083585298, -3920846465]);
  expect(keysWith({ url: "omit" })).toEqual([44, PHONE, PHONE + 1]);
});

it.each([
  { id: PHONE, content: "own words" },
  { answer_id: 5, content: "own words" },
])("the text of %j is without an id, so it leaves only if text and labels do", (answer) => {
  for (const kind of ["free_text", "answer_labels"] as const)
    expect(treated({ [kind]: "omit" }, { answer }).shown).not.toContain("own words");
});

it.each([
  ...[{ answer: PHONE }, { answer: ["own words"] }, { answer: { drawing: "own words" } }],
  ...[{ answer: [{ id: 1, content: "own words" }] }, { answers: { id: 1, content: "own words" } }],
  ...[{ answers: ["own words", PHONE] }, { answers: [[{ content: "own words" }]] }, { fields: "own words" }],
  ...[{ fields: [PHONE] }, { action_performed: "own words" }, { action_performed: PHONE }],
])("%j is not documented, so it does not leave as soon as one kind is treated", (answered) => {
  for (const setting of ONE_KIND)
    expect(treated(setting, answered).shown).not.toMatch(/own words|442079460123/);
});

it("a value has the same hash in every stream", () => {
  const attribute = treat(all("hash"), "respondent_attributes", { value: "Wilma" }).value;
  const answer = treat(all("hash"), "survey_answers", { answer_type: "text", value_text: "Wilma" });
  expect([attribute, answer.value_text]).toEqual([hash("Wilma"), hash("Wilma")]);
});

it.each([
  [" Wilma.O'Hara+News@Mail.Example\n", "wilma.o'hara+news@mail.example"],
  ["Jörg_1@Müller-Söhne.example", "jörg_1@müller-söhne.example"],
  [" 6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10", "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"],
  ...[
    ...["token=AbC&mail=w@x.y", "https://medium.com/@Anna", "mailto:Wilma@mail.example", "Anna@localhost"],
    ...["A/B@mail.example", "Q?x@mail.example", "Anna@.example", "@Anna.Example", "a@B@c.example"],
    ...[" Note:A@B ", "Call Anna@mail.example", " Anna "],
  ].map((text) => [text, text]),
])("%j is hashed as %j", (text, hashed) => {
  expect(treat(all("hash"), "respondent_attributes", { value: text }).value).toBe(hash(hashed!));
});

it("a text of an answer of no known kind is omitted", () => {
  const row = { answer_type: "other", label: "Wilma", value_text: "Wilma" };
  expect(treat({ url: "omit" }, "survey_answers", row)).toMatchObject({ label: null, value_text: null });
});

it.each([null, "", undefined])("%j stays as it is", (value) => {
  for (const handling of ["hash", "omit"] as const)
    expect(treat(all(handling), "respondent_attributes", { value }).value).toBe(value);
});

const urlWith = (setting: PersonalDataSetting, url: unknown): unknown =>
  treat(setting, "survey_responses", { url }).url;

it.each([
  ["https://shop.example/cart?mail=a#b", "https://shop.example/cart", "mail=a#b"],
  ["https://wilma:pw@shop.example/a@b#x", "https://shop.example/a@b", "x"],
  ["https://shop.example/cart?", "https://shop.example/cart", undefined],
  ["https://shop.example/a%3Fmail=b", "https://shop.example/a", "mail=b"],
  ["https://shop.example/a%25253fmail=b", "https://shop.example/a", "mail=b"],
  ["https://shop.example/a;mail=b", "https://shop.example/a", "mail=b"],
  ["https://shop.example/a&mail=b?c", "https://shop.example/a", "mail=b?c"],
  ["HTTP://wilma@[2001:db8::1]:8080/a?b", "HTTP://[2001:db8::1]:8080/a", "b"],
  ["https://Müller-Söhne.example:443#x", "https://Müller-Söhne.example:443", "x"],
  ["https://localhost/a%20b/100%", "https://localhost/a%20b/100%", undefined],
])("of the URL %s, its query treated, %s is left", (url, kept, query) => {
  expect(urlWith({ url_query: "omit" }, url)).toBe(kept);
  expect(urlWith({ url_query: "hash" }, url)).toBe(query === undefined ? kept : `${kept}?${hash(query)}`);
});

it.each([
  ...["https:\\\\wilma@shop.example/", "//wilma@shop.example/cart", "https://wilma@mail@shop.example/"],
  ...["https://wilma%40mail.example/", "https://wilma:pw", "https:///wilma", "https://shop.example\\wilma"],
  ...["https://shop.example%3Fwilma", " https://wilma@shop.example/", "mailto:wilma@mail.example"],
  ...["data:text/plain,wilma", "app://wilma", "ht\ntps://wilma@a.b/", "wilma"],
])("%j is treated as a whole, since it is no web address with a host", (url) => {
  expect(urlWith({ url_query: "omit" }, url)).toBe(null);
  expect(urlWith({ url_query: "hash" }, url)).toBe(hash(url));
  expect(urlWith({ url: "host_only" }, url)).toBe(null);
});

it.each([
  ["https://wilma@shop.example:8080/cart?mail=a", "https://shop.example:8080"],
  ["http://shop.example", "http://shop.example"],
  ["", ""],
  [{ href: "https://wilma.example" }, null],
])("of the URL %j only the host is left, or nothing", (url, host) => {
  for (const handling of ["keep", "hash", "omit"] as const) {
    expect(urlWith({ url: "host_only", url_query: handling }, url)).toBe(host);
    expect(urlWith({ url: "omit", url_query: handling }, url)).toBe(url ? null : url);
  }
});
