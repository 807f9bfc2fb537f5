import type { INodeParameters, IPollFunctions } from "n8n-workflow";
import { expect, test } from "vitest";
import { triggerSettings } from "../../../../../n8n-node/nodes/SurveyExport/trigger/settings.ts";

const settingsOf = (parameters: INodeParameters) =>
  triggerSettings({
    getNodeParameter: (name: string, otherwise: unknown) => parameters[name] ?? otherwise,
  } as unknown as IPollFunctions);

test("a trigger of which only the surveys are set hands over 500 responses, with a lookback of ten minutes", () => {
  const { form, ...settings } = settingsOf({ surveyIds: " 1042, 1043,1042" });
  expect(settings).toEqual({
    surveyIds: ["1042", "1043"],
    attributeNames: [],
    lookbackMs: 600_000,
    mostPerPoll: 500,
    withRespondentAttributes: false,
    repeatAfterCrash: false,
  });
});

test.each([-5, 0, 1.5, "many"])("Max Responses per Poll of %j is reported", (mostPerPoll) => {
  expect(() => settingsOf({ surveyIds: "1", options: { mostPerPoll } })).toThrow(
    '"Max Responses per Poll" is not a whole number of at least 1',
  );
});

test("an empty list of surveys is reported", () => {
  expect(() => settingsOf({ surveyIds: " , " })).toThrow('"Survey IDs" is empty');
});
