import { createRecordTreatment } from "@survey-export/core";
import { expect, test } from "vitest";
import { response, sha, tableOf } from "./support/responses.ts";

test.each([{ answer: 7 }, { answers: ["Price", 2] }, { action_performed: "later" }])(
  "simplified shows %j, which the service does not document, as JSON",
  (answered) => {
    const one = response([{ question_id: 1, question_type: "single", ...answered }]);
    const [part, value] = Object.entries(answered)[0]!;
    const shown = [value].flat().map((each) => JSON.stringify({ [part]: each }));
    expect(tableOf("selected", ["answers"], [one])).toEqual([{ answer_1: shown.join("; ") }]);
  },
);

test.each(["hash", "omit"] as const)("with %s an answer keeps its type and its columns", (how) => {
  const treatment = createRecordTreatment({ free_text: how, answer_labels: how }, sha);
  const one = response([
    { question_id: 1, question_type: "single", answer: "in their own words" },
    { question_id: 2, question_type: "multiple", answers: [{ id: 1, content: "Price", score: "Fine" }] },
    { question_id: 3, question_type: "ranking", answers: [{ id: 1, content: "Price", rank: 1 }] },
  ]);
  const types = tableOf("answers", [], [one], treatment).map(({ answer_type }) => answer_type);
  expect(types).toEqual(["text", "matrix", "ranking"]);
  for (const output of ["simplified", "selected"] as const) {
    const [row] = tableOf(output, ["answers"], [one], treatment);
    const columns = Object.keys(row!).filter((name) => name.startsWith("answer_"));
    expect(columns).toEqual(["answer_1", "answer_2", "answer_3"]);
  }
});

test("a ranking whose labels are omitted is nothing", () => {
  const ranking = [1, 2].map((rank) => ({ id: rank, content: "Price", rank }));
  const treatment = createRecordTreatment({ answer_labels: "omit" }, sha);
  const one = response([{ question_id: 3, question_type: "ranking", answers: ranking }]);
  expect(tableOf("simplified", [], [one], treatment)[0]).toHaveProperty("answer_3", null);
});
