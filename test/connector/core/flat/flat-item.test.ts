import { expect, test } from "vitest";
import { RATED, response, SAID, tableOf } from "./support/responses.ts";

test("a number or an attribute that is missing is undefined, a text that is missing is null", () => {
  const [one, other] = tableOf(
    "simplified",
    [],
    [response([RATED], { plan: "pro", size: null }), response([SAID])],
  );
  expect(one).toMatchObject({ answer_1_score: 5, answer_2: null, attribute_plan: "pro" });
  expect(other).toMatchObject({ answer_1: null, answer_2: "in their own words" });
  const keys = ["answer_1_score", "attribute_plan", "attribute_size"];
  for (const key of keys) expect([key in other!, other![key]]).toEqual([true, undefined]);
  expect([one!.attribute_size, Object.keys(other!)]).toEqual([undefined, Object.keys(one!)]);
  const [answer] = tableOf("answers", [], [response([SAID])]);
  expect(answer).toMatchObject({ label: null, nps_tag: null });
  for (const key of ["answer_id", "value_number", "value_boolean"])
    expect([key in answer!, answer![key]]).toEqual([true, undefined]);
});
