import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTimestamp } from "../../../../connector/core/coverage/timestamp.ts";
import { type Entity, fieldsFrom } from "../../../../connector/core/streams/column.ts";
import type { StreamDefinition } from "../../../../connector/core/streams/definition.ts";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { markedItems, recordsOf, type ServiceItem } from "./support/service-items.ts";

/** Values that an item cannot do without. Every other field gets its own name as its value. */
const NEEDED: Readonly<Record<string, unknown>> = {
  "response.collected_at": "2026-01-01T00:00:00.000001Z",
  "response.answers": markedItems("Good")[0]!.response.answers,
  "response.attributes": [{ name: "plan", value: "pro" }],
  "respondent.attributes": [{ name: "role", value: "buyer" }],
  "attribute.id": 7,
  "survey.created_at": "2026-01-01T00:00:00.000001Z",
  "survey.enabled": false,
  "survey.responses": 4,
  "survey.launch": { start_at: null, end_at: "2026-02-01T00:00:00+01:00", responses_limit: 9 },
  "question.id": 7,
  "question.answer_choices": [{ id: 0, content: "No" }],
  "question.columns": ["Good", "Bad"],
  "question.fields": [{ type: "email", label: "Your address" }],
};
const valueAt = (part: Entity, field: string): unknown =>
  NEEDED[`${part}.${field}`] ?? `the ${part}'s ${field}`;

/** An item that has just the fields that some column of the stream is made from, and `more` in each of its parts. */
function itemFor({ columns }: StreamDefinition, more: object = {}): ServiceItem {
  const part = (name: Entity, needed: readonly string[] = []) => ({
    ...Object.fromEntries(
      [...needed, ...fieldsFrom(name, columns)].map((field) => [field, valueAt(name, field)]),
    ),
    ...more,
  });
  return {
    response: { ...part("response", ["uuid", "collected_at", "answers"]), respondent: part("respondent") },
    survey: part("survey", ["id"]),
    question: part("question", ["id"]),
    attribute: part("attribute", ["id"]),
    listOf: "the list's respondent",
  };
}

describe.each(Object.values(STREAMS))("each column of $name", (stream) => {
  const columns = Object.entries(stream.columns);

  it("is in each record, in the order of the schema, and nothing else is", () => {
    const records = markedItems("Good").flatMap((item) => recordsOf(stream, item));
    expect(records).not.toEqual([]);
    for (const record of records) expect(Object.keys(record)).toEqual(Object.keys(stream.schema.properties));
  });

  it("has the value of the field that it says it is made from", () => {
    const expected = columns.flatMap(([name, { from }]) => {
      const [part, field] = from.split(".");
      return field === undefined ? [] : [[name, valueAt(part as Entity, field)]];
    });
    for (const record of recordsOf(stream, itemFor(stream)))
      expect(record).toMatchObject(Object.fromEntries(expected));
  });

  it("is made from a field that is known; every other field is in additional_fields", () => {
    const others = columns.filter(([, { from }]) => from === "unknown fields");
    for (const [name] of others) {
      const unknown = new Set<string>();
      const [known] = recordsOf(stream, itemFor(stream), unknown);
      expect(known![name]).toBeNull();
      expect([...unknown]).toEqual([]);
      const [more] = recordsOf(stream, itemFor(stream, { mood: "good" }), unknown);
      const names =
        "response.uuid" === stream.columns.uuid?.from ? ["mood", "survey_mood", "respondent_mood"] : ["mood"];
      expect(more![name]).toEqual(Object.fromEntries(names.map((each) => [each, "good"])));
      expect([...unknown]).toEqual(names);
    }
  });
});

/** As Airbyte's platform reads a date: the day has to exist. */
const isDateTime = (text: string): boolean => /\dZ$/.test(text) && parseTimestamp(text) !== undefined;
const ajv = new Ajv({ strict: false, formats: { "date-time": isDateTime } });

const json = fc.jsonValue({ maxDepth: 2 });
/** Mostly another value than the service documents. */
const orJson = (documented: fc.Arbitrary<unknown>) => fc.oneof(documented, json);
const text = orJson(fc.string());
const fields = (names: readonly string[], more: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record({ ...Object.fromEntries(names.map((name) => [name, text])), ...more }, { requiredKeys: [] })
    .chain((known) =>
      fc.dictionary(fc.string(), json, { maxKeys: 2 }).map((other) => ({ ...other, ...known })),
    );
const pairs = orJson(fc.array(orJson(fields(["name", "value"], {})), { maxLength: 3 }));
const part = orJson(
  fields(["content", "comment", "tag", "type", "score"], {
    id: orJson(fc.integer()),
    rank: orJson(fc.integer()),
  }),
);
const answers = orJson(
  fc.array(
    orJson(
      fields(["question_type"], {
        question_id: orJson(fc.integer()),
        answer: part,
        answers: orJson(fc.array(part, { maxLength: 2 })),
        fields: orJson(fc.array(part, { maxLength: 2 })),
        action_performed: orJson(fc.boolean()),
      }),
    ),
    { maxLength: 3 },
  ),
);
const items = fc.record({
  response: fields(["url", "device_type", "operating_system", "platform", "language"], {
    answers,
    attributes: pairs,
    respondent: orJson(fields([], { uuid: text, attributes: pairs })),
  }).map((response) => ({ ...response, uuid: "r1", collected_at: "2026-01-31T12:00:00Z" })),
  survey: fields(["name", "type", "created_at"], {
    id: orJson(fc.constant("s1")),
    enabled: orJson(fc.boolean()),
    responses: orJson(fc.integer()),
    launch: json,
  }),
  question: fields(["type", "question", "introduction"], {
    answer_choices: orJson(fc.array(part, { maxLength: 2 })),
    columns: orJson(fc.array(text, { maxLength: 2 })),
    fields: orJson(fc.array(part, { maxLength: 2 })),
  }).map((question) => ({ ...question, id: 7 })),
  attribute: fields(["name", "value"], {}).map((attribute) => ({ ...attribute, id: 7 })),
  listOf: fc.constant("p1"),
});

describe.each(Object.values(STREAMS))("$name", (stream) => {
  it("gives only records that its schema is true of, whatever the service sends", () => {
    const fits = ajv.compile(stream.schema);
    fc.assert(
      fc.property(items, (item) => {
        const records = (() => {
          try {
            return recordsOf(stream, item);
          } catch {
            // An answer that cannot become a row is reported, and its response omitted.
            return [];
          }
        })();
        for (const record of records) {
          const sent = JSON.parse(JSON.stringify(record));
          expect(fits(sent), JSON.stringify({ errors: fits.errors, sent })).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});
