import type { INodeParameters } from "n8n-workflow";
import { describe, expect, test } from "vitest";
import {
  incomingItem,
  timestampFrom,
} from "../../../../../n8n-node/nodes/SurveyExport/actions/incoming-item.ts";
import { errorOf, ofRespondent, ofSurvey, startEngine, surveys, uuidsOf } from "../../../support/set-up.ts";

const RESPONDENT = "11111111-1111-4111-8111-111111111111";
const { sandbox, engine, messageOf, newestFirst } = await startEngine({
  surveys: [...surveys(1_250), { id: "8", responses: [] }, { id: "9", responses: [] }],
});

test.each([
  ["2026-01-31", "UTC", "2026-01-31T00:00:00.000000Z"],
  ["2026-01-31 08:30", "UTC", "2026-01-31T08:30:00.000000Z"],
  ["2026-01-31T08:30:00.123456Z", "America/New_York", "2026-01-31T08:30:00.123456Z"],
  ["2026-01-31T08:30:00.1234567+02:00", "UTC", "2026-01-31T06:30:00.123456Z"],
  ["2026-01-31T08:30:00.000-05:00[America/New_York]", "UTC", "2026-01-31T13:30:00.000000Z"],
  ["2026-07-01T02:00:00", "Europe/Berlin", "2026-07-01T00:00:00.000000Z"],
  ["2026-01-01T02:00:00", "Europe/Berlin", "2026-01-01T01:00:00.000000Z"],
  ["2026-01-31T00:00:00", "Asia/Kathmandu", "2026-01-30T18:15:00.000000Z"],
  [new Date("2026-01-31T08:30:00Z"), "Europe/Berlin", "2026-01-31T08:30:00.000000Z"],
  ["yesterday", "UTC", undefined],
  ["2026-02-30", "UTC", undefined],
  ["31.01.2026", "UTC", undefined],
  [1_767_225_600, "UTC", undefined],
  [new Date("?"), "UTC", undefined],
])("the time %s in %s is %s", (value, zone, timestamp) => {
  expect(timestampFrom(value, zone)).toBe(timestamp);
});

const ONE_ID =
  'Give the ID alone: no name, and no address. A survey can be chosen from the list, and "Get many surveys" shows the IDs.';
const A_UUID = "Give the respondent's UUID. Every response carries it as respondent_uuid.";
const notAnId = (surveyId: string): [INodeParameters, string, string] => [
  ofSurvey({ surveyId }),
  '"Survey" is not an ID',
  ONE_ID,
];
const notARespondent = (respondentId: string): [INodeParameters, string, string] => [
  ofRespondent("respondentAttribute", respondentId),
  '"Respondent ID" is not an ID',
  A_UUID,
];

test.each<[INodeParameters, message: string, advice: string | RegExp]>([
  [
    ofSurvey({ surveyId: "={{ $json.nothing }}" }),
    '"Survey" is empty',
    "Fill it in. If it comes from the incoming item by an expression, check that every item has the field.",
  ],
  ...["../1001", "1001/x", ".", "10 01", "1001?x=1", "1".repeat(201)].map(notAnId),
  ...["Ada", "ada@example.com", "1001"].map(notARespondent),
  [
    ofSurvey({ surveyId: "1001, 1002" }),
    '"Survey" holds more than one ID',
    "Give one item for each ID: the node reads once for each incoming item.",
  ],
  [ofSurvey({ limit: 0 }), '"Limit" is not a whole number above 0', /^Give a whole number/],
  [
    ofSurvey({ filters: { collectedAfter: "last week" } }),
    '"Collected After" is not a date and time',
    "Give one like 2026-01-31 or 2026-01-31T08:30:00Z.",
  ],
  [
    ofSurvey({ filters: { collectedAfter: "2026-02-01", collectedBefore: "2026-01-01 08:30" } }),
    '"Collected After" is later than "Collected Before"',
    "No time lies between them. Exchange them, or leave one empty.",
  ],
  [
    ofSurvey({ returnAll: "={{ 'sometimes' }}" }),
    '"Return All" is neither true nor false',
    "Give true or false.",
  ],
  [
    ofSurvey({ resource: "={{ 'nothing' }}" }),
    '"Resource" is not one of these: surveyQuestion, surveyResponse, respondentResponse, respondentAttribute, survey',
    "Choose one of them.",
  ],
  [
    ofSurvey({ output: "person" }),
    '"Output" is not a form of responses',
    "Choose one of these: simplified, columns, answers, raw.",
  ],
  [
    ofSurvey({ options: { omitPersonalData: ["free-text"] } }),
    '"Omit Personal Data" is not a list of kinds',
    /^Give a list of these, or an empty one to keep all data: answer_labels, /,
  ],
  [
    ofSurvey({ options: { omitPersonalData: "={{ $json.missing }}" } }),
    '"Omit Personal Data" is not a list of kinds',
    /./,
  ],
])("a mistake in the settings is named before any request: %j", async (parameters, message, advice) => {
  expect(await messageOf(parameters)).toEqual([
    message,
    typeof advice === "string" ? advice : expect.stringMatching(advice),
  ]);
  expect(sandbox.service.stats.requests).toBe(0);
});

test.each([
  ["1, key/of+another%account", {}, 'Entry 2 of "Survey Names or IDs" is not an ID', ONE_ID],
  [
    "1",
    { lookbackMinutes: "key" },
    '"Lookback (Minutes)" is not a whole number of at least 0',
    "If it comes from an expression, check its result.",
  ],
])(
  "a mistake in the trigger's settings is named without its value: %s",
  async (surveys, options, ...said) => {
    const { message, description } = await errorOf(engine.poll({ surveys, options }, {}));
    expect([message, description]).toEqual(said);
  },
);

describe("a survey", () => {
  const located = (mode: string, value: string) => ({ __rl: true, mode, value });
  const input = [{ id: 1001, survey_id: "1001" }];

  test.each<[string, NonNullable<INodeParameters[string]>]>([
    ["chosen from the list", { ...located("list", "1001"), cachedResultName: "Survey (1 response)" }],
    ["by its ID", located("id", " 1001 ")],
    ["by an expression that gives a number", located("id", "={{ $json.id }}")],
    ["by an agent", located("id", "={{ $fromAI('survey_id', 'ID', 'string') }}")],
  ])("may be given %s", async (_, surveyId) => {
    const { outputs } = await engine.run(ofSurvey({ surveyId, limit: 1 }), { input });
    expect(uuidsOf(outputs[0])).toEqual([newestFirst()[0]!.uuid]);
  });

  test("that an expression gives as a number is named with its item, if it is not there", async () => {
    const two = [{ id: 1001 }, { id: 77 }];
    const { error } = await engine.run(ofSurvey({ surveyId: "={{ $json.id }}" }), { input: two });
    expect(error?.message).toBe('Survey "77" was not found [item 1]');
  });
});

describe("an expression that cannot be evaluated", () => {
  const wrong = "={{ $('Nowhere').item.json.id }}";
  const said = 'n8n says "Referenced node doesn\'t exist".';

  test.each<[string, INodeParameters]>([
    ["Survey", { surveyId: { __rl: true, mode: "id", value: wrong } }],
    ["Limit", { limit: wrong }],
    ["Collected After", { filters: { collectedAfter: wrong } }],
  ])("is named by its parameter: %s", async (label, parameters) => {
    expect(await messageOf(ofSurvey(parameters))).toEqual([
      `The expression in "${label}" cannot be evaluated`,
      said,
    ]);
    expect(sandbox.service.stats.requests).toBe(0);
  });

  test("is not taken for a mistake of ours, whatever JavaScript throws in it", () => {
    const context = {
      getNodeParameter: () => {
        throw new TypeError("$json.a.b is not a function");
      },
    };
    const { parameters } = incomingItem(context as never, 0);
    expect(() => parameters.get("limit", 50)).toThrow('The expression in "Limit" cannot be evaluated');
  });
});

test("a switch may come as text", async () => {
  const { outputs } = await engine.run(ofSurvey({ returnAll: "={{ 'false' }}", limit: 1 }));
  expect(outputs[0]).toHaveLength(1);
});

describe("survey responses", () => {
  test("a limit of 5 costs three requests, for the responses, the questions and the names, and gives the newest 5", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 5 }));
    const newest = newestFirst().slice(0, 5);
    expect(uuidsOf(outputs[0])).toEqual(newest.map(({ uuid }) => uuid));
    expect(sandbox.service.stats.byEndpoint).toMatchObject({ survey_responses: 1, survey_list: 1 });
    expect(sandbox.service.stats.requests).toBe(3);
  });

  test("the filters are inclusive to the microsecond", async () => {
    const truth = newestFirst();
    const [newer, older] = [truth[20]!, truth[170]!];
    const filters = { collectedAfter: older.collected_at, collectedBefore: newer.collected_at };
    const { outputs } = await engine.run(ofSurvey({ returnAll: true, filters }));
    const expected = truth.filter(({ micros }) => micros >= older.micros && micros <= newer.micros);
    expect(new Set(uuidsOf(outputs[0]))).toEqual(new Set(expected.map(({ uuid }) => uuid)));
  });

  test("a date without a zone is in the workflow's time zone", async () => {
    const second = newestFirst()[20]!.collected_at.slice(0, 19);
    const inSeoul = new Date(Date.parse(`${second}Z`) + 9 * 3_600_000).toISOString().slice(0, 19);
    const bounded = ofSurvey({ returnAll: true, filters: { collectedAfter: inSeoul } });
    const { outputs } = await engine.run(bounded, { timezone: "Asia/Seoul" });
    const expected = newestFirst().filter(({ collected_at }) => collected_at >= second);
    expect(outputs[0]).toHaveLength(expected.length);
  });

  test("named attributes come with the responses, by name", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 60, options: { attributeNames: "plan, city" } }));
    const columns = Object.keys(outputs[0]![0]!.json).filter((name) => name.startsWith("attribute_"));
    expect(columns).toEqual(["attribute_city", "attribute_plan"]);
    expect(outputs[0]!.some(({ json }) => json.attribute_plan !== null)).toBe(true);
  });
});

describe("a respondent", () => {
  test("has responses to all surveys, over several pages and newest first", async () => {
    const [most] = [...sandbox.service.truth.respondents("1001")]
      .map((uuid) => ({ uuid, responses: sandbox.service.truth.responsesOf(uuid) }))
      .sort((one, other) => other.responses.length - one.responses.length);
    const { outputs } = await engine.run(ofRespondent("respondentResponse", most!.uuid, { returnAll: true }));
    expect(uuidsOf(outputs[0])).toEqual(most!.responses.map(({ uuid }) => uuid).reverse());
  });

  test("has attributes, over several pages, and a limit omits the others", async () => {
    const respondent = [...sandbox.service.truth.respondents("1001")].find(
      (uuid) => (sandbox.service.truth.attributes(uuid)?.length ?? 0) > 100,
    )!;
    const truth = sandbox.service.truth.attributes(respondent)!;
    // The first page shows an earlier time than the next one, and still comes first.
    const reply = { kind: "date_header", offsetMs: -60_000 } as const;
    sandbox.service.addFaults({ on: "respondent_attributes", nth: 1, reply });
    const all = await engine.run(ofRespondent("respondentAttribute", respondent, { returnAll: true }));
    expect(all.outputs[0]!.map(({ json }) => json)).toEqual(
      truth.map(({ id, name, value }) => ({ respondent_uuid: respondent, attribute_id: id, name, value })),
    );
    const some = await engine.run(ofRespondent("respondentAttribute", respondent, { limit: 3 }));
    const ids = some.outputs[0]!.map(({ json }) => json.attribute_id);
    expect(ids).toEqual(truth.slice(0, 3).map(({ id }) => id));
  });

  test("without attributes gives no items; one that is unknown is reported", async () => {
    sandbox.service.describe({ uuid: RESPONDENT, attributes: [] });
    const known = await engine.run(ofRespondent("respondentAttribute", RESPONDENT));
    expect([known.status, known.outputs.flat()]).toEqual(["success", []]);
    const nobody = "00000000-0000-4000-8000-000000000000";
    const [message, description] = await messageOf(ofRespondent("respondentAttribute", nobody));
    expect(message).toBe(`Respondent "${nobody}" was not found`);
    expect(description).toMatch(/^Check the ID, and that the API key belongs to the workspace it is in\./);
  });
});
