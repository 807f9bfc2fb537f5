import { expect, it } from "vitest";
import {
  excludedNothing,
  idleExclusions,
  namesNotIds,
  selectedSurveys,
} from "../../../../../connector/core/sync/surveys/survey-selection.ts";
import { joined, render } from "../../../../../connector/core/text/message.ts";

const selection = (surveyIds: string, excluded = "") => ({
  surveyIds: [...surveyIds],
  excludedSurveyIds: new Set(excluded),
});

it.each([
  ["every survey", selection(""), "abc"],
  ["every survey without those that are excluded", selection("", "bxy"), "ac"],
  ["only those that are named", selection("bx"), "bx"],
  ["those that are named, whatever is excluded", selection("bx", "b"), "bx"],
])("a sync reads %s", (_, wanted, read) => {
  expect(selectedSurveys("abc", wanted).join("")).toBe(read);
});

const LIST = new Map([
  ["a1", { name: "Churn" }],
  ["b2", { name: null }],
  ["c3", { name: " churn" }],
  ["d4", { name: "VIP NPS" }],
]);

it.each([
  [["a1", "b2"], "", []],
  [["a1", "1*", "VIP NPS"], "", ["1*", "VIP NPS"]],
  [["known before"], "", []],
  [["1*"], "b", []],
])("of the exclusions %j next to the surveys %j, these exclude nothing: %j", (ids, surveyIds, idle) => {
  const excluded = { ...selection(surveyIds), excludedSurveyIds: new Set(ids) };
  expect(idleExclusions(excluded, LIST, new Set(["known before"]))).toEqual(idle);
});

it.each([
  [
    ["1*"],
    'This entry of excluded_survey_ids excludes nothing, since the service lists no survey with this id: "1*". Write the whole id of each survey that is not to be read.',
  ],
  [
    ["vip nps", "Churn"],
    'These entries of excluded_survey_ids exclude nothing, since the service lists no survey with these ids: "vip nps" (the name of survey "d4"), "Churn" (the name of the surveys "a1", "c3"). Write the whole id of each survey that is not to be read.',
  ],
  [
    [..."123456"],
    'These entries of excluded_survey_ids exclude nothing, since the service lists no survey with these ids: "1", "2", "3", "4", "5" and 1 more. Write the whole id of each survey that is not to be read.',
  ],
])("the exclusions %j are told", (entries, sentence) => {
  expect(render(excludedNothing(entries, LIST))).toBe(sentence);
});

it("a name that was written for an id is told with its id, and an empty name is nobody's", () => {
  expect(render(joined(namesNotIds(["nope", "CHURN", "vip nps", " "], LIST)))).toBe(
    '"CHURN" is the name of the surveys "a1", "c3". "vip nps" is the name of survey "d4".',
  );
});
