import { expect, it } from "vitest";
import { recordLines } from "../../../connector/airbyte/record-lines.ts";

function written(data: object) {
  const { lines, hasReplaced } = recordLines("survey_responses", [data as never], 0);
  const { record } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(lines));
  return { data: record.data, hasReplaced };
}

it.each([
  ["half of a pair", { uuid: "a", text: "cut \ud83d" }, { uuid: "a", text: "cut \ufffd" }],
  ["the other half", { text: "\ude00 and \n \u0001" }, { text: "\ufffd and \n \u0001" }],
  ["NUL", { text: "a\u0000b" }, { text: "a\ufffdb" }],
  ["in a name", { fields: { "mood \ud83d": ["\udc4d"] } }, { fields: { "mood \ufffd": ["\ufffd"] } }],
])("a character that no database stores is replaced: %s", (_, given, data) => {
  expect(written(given)).toEqual({ data, hasReplaced: true });
});

it.each([
  "a whole emoji \ud83d\ude00",
  "a backslash and letters: \\ud83d, \\\\u0000, \\\\\\ud83d",
  'quotes "\\" and \n\t\u0001\u2028',
])("every other text stays as it is: %j", (text) => {
  expect(written({ text })).toEqual({ data: { text }, hasReplaced: false });
});
