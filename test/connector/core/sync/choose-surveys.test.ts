import { expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { surveyIn } from "../../../../connector/core/lists/listed-surveys.ts";
import { chooseSurveys } from "../../../../connector/core/sync/choose-surveys.ts";
import { say } from "../../../../connector/core/text/message.ts";

const FAILED = new SurveyExportError("transient", "unavailable", say`It failed.`);
const chosen = (listed: string, known: string, error?: SurveyExportError, isMissing = false) => {
  const found = new Map([...listed].map((id) => [id, surveyIn({ id })!]));
  return chooseSurveys({ found, error, isMissing }, new Set(known)).join("");
};

it.each([
  { listed: "", known: "", surveys: "" },
  { listed: "cab", known: "", surveys: "cab" },
  { listed: "ca", known: "ba", surveys: "cab" },
])(
  "reads what is listed ($listed), and what was read before ($known): $surveys",
  ({ listed, known, surveys }) => {
    expect(chosen(listed, known)).toBe(surveys);
  },
);

it.each([
  ["ab", "c"],
  ["", "c"],
])("refuses a whole list (%j) with none of those that were read before (%j)", (listed, known) => {
  expect(() => chosen(listed, known)).toThrow(/none of those that were read before/);
  expect(chosen(listed, known, FAILED), "not whole: the others may come next time").toBe(known);
});

it("refuses a service that does not list its surveys", () => {
  expect(() => chosen("", "a", FAILED, true)).toThrow(/does not list its surveys.* Name the surveys to read/);
});
