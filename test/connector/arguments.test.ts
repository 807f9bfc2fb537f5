import { expect, it } from "vitest";
import { parseCall } from "../../connector/arguments.ts";

it.each([
  [["report", "a.db"], { target: "a.db", since: undefined, surveyIds: [] }],
  [
    ["report", "--survey", "a", "a.db", "--survey=b, c", "--since", "2026-01-31"],
    { target: "a.db", since: "2026-01-31", surveyIds: ["a", "b", "c"] },
  ],
  [["report", "a.db", "--since", "2026-01-31T09:30:00.5Z"], { since: "2026-01-31T09:30:00.5Z" }],
  [
    ["sync", "--streams", "surveys, survey_responses", "a.db", "--dry-run"],
    { target: "a.db", streams: ["surveys", "survey_responses"], flags: new Set(["dry-run"]) },
  ],
  [["sync", "--streams", "surveys", "a.db"], { target: "a.db", streams: ["surveys"] }],
])("%j is understood as %j", (words, call) => {
  expect(parseCall(words, true)).toMatchObject(call);
});
