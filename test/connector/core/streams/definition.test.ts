import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTimestamp } from "../../../../connector/core/coverage/timestamp.ts";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { recordsOf } from "./support/service-items.ts";

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
  survey: fields(["id", "name", "type"], {}),
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
            // An answer that cannot become a row is reported, and its response left out.
            return [];
          }
        })();
        for (const record of records) {
          const sent = JSON.parse(JSON.stringify(record));
          expect([fits(sent), fits.errors, sent]).toEqual([true, null, sent]);
        }
      }),
      { numRuns: 400 },
    );
  });
});
