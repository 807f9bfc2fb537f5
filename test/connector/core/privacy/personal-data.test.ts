import { describe, expect, it, test } from "vitest";
import {
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
} from "../../../../connector/core/privacy/personal-data.ts";
import { createRecordTreatment, KEEP_ALL } from "../../../../connector/core/privacy/record-treatment.ts";
import { defineStream, type StreamDefinition } from "../../../../connector/core/streams/definition.ts";
import { STREAMS } from "../../../../connector/core/streams/index.ts";
import { markedItems, recordsOf } from "../streams/support/service-items.ts";
import { all } from "./support/treat.ts";

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

  it("treats no part of its key except identifiers", () => {
    const contents = stream.primaryKey.map((column) => stream.columns[column]!.holds);
    expect(
      contents.filter((holds) => typeof holds === "string" && holds !== "respondent_identifiers"),
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
        ...{ type: "string", description: "The response.", from: "response.uuid" },
        holds: { plain: "an id that the service makes" },
      },
      score: {
        ...{ type: ["string", "null"], description: "The score.", from: "one answer" },
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
