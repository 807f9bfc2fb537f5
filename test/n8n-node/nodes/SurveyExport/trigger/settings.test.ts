import { render } from "@survey-export/core";
import type { INodeParameters, IPollFunctions } from "n8n-workflow";
import { expect, test } from "vitest";
import type { SettingError } from "../../../../../n8n-node/nodes/SurveyExport/shared/values.ts";
import { triggerSettings } from "../../../../../n8n-node/nodes/SurveyExport/trigger/settings.ts";

const settingsOf = (parameters: INodeParameters) =>
  triggerSettings({
    getNodeParameter: (name: string, otherwise: unknown) => parameters[name] ?? otherwise,
  } as unknown as IPollFunctions);

test("a trigger of which only the surveys are set has a lookback of ten minutes", () => {
  const { form, ...settings } = settingsOf({ surveyIds: " 1042, 1043,1042" });
  expect(settings).toEqual({
    surveyIds: ["1042", "1043"],
    attributeNames: [],
    lookbackMs: 600_000,
    withRespondentAttributes: false,
  });
});

const KEY = "key/of+another%account";
type Slip = [surveyIds: string, options: INodeParameters, facts: string, advice: string];
const SLIPS: Slip[] = [
  [" , ", {}, '"Survey IDs" is empty', "Give the ID of a survey, or several with commas between them."],
  [
    `1, ${KEY}`,
    {},
    'Entry 2 of "Survey IDs" is not an ID',
    "Give the ID alone, which has no spaces, slashes, question marks or percent signs.",
  ],
  [
    "1",
    { lookbackMinutes: KEY },
    '"Lookback (Minutes)" is not a whole number of at least 0',
    "If it comes from an expression, check its result.",
  ],
];

test.each(SLIPS)('the surveys "%s" with %j are reported without the value', (surveyIds, options, ...said) => {
  const { facts, advice } = thrownBy(() => settingsOf({ surveyIds, options }));
  expect([render(facts), render(advice)]).toEqual(said);
});

function thrownBy(read: () => unknown): SettingError {
  try {
    return expect.fail(`Nothing is wrong with ${JSON.stringify(read())}`);
  } catch (thrown) {
    return thrown as SettingError;
  }
}
