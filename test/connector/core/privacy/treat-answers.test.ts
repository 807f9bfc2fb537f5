import { expect, it } from "vitest";
import {
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
} from "../../../../connector/core/privacy/personal-data.ts";
import { readableAnswerRows } from "../../../../connector/core/streams/answer-rows.ts";
import { all, treat } from "./support/treat.ts";

const PHONE = 442079460123;

/** One answer, treated as the streams survey_answers and survey_responses have it. */
function treated(setting: PersonalDataSetting, answered: object) {
  const answers = [{ question_id: 1, ...answered }];
  const rows = readableAnswerRows(answers).rows.map((row) => treat(setting, "survey_answers", row));
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
  const score = (setting: PersonalDataSetting, content: string): unknown[] => {
    const { row, answer } = treated(setting, { answer: { content, tag: "passive" } });
    return [row.value_text, row.value_number, answer.content];
  };
  for (const setting of [all("omit"), { free_text: "omit" }, { answer_labels: "omit" }] as const) {
    expect(score(setting, "7")).toEqual(["7", 7, "7"]);
    for (const number of [String(PHONE), "4.4207946012", "44207.9"])
      expect(score(setting, number)).toEqual([null, null, null]);
  }
  expect(score({ url: "omit" }, String(PHONE))).toEqual([String(PHONE), PHONE, String(PHONE)]);
});

it.each([5, "5", "4.5", -1, PHONE, String(PHONE), 4.4207946012, 44207.9])(
  "keeps the rating %j unless it might be a telephone number",
  (rating) => {
    const { row, answer } = treated(all("omit"), { answer: { id: 1, content: "Great", rating } });
    const isShort = String(rating).length < 4;
    expect([answer.rating, row.value_number]).toEqual(isShort ? [rating, Number(rating)] : [null, null]);
  },
);

it("keeps no long id of an attribute", () => {
  const attributes = [PHONE, String(PHONE), 44].map((id) => ({ id, name: "plan", value: "pro" }));
  const idsWith = (setting: PersonalDataSetting): unknown[] =>
    (treat(setting, "survey_responses", { attributes }).attributes as typeof attributes).map(({ id }) => id);
  expect(idsWith({ attribute_values: "omit" })).toEqual([null, null, 44]);
  expect(idsWith({ url: "omit" })).toEqual([PHONE, String(PHONE), 44]);
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
  const settings = PERSONAL_DATA_KINDS.flatMap((kind) => [{ [kind]: "hash" }, { [kind]: "omit" }]);
  for (const setting of [...settings, { url: "omit" }, { url: "host_only" }])
    expect(treated(setting, answered).shown).not.toMatch(/own words|442079460123/);
});
