import { describe, expect, it } from "vitest";
import type { PersonalDataSetting } from "../../../../connector/core/privacy/personal-data.ts";
import { readableAnswerRows } from "../../../../connector/core/streams/answer-rows.ts";
import { all, treat } from "./support/treat.ts";

describe("a treated answer", () => {
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
    const score = (setting: PersonalDataSetting, content: string) => {
      const answers = [{ question_id: 1, answer: { content, tag: "passive" } }];
      const [row] = readableAnswerRows(answers).rows;
      const { value_text, value_number } = treat(setting, "survey_answers", row!);
      const raw = treat(setting, "survey_responses", { answers }).answers as typeof answers;
      return [value_text, value_number, raw[0]!.answer.content];
    };
    for (const setting of [all("omit"), { free_text: "omit" }, { answer_labels: "omit" }] as const) {
      expect(score(setting, "7")).toEqual(["7", 7, "7"]);
      for (const number of ["442079460123", "4.4207946012", "44207.9"])
        expect(score(setting, number)).toEqual([null, null, null]);
    }
    expect(score({ free_text: "hash" }, "442079460123")[1]).toBe(null);
    expect(score({ url: "omit" }, "442079460123")).toEqual(["442079460123", 442079460123, "442079460123"]);
  });

  it.each([5, "5", "4.5", -1])("keeps the rating %j", (rating) => {
    expect(ratingOf(rating)).toEqual([rating, Number(rating)]);
  });

  it.each([442079460123, "442079460123", 4.4207946012, "4.4207946012", 44207.9])(
    "keeps no rating that might be a telephone number: %j",
    (rating) => {
      expect(ratingOf(rating)).toEqual([null, null]);
    },
  );

  it("keeps no long id of an attribute", () => {
    const attributes = [442079460123, "442079460123", 44].map((id) => ({ id, name: "plan", value: "pro" }));
    const idsWith = (setting: PersonalDataSetting) =>
      (treat(setting, "survey_responses", { attributes }).attributes as typeof attributes).map(
        ({ id }) => id,
      );
    expect(idsWith({ attribute_values: "omit" })).toEqual([null, null, 44]);
    expect(idsWith({ url: "omit" })).toEqual([442079460123, "442079460123", 44]);
  });

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
});
