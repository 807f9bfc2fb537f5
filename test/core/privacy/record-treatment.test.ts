import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Handling,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
} from "../../../connector/core/privacy/personal-data.ts";
import { createRecordTreatment, KEEP_ALL } from "../../../connector/core/privacy/record-treatment.ts";
import { readableAnswerRows } from "../../../connector/core/streams/answer-rows.ts";
import { STREAMS } from "../../../connector/core/streams/index.ts";

/** Stands in for the keyed hash: a different text for each text, with nothing of it inside. */
const HASHES = new Map<string, string>();
const hash = (text: string): string => {
  const known = HASHES.get(text) ?? `h${HASHES.size}`;
  HASHES.set(text, known);
  return known;
};
const all = (handling: Handling): PersonalDataSetting =>
  Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, handling]));
const treat = (setting: PersonalDataSetting, stream: keyof typeof STREAMS, record: object) =>
  createRecordTreatment(setting, hash).record<Record<string, unknown>>(
    { ...record },
    STREAMS[stream].columns,
  );

/** Any JSON whose every string holds the secret. */
const SECRET = "s3cret";
const DIGITS = 442079460123;
const FORBIDDEN = new RegExp(`${SECRET}|${DIGITS}`);
const secret = fc.string().map((text) => `${text}${SECRET}${text}`);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    secret,
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(secret, fc.constantFrom("comment", "content", "score", "value", "note")),
      tie("value"),
      {
        maxKeys: 5,
      },
    ),
  ),
})).value;
const entry = fc.record(
  {
    question_id: fc.integer(),
    answer: json,
    answers: fc.array(fc.record({ id: fc.integer(), content: json, comment: json, score: json, x: json })),
    fields: fc.array(fc.record({ type: fc.constant("email"), content: json, x: json })),
    x: json,
  },
  { requiredKeys: ["question_id"] },
);
const response = fc.record({
  uuid: fc.uuid(),
  respondent_uuid: secret,
  platform: json,
  url: fc.webUrl().map((url) => `${url}?${SECRET}`),
  answers: fc.oneof(json, fc.array(entry)),
  attributes: fc.oneof(json, fc.array(fc.record({ name: fc.constant("plan"), value: json, x: json }))),
  additional_fields: json,
  a_column_of_tomorrow: json,
});

describe("a treated record", () => {
  it("holds no text of any kind, for any JSON in any place", () => {
    fc.assert(
      fc.property(response, fc.constantFrom<Handling>("hash", "omit"), (record, handling) => {
        expect(JSON.stringify(treat(all(handling), "survey_responses", record))).not.toContain(SECRET);
      }),
    );
  });

  it("holds no unknown field as soon as one kind is treated", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(...PERSONAL_DATA_KINDS), (unknown, kind) => {
        const answers = [
          { question_id: 1, x: unknown, answer: { id: 1, x: unknown }, fields: [{ x: unknown }] },
        ];
        const record = {
          answers,
          attributes: [{ name: "a", x: unknown }],
          additional_fields: { x: unknown },
        };
        for (const handling of ["hash", "omit"] as const) {
          expect(treat({ [kind]: handling }, "survey_responses", record)).toEqual({
            answers: [{ question_id: 1, answer: { id: 1 }, fields: [{}] }],
            attributes: [{ name: "a" }],
            additional_fields: null,
          });
        }
      }),
    );
  });

  it("is the very same record if everything is kept", () => {
    expect(createRecordTreatment({}, hash)).toBe(KEEP_ALL);
    expect(createRecordTreatment(all("keep"), hash)).toBe(KEEP_ALL);
    const record = {};
    expect(KEEP_ALL.record(record, {})).toBe(record);
  });

  it("hashes a value alike in every kind, and other values otherwise", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        const hashed = (text: string) => treat(all("hash"), "respondent_attributes", { value: text }).value;
        const answered = (text: string) =>
          treat(all("hash"), "survey_answers", { answer_type: "text", value_text: text }).value_text;
        expect(hashed(one)).toBe(answered(one));
        if (!one.includes("@") && one !== other) expect(hashed(one)).not.toBe(hashed(other));
      }),
    );
  });

  it.each([
    [" Wilma@Mail.Example\n", "wilma@mail.example"],
    ["6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10", "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"],
  ])("hashes %j like %j", (one, other) => {
    const hashed = (value: string) => treat(all("hash"), "respondent_attributes", { value }).value;
    expect(hashed(one)).toBe(hashed(other));
  });

  it.each([
    [" Wilma.O'Hara+News@Mail.Example ", "wilma.o'hara+news@mail.example"],
    ["Jörg_1@Müller-Söhne.example", "jörg_1@müller-söhne.example"],
    [" 6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10", "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"],
    ...[
      ...[
        "token=AbC&mail=w@x.y",
        "https://medium.com/@Anna",
        "mailto:Wilma@mail.example",
        "A/B@mail.example",
      ],
      ...[
        "Q?x@mail.example",
        "Anna@localhost",
        "Anna@mail.",
        "Anna@.example",
        "@Anna.Example",
        "a@B@c.example",
      ],
      ...[" Note:A@B ", "Call Anna@mail.example", " Anna "],
    ].map((text) => [text, text]),
  ])("hashes %j as %j", (text, hashed) => {
    expect(treat(all("hash"), "respondent_attributes", { value: text }).value).toBe(hash(hashed!));
  });

  it.each([null, "", undefined])("leaves %j as it is", (value) => {
    for (const handling of ["hash", "omit"] as const) {
      expect(treat(all(handling), "respondent_attributes", { value }).value).toBe(value);
    }
  });

  it.each([
    ["https://shop.example/cart?mail=a#b", "https://shop.example/cart", "mail=a#b"],
    ["https://wilma:pw@shop.example/a@b#x", "https://shop.example/a@b", "x"],
    ["https://shop.example/a%3Fmail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/cart?", "https://shop.example/cart", undefined],
    ["https://shop.example/a%253Fmail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/a%25253fmail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/a;mail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/a&mail=b?c", "https://shop.example/a", "mail=b?c"],
    ["https://shop.example/a%3Bmail=b", "https://shop.example/a", "mail=b"],
    ["HTTP://wilma@[2001:db8::1]:8080/a?b", "HTTP://[2001:db8::1]:8080/a", "b"],
    ["https://Müller-Söhne.example:443#x", "https://Müller-Söhne.example:443", "x"],
    ["https://localhost/a%20b/100%", "https://localhost/a%20b/100%", undefined],
  ])("of the URL %s keeps %s", (url, kept, query) => {
    expect(urlWith({ url_query: "omit" }, url)).toBe(kept);
    expect(urlWith({ url_query: "hash" }, url)).toBe(query === undefined ? kept : `${kept}?${hash(query)}`);
  });

  it.each([
    ...["https:\\\\wilma@shop.example/", "https:/wilma@shop.example", "//wilma@shop.example/cart"],
    ...[
      "https://wilma@mail@shop.example/",
      "https://wilma%40mail.example/",
      "https://wilma:pw",
      "https:///wilma",
    ],
    ...["https://shop.example\\wilma", "https://shop.example%3Fwilma", " https://wilma@shop.example/"],
    ...["mailto:wilma@mail.example", "data:text/plain,wilma", "app://wilma", "ht\ntps://wilma@a.b/", "wilma"],
  ])("treats %j as a whole, since it is no web address with a host", (url) => {
    expect(urlWith({ url_query: "omit" }, url)).toBe(null);
    expect(urlWith({ url_query: "hash" }, url)).toBe(hash(url));
    expect(urlWith({ url: "host_only" }, url)).toBe(null);
  });

  it.each([
    ["https://wilma@shop.example:8080/cart?mail=a", "https://shop.example:8080"],
    ["http://shop.example", "http://shop.example"],
    ["", ""],
    [null, null],
    [{ href: "https://wilma.example" }, null],
    [["https://wilma.example"], null],
  ])("keeps only the host of the URL %j, or leaves it out", (url, host) => {
    for (const handling of ["keep", "hash", "omit"] as const) {
      expect(urlWith({ url: "host_only", url_query: handling }, url)).toBe(host);
      expect(urlWith({ url: "omit", url_query: handling }, url)).toBe(url ? null : url);
    }
  });

  const urlWith = (setting: PersonalDataSetting, url: unknown): unknown =>
    treat(setting, "survey_responses", { url }).url;

  it.each(PERSONAL_DATA_KINDS)("has no list and no object in place of a text, with %s omitted", (kind) => {
    for (const other of [{ name: SECRET }, [SECRET], [[SECRET]], [`${DIGITS}`], [DIGITS]]) {
      const answers = [
        {
          question_id: other,
          question_type: other,
          answer: { id: other, content: other, comment: other, tag: other },
        },
        {
          question_id: 1,
          answers: [{ id: other, content: other, comment: other, score: other, rank: other }],
        },
        { question_id: 2, fields: [{ type: other, content: other }] },
      ];
      const attributes = [{ id: other, name: other, value: other }];
      const record = {
        ...Object.fromEntries(Object.keys(STREAMS.survey_responses.columns).map((column) => [column, other])),
        ...{ answers, attributes },
      };
      expect(JSON.stringify(treat({ [kind]: "omit" }, "survey_responses", record))).not.toMatch(FORBIDDEN);
      const { rows } = readableAnswerRows(answers);
      const treated = rows.map((row) => treat({ [kind]: "omit" }, "survey_answers", row));
      expect(JSON.stringify(treated)).not.toMatch(FORBIDDEN);
    }
  });

  it.each([442079460123, "442079460123"])("takes the id %j of an answer for text: it is too long", (id) => {
    const answers = [{ question_id: 1, answers: [{ id, content: "in their own words" }] }];
    const [row] = readableAnswerRows(answers).rows;
    const idsWith = (setting: PersonalDataSetting) => [
      (treat(setting, "survey_responses", { answers }).answers as typeof answers)[0]!.answers[0]!.id,
      treat(setting, "survey_answers", row!).answer_id,
    ];
    for (const kind of ["answer_labels", "free_text", "contact_fields"] as const) {
      expect(idsWith({ [kind]: "omit" })).toEqual([null, null]);
      expect(idsWith({ [kind]: "hash" })).toEqual([null, null]);
    }
    expect(idsWith({ url: "omit" })).toEqual([id, Number(id)]);
    // And the text beside it may be the respondent's own.
    expect(treat({ free_text: "omit" }, "survey_answers", row!).value_text).toBe(null);
  });

  it("keeps a recommendation score, and no other text or number in its place", () => {
    const score = (value_text: string, value_number: number | null) => {
      const row = { answer_type: "nps", value_text, value_number };
      const answers = [{ question_id: 1, answer: { content: value_text, tag: "passive" } }];
      const treated = treat(all("omit"), "survey_answers", row);
      const raw = treat(all("omit"), "survey_responses", { answers }).answers;
      return [treated.value_text, treated.value_number, (raw as typeof answers)[0]!.answer.content];
    };
    expect(score("7", 7)).toEqual(["7", 7, "7"]);
    expect(score("442079460", 442079460)).toEqual([null, null, null]);
  });

  it.each([5, "5", "4.5", -1, 4.333333333333333])("keeps the rating %j", (rating) => {
    expect(ratingOf(rating)).toEqual([rating, Number(rating)]);
  });

  it.each([442079460123, "442079460123"])(
    "keeps no rating that might be a telephone number: %j",
    (rating) => {
      expect(ratingOf(rating)).toEqual([null, null]);
    },
  );

  /** As the streams survey_responses and survey_answers have it. */
  function ratingOf(rating: unknown): unknown[] {
    const answers = [{ question_id: 1, answer: { id: 1, content: "Great", rating } }];
    const [row] = readableAnswerRows(answers).rows;
    const treated = treat(all("omit"), "survey_responses", { answers }).answers as typeof answers;
    return [treated[0]!.answer.rating, treat(all("omit"), "survey_answers", row!).value_number];
  }

  it("keeps the respondent's own words out of an answer without an id, whichever of the two kinds is treated", () => {
    const answers = [
      { question_id: 1, answer: ["in their own words"] },
      { question_id: 2, answers: ["in their own words"] },
      { question_id: 3, action_performed: "in their own words" },
      { question_id: 4, answer: { drawing: "in their own words" } },
    ];
    for (const kind of ["free_text", "answer_labels"] as const) {
      const rows = readableAnswerRows(answers).rows.map((row) =>
        treat({ [kind]: "omit" }, "survey_answers", row),
      );
      expect(rows.map(({ value_text }) => value_text)).toEqual([null, null, null, null]);
      const record = treat({ [kind]: "omit" }, "survey_responses", { answers });
      expect(JSON.stringify([rows, record])).not.toContain("own words");
    }
  });

  it.each([
    [7, 7],
    [true, true],
    [442079460123, null],
  ])("of the bare answer %j keeps %j", (answer, kept) => {
    const answers = [{ question_id: 1, answer }];
    const [row] = readableAnswerRows(answers).rows;
    const { value_number, value_boolean } = treat(all("omit"), "survey_answers", row!);
    expect(value_number ?? value_boolean).toBe(kept);
    const treated = treat(all("omit"), "survey_responses", { answers }).answers as typeof answers;
    expect(treated[0]!.answer).toBe(kept);
  });

  it("never asks for a hash if nothing is hashed", () => {
    const none = () => {
      throw new Error("asked for a hash");
    };
    const treatment = createRecordTreatment(all("omit"), none);
    const record = { url: "https://a/?b", respondent_uuid: "r", answers: [{ answer: "x" }] };
    expect(() => treatment.record(record, STREAMS.survey_responses.columns)).not.toThrow();
  });
});
