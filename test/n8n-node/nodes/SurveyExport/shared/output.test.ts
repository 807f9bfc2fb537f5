import { join } from "node:path";
import { loadOutputSchema } from "n8n-core";
import type { INodeParameters } from "n8n-workflow";
import { expect, test } from "vitest";
import { RESPONDENT, startWithAnswers } from "../../../support/answers.ts";
import * as setUp from "../../../support/set-up.ts";

const { engine } = await startWithAnswers([
  { id: 1006, type: "nps", question: "Would you recommend us?", introduction: null, answer_choices: [] },
]);
const ofSurvey = (parameters: INodeParameters = {}) => setUp.ofSurvey({ surveyId: "7", ...parameters });

test("the preview before the first run has only fields that each output has", async () => {
  const nodeDir = join(import.meta.dirname, "../../../../../n8n-node/nodes/SurveyExport");
  const runs = [
    ...["simplified", "columns", "answers", "raw"].flatMap((output) => [
      ofSurvey({ output }),
      setUp.ofRespondent("respondentResponse", RESPONDENT, { output }),
    ]),
    { resource: "survey", operation: "getAll" },
    ofSurvey({ resource: "surveyQuestion", surveyId: "8" }),
    setUp.ofRespondent("respondentAttribute", RESPONDENT),
  ];
  for (const parameters of runs) {
    const { resource, operation } = parameters as { resource: string; operation: string };
    const { properties } = loadOutputSchema({ nodeDir, version: 1, resource, operation })!;
    const { outputs } = await engine.run(parameters);
    expect(Object.keys(outputs[0]![0]!.json)).toEqual(expect.arrayContaining(Object.keys(properties!)));
  }
});
