import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schemaFiles } from "../../../../n8n-node/scripts/schemas.mts";

const aliases = (node: string): string[] =>
  JSON.parse(
    readFileSync(
      join(import.meta.dirname, `../../../../n8n-node/nodes/SurveyExport/${node}.node.json`),
      "utf8",
    ),
  ).alias;

/** n8n rates an alias best that begins with what was typed. It looks at the action node's only, for both nodes. */
test.each([
  ...["survey", "form", "questionnaire", "poll", "feedback", "voice of customer", "new response", "answers"],
  ...["rating", "score", "nps", "detractor", "promoter", "csat", "ces", "customer satisfaction"],
])("a search for %s finds the node", (typed) => {
  expect(aliases("SurveyExport").filter((alias) => alias.toLowerCase().startsWith(typed))).not.toEqual([]);
});

test("the trigger has the same words, for lists in which it is alone", () => {
  expect(aliases("SurveyExportTrigger")).toEqual(aliases("SurveyExport"));
});

test.each([...schemaFiles()])("%s follows from the schemas (npm run generate -w n8n-node)", (path, text) => {
  expect(readFileSync(join(import.meta.dirname, "../../../../n8n-node", path), "utf8")).toBe(text);
});
