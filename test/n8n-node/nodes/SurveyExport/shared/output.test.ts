import { join } from "node:path";
import { loadOutputSchema } from "n8n-core";
import type { INodeParameters } from "n8n-workflow";
import { expect, test } from "vitest";
import { RESPONDENT, startWithAnswers } from "../../../support/answers.ts";
import * as setUp from "../../../support/set-up.ts";

const nodeDir = join(import.meta.dirname, "../../../../../n8n-node/nodes/SurveyExport");
const { engine } = await startWithAnswers([
  { id: 1006, type: "nps", question: "Would you recommend us?", introduction: null, answer_choices: [] },
]);

interface Schema {
  readonly type: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** What of a value a schema does not describe, or describes otherwise. */
function differences(value: unknown, { type, properties = {}, items }: Schema, path = ""): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((each) => differences(each, items!, `${path}[]`));
  if (typeof value !== type) return [`${path} is a ${typeof value}`];
  if (typeof value !== "object") return [];
  const found = Object.entries(value).flatMap(([name, each]) =>
    properties[name] ? differences(each, properties[name], `${path}.${name}`) : [`${path}.${name}`],
  );
  return [
    ...found,
    ...Object.keys(properties).flatMap((name) => (name in value ? [] : [`no ${path}.${name}`])),
  ];
}

const RUNS: readonly INodeParameters[] = [
  setUp.ofSurvey({ surveyId: "7" }),
  setUp.ofRespondent("respondentResponse", RESPONDENT),
  { resource: "survey", operation: "getAll" },
  setUp.ofSurvey({ resource: "surveyQuestion", surveyId: "8" }),
  setUp.ofRespondent("respondentAttribute", RESPONDENT),
];

test.each(RUNS)(
  "the preview before the first run has the fields of the items: $resource",
  async (parameters) => {
    const { resource, operation } = parameters as { resource: string; operation: string };
    const schema = loadOutputSchema({ nodeDir, version: 1, resource, operation }) as unknown as Schema;
    const { outputs } = await engine.run(parameters);
    for (const { json } of outputs[0]!) expect(differences(json, schema)).toEqual([]);
  },
);

test("the trigger has the same preview as the action", async () => {
  const of = { nodeDir, version: 1 };
  const action = loadOutputSchema({ ...of, resource: "surveyResponse", operation: "getAll" });
  expect(loadOutputSchema(of)).toEqual(action);
});
