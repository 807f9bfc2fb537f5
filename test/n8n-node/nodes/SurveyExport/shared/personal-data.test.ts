import type { IDataObject, INodeParameters, NodeApiError } from "n8n-workflow";
import { describe, expect, test, vi } from "vitest";
import { OMITTABLE } from "../../../../../n8n-node/nodes/SurveyExport/shared/personal-data.ts";
import { PERSONAL_DATA, personalSurveys } from "../../../../support/personal-data.ts";
import * as setUp from "../../../support/set-up.ts";

/* What belongs to each kind, and every way in which it could show, is tested in the core. */

const PLANTED = PERSONAL_DATA.find(({ kind }) => kind === "email")!;
const quoting = {
  on: "/surveys/",
  reply: { kind: "status", status: 400, body: `${PLANTED.value}!` },
} as const;
const ATTRIBUTES = { attributeNames: "contact email, contact name, contact phone, notes" };

const { sandbox, engine } = await setUp.startEngine(personalSurveys(["1001"], 20));
const anna = [...sandbox.service.truth.respondents("1001")][0]!;

/** What of the planted data, and of the respondents' identifiers, a text holds. */
function foundIn(value: unknown): string[] {
  const text = JSON.stringify(value) ?? "";
  const planted = PERSONAL_DATA.filter(({ spellings }) => spellings.some((each) => text.includes(each)));
  const respondents = [...sandbox.service.truth.respondents("1001")].filter((uuid) => text.includes(uuid));
  return [...planted.map(({ place }) => place), ...respondents];
}

const ofSurvey = (options: IDataObject, more: INodeParameters = {}): INodeParameters =>
  setUp.ofSurvey({ returnAll: true, options: options as INodeParameters, ...more });

describe("if all kinds are omitted, no personal data is in", () => {
  const options = { omitPersonalData: [...OMITTABLE], ...ATTRIBUTES };

  test.each([
    ...["simplified", "columns", "answers", "raw"].map((output) => ofSurvey(options, { output })),
    ...(["respondentResponse", "respondentAttribute"] as const).map((resource) =>
      setUp.ofRespondent(resource, anna, { returnAll: true, options }),
    ),
  ])("the items of $resource, $output", async (parameters) => {
    const { outputs, error } = await engine.run(parameters);
    expect(error).toBeUndefined();
    expect(outputs[0]!.length).toBeGreaterThan(0);
    expect(foundIn(outputs)).toEqual([]);
  });

  test("what the trigger hands over, remembers, reports and logs", async () => {
    const log = vi.spyOn(engine.logger, "warn");
    const memory: IDataObject = {};
    const poll = (mode: "trigger" | "manual") =>
      engine.poll({ surveys: ["1001"], options }, memory, { mode });
    await poll("trigger");
    sandbox.service.collect("1001", { count: 3 });
    for (const mode of ["trigger", "manual"] as const) {
      const { items } = await poll(mode);
      expect(items!.length).toBeGreaterThan(0);
      expect(foundIn([items, memory])).toEqual([]);
    }
    sandbox.service.addFaults(quoting);
    const [reported] = (await poll("trigger")).reported as NodeApiError[];
    expect(reported!.description).toContain("status 400");
    expect(foundIn([reported!.message, reported!.description, memory, log.mock.calls])).toEqual([]);
    log.mockRestore();
  });
});

test("without the option everything is there", async () => {
  const { outputs } = await engine.run(ofSurvey(ATTRIBUTES, { output: "raw" }));
  expect(foundIn(outputs).length).toBeGreaterThanOrEqual(PERSONAL_DATA.length);
  sandbox.service.addFaults(quoting);
  const { error } = await engine.run(ofSurvey({}));
  expect(error?.description).toContain(PLANTED.value);
});

test("each incoming item has its own option, also for messages", async () => {
  const options = { omitPersonalData: "={{ $json.omit }}" };
  const input = [{ omit: [] }, { omit: ["respondent_identifiers"] }];
  const { outputs } = await engine.run(ofSurvey(options, { returnAll: false, limit: 1 }), { input });
  const [open, treated] = outputs[0]!.map(({ json }) => json.respondent_uuid);
  expect({ open, treated }).toEqual({ open: expect.any(String), treated: null });

  sandbox.service.addFaults({ on: "/respondents/", reply: { kind: "status", status: 404 } });
  const parameters = setUp.ofRespondent("respondentResponse", anna, { options });
  const failed = await engine.run(parameters, { input, onError: "continueRegularOutput" });
  const messages = failed.outputs[0]!.map(({ json }) => String(json.error));
  expect(messages.map((message) => message.includes(anna))).toEqual([true, false]);
});
