import type { IDataObject, INodeParameters } from "n8n-workflow";
import { beforeAll, describe, expect, test } from "vitest";
import { answerRows } from "../../../connector/core/index.ts";
import { questionOf } from "../../../sandbox/data/question.ts";
import { SURVEY_IDS } from "../../../sandbox/index.ts";
import { testLeg } from "./support/n8n-instance.ts";
import type { Execution } from "./support/rest-client.ts";
import { type Step, surveyExport, workflowOf } from "./support/workflows.ts";

/* What the node's README says: which of n8n's nodes takes which output. */

const [SURVEY] = SURVEY_IDS;

const { sandbox, rest, credential } = await testLeg("outputs", {
  builtInNodes: [
    ...["aggregate", "convertToFile", "dataTable", "extractFromFile", "filter", "if", "limit", "merge"],
    ...["removeDuplicates", "set", "sort", "splitOut", "summarize", "switch"],
  ],
});

/** Texts that are hard for n8n's editor and its nodes, as names of fields. */
const TEXTS = [
  "How likely are you to recommend us to a friend or colleague?",
  "Hi {{first_name}}, how was it?",
  "Rate us. Be honest.",
  "Overall, what did you like?",
  "Pick one [optional]",
  "Why?",
  "C:\\temp or D:\\?",
  "__proto__",
  "survey_id",
];
const asked = (id: number, question: string) => questionOf(id, "nps", question);
/** Twenty surveys of a company, besides the examples: of each ten respondents, two give no score. */
const OTHERS = Array.from({ length: 20 }, (_, at) => `other-${at}`);
const scored = (id: number, score: number) => ({
  question_id: id,
  question_type: "nps",
  answer: { content: String(score), tag: score > 8 ? "promoter" : score > 6 ? "passive" : "detractor" },
});

beforeAll(() => {
  const answered = (second: number, answer: object) => ({
    collected_at: `2026-10-01T00:00:0${second}.000000Z`,
    fields: { answers: [{ question_type: "single", ...answer }] },
  });
  // The question's ID is taken before the responses below come, which have no NPS answer.
  const nps = npsQuestion();
  sandbox.service.changeSurvey(SURVEY, {
    questions: TEXTS.map((text, at) => asked(at === 0 ? nps : 2_000 + at, text)),
  });
  sandbox.service.collect(SURVEY, [
    answered(0, { question_id: 1099, action_performed: false }),
    answered(1, { question_id: 1001, surprise: { of: [1] } }),
    answered(2, { question_id: 2_001, answer: "Fine" }),
  ]);
  for (const [at, id] of OTHERS.entries()) {
    const question = 3_000 + at;
    sandbox.service.addSurvey({ id, name: id, responses: [], questions: [asked(question, "Why?")] });
    const answers = Array.from({ length: 10 }, (_, score) => (score < 8 ? [scored(question, score)] : []));
    sandbox.service.collect(
      id,
      answers.map((answers, second) => ({
        collected_at: `2026-10-02T00:00:0${second}.000000Z`,
        fields: { answers },
      })),
    );
  }
});

const base = (
  type: string,
  typeVersion: number,
  parameters: INodeParameters,
  ...after: readonly string[]
): Step => ({ type: `n8n-nodes-base.${type}`, typeVersion, parameters, after });

const csv = base("convertToFile", 1.1, { operation: "csv" }, "Export");
const fromCsv = base("extractFromFile", 1.1, { operation: "csv", options: { enableBOM: true } }, "CSV");
const both = base("merge", 3.1, { mode: "append" }, "Export", "Again");
const sortedBy = (column: string, after: string) =>
  base("sort", 1, { sortFieldsUi: { sortField: [{ fieldName: column, order: "ascending" }] } }, after);
const summarized = (field: string, ...aggregations: readonly string[]) => {
  const values = aggregations.map((aggregation) => ({ aggregation, field }));
  return base("summarize", 1.1, { fieldsToSummarize: { values } }, "Export");
};
const uniqueBy = (...columns: readonly string[]) => {
  const [operation, compare] = ["removeDuplicateInputItems", "selectedFields"];
  return base("removeDuplicates", 2, { operation, compare, fieldsToCompare: columns.join() }, "Both");
};

type Operator = readonly [operation: string, rightValue?: number];
const EXISTS: Operator = ["exists"];
const LOW: Operator = ["lte", 6];
const expressionOf = (column: string) => `={{ $json.${column} }}`;

/** The conditions of a Filter: all of the operators for one value, strictly, which is n8n's default. */
const conditions = (leftValue: string, ...operators: readonly Operator[]): INodeParameters => ({
  options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 3 },
  combinator: "and",
  conditions: operators.map(([operation, rightValue = ""], place) => ({
    id: `condition-${place}`,
    leftValue,
    rightValue,
    operator: { type: "number", operation, singleValue: rightValue === "" },
  })),
});
const passing = (after: string, column: string, ...operators: readonly Operator[]) =>
  base("filter", 2.3, { conditions: conditions(expressionOf(column), ...operators) }, after);

/** The condition that a field has this text. */
const isText = (leftValue: string, rightValue: string): INodeParameters => ({
  ...conditions(leftValue),
  conditions: [{ id: "text", leftValue, rightValue, operator: { type: "string", operation: "equals" } }],
});

/** The steps that create a Data Table, insert the items of "Export", and read the table again. */
const tableSteps = (name: string, columns: INodeParameters[], source: Step): Steps => {
  const dataTableId = { __rl: true, mode: "name", value: name };
  const step = (parameters: INodeParameters, after: string) => base("dataTable", 1.1, parameters, after);
  const options = { createIfNotExists: true };
  const made = {
    resource: "table",
    operation: "create",
    tableName: name,
    options,
    columns: { column: columns },
  };
  const byName = { mappingMode: "autoMapInputData", value: null };
  return {
    "Create Table": step(made, "Start"),
    Export: { ...source, after: ["Create Table"] },
    Insert: step({ resource: "row", operation: "insert", dataTableId, columns: byName }, "Export"),
    "Only One": base("limit", 1, {}, "Insert"),
    Rows: step({ resource: "row", operation: "get", dataTableId, returnAll: true }, "Only One"),
  };
};

/** The columns of a Data Table that takes these items. */
const columnsOf = (items: readonly IDataObject[]) =>
  [...new Set(items.flatMap((item) => Object.keys(item)))].map((name) => {
    const value = items.map((item) => item[name]).find((one) => (one ?? null) !== null);
    return { name, type: value === undefined ? "string" : typeof value };
  });
/** What it has of them. */
const storedIn = (execution: Execution) =>
  rowsOf(execution, "Rows").map(({ id, createdAt, updatedAt, ...row }): IDataObject => row);

type Steps = Readonly<Record<string, Step>>;

const made = async (name: string, steps: Steps) => await rest.create(workflowOf(name, steps, credential));
/** Runs a workflow of these steps to its good end. */
const run = async (name: string, steps: Steps) => await rest.run(await made(name, steps), "Start");
const rowsOf = (execution: Execution, node: string): IDataObject[] =>
  (execution.items(node) ?? []).map(({ json }) => json);
const csvOf = async (execution: Execution) =>
  (await rest.fileText(execution.items("CSV")![0]!.binary!.data!.id!)).replace("\uFEFF", "").split(/\r?\n/);

const everyResponse = (output: string, more: INodeParameters = {}) =>
  surveyExport({ surveyId: SURVEY, returnAll: true, output, ...more }, "Start");

/** Rows as text, in an order of their own, without what is null, which a file cannot tell from what is empty. */
const sorted = (rows: readonly IDataObject[], cell = (value: unknown): unknown => value): string[] =>
  rows
    .map((row) => Object.entries(row).filter(([, value]) => (value ?? "") !== ""))
    .map((row) => JSON.stringify(row.map(([name, value]) => [name, cell(value)]).sort()))
    .sort();
/** A value as a CSV file has it. */
const inFile = (value: unknown) => (typeof value === "boolean" ? String(value).toUpperCase() : String(value));

/** What the service has, one row for each answer. */
const trueAnswers = () =>
  [...sandbox.service.truth.answers(SURVEY)].flatMap(({ uuid, answers }) =>
    answerRows(answers).map((row) => ({ response_uuid: uuid, ...row })),
  );
const npsQuestion = () => trueAnswers().find(({ answer_type }) => answer_type === "nps")!.question_id;
const npsAnswers = () => {
  const question = npsQuestion();
  return trueAnswers().filter(({ question_id }) => question_id === question);
};
const scoreColumn = () => `answer_${npsQuestion()}_score`;

const byNumber = (one: number, other: number) => one - other;

describe.each(["columns", "answers"])("the output %s", (output) => {
  /** Its column of numbers, the columns that know a row, the numbers that there are, and how many rows. */
  const expectations = () =>
    output === "answers"
      ? {
          column: "value_number",
          key: ["response_uuid", "question_id", "position"],
          numbers: trueAnswers().flatMap(({ value_number }) => value_number ?? []),
          count: trueAnswers().length,
        }
      : {
          column: scoreColumn(),
          key: ["response_uuid"],
          numbers: npsAnswers().flatMap(({ value_number }) => value_number ?? []),
          count: sandbox.service.truth.count(SURVEY),
        };

  test("a Filter passes exactly the low scores; Sort, Summarize and files take those there are, Remove Duplicates all", async () => {
    const { column, key, numbers, count } = expectations();
    const execution = await run(`filters ${output}`, {
      Export: everyResponse(output),
      Again: everyResponse(output),
      Both: both,
      Unique: uniqueBy(...key),
      Filter: passing("Export", column, LOW),
      CSV: csv,
      "From CSV": fromCsv,
      There: passing("Export", column, EXISTS),
      Sorted: sortedBy(column, "There"),
      Summarize: summarized(column, "average", "min", "count"),
    });
    const found = (node: string) => rowsOf(execution, node).map((row) => row[column] as number);
    const lowest = numbers.filter((number) => number <= 6).sort(byNumber);
    expect(lowest.length).toBeGreaterThan(0);
    expect(numbers.length).toBeLessThan(count);
    expect(found("Filter").sort(byNumber)).toEqual(lowest);
    expect(rowsOf(execution, "Unique")).toHaveLength(count);
    expect(found("Sorted")).toEqual(numbers.toSorted(byNumber));
    expect(sorted(rowsOf(execution, "From CSV"))).toEqual(sorted(rowsOf(execution, "Export"), inFile));
    const average = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(rowsOf(execution, "Summarize")[0]).toMatchObject({
      [`average_${column}`]: expect.closeTo(average, 9),
      [`min_${column}`]: Math.min(...numbers),
      [`count_${column}`]: numbers.length,
    });
  });
});

describe("the default output", () => {
  const all = everyResponse("simplified");
  /** By response, as the service has it: the first NPS score, or none. */
  const truth = () => {
    const scores = new Map(npsAnswers().map((row) => [row.response_uuid, row.value_number]));
    return [...sandbox.service.truth.responses(SURVEY)].map(({ uuid }) => ({
      uuid,
      score: scores.get(uuid),
    }));
  };
  const uuids = (rows: readonly IDataObject[]) => rows.map((row) => String(row.response_uuid)).sort();

  test("is taken by IF, Switch, Aggregate, Merge, Split Out and Remove Duplicates", async () => {
    const tags = ["promoter", "passive", "detractor"];
    const merged = { mode: "combine", fieldsToMatchString: "response_uuid", options: {} };
    const lists = {
      fieldToAggregate: [{ fieldToAggregate: "answers_text" }, { fieldToAggregate: "nps_score" }],
    };
    const execution = await run("default output", {
      Export: all,
      Again: everyResponse("simplified"),
      Columns: everyResponse("columns"),
      If: base("if", 2.2, { conditions: conditions("={{ $json.nps_score }}", ["lt", 7]) }, "Export"),
      Switch: base(
        "switch",
        3.2,
        {
          rules: { values: tags.map((tag) => ({ conditions: isText("={{ $json.nps_tag }}", tag) })) },
          options: { fallbackOutput: "extra" },
        },
        "Export",
      ),
      Lists: base("aggregate", 1, { fieldsToAggregate: lists, options: {} }, "Export"),
      "All Items": base("aggregate", 1, { aggregate: "aggregateAllItemData" }, "Export"),
      Merge: base("merge", 3.1, merged, "Export", "Columns"),
      Answers: base("splitOut", 1, { fieldToSplitOut: "answers", include: "noOtherFields" }, "Export"),
      Both: both,
      Unique: uniqueBy("response_uuid"),
      CSV: csv,
    });
    const count = sandbox.service.truth.count(SURVEY);
    const low = truth().filter(({ score }) => score != null && score < 7);
    const rowsAt = (node: string, output: number) =>
      (execution.items(node, output) ?? []).map(({ json }) => json);
    expect(uuids(rowsAt("If", 0))).toEqual(low.map(({ uuid }) => uuid).sort());
    expect(rowsAt("If", 1)).toHaveLength(count - low.length);
    const tagged = (tag: string) => npsAnswers().filter(({ nps_tag }) => nps_tag === tag);
    for (const [output, tag] of tags.entries())
      expect(uuids(rowsAt("Switch", output))).toEqual(
        tagged(tag)
          .map(({ response_uuid }) => response_uuid)
          .sort(),
      );
    expect(rowsAt("Switch", tags.length)).toHaveLength(count - npsAnswers().length);

    const [aggregated] = rowsOf(execution, "Lists") as [{ answers_text: string[]; nps_score: number[] }];
    const scores = truth().flatMap(({ score }) => score ?? []);
    expect(aggregated.nps_score.toSorted(byNumber)).toEqual(scores.sort(byNumber));
    expect(
      aggregated.answers_text.some((text) => text.includes("Hi {{first_name}}, how was it?: Fine")),
    ).toBe(true);
    expect((rowsOf(execution, "All Items")[0] as { data: unknown[] }).data).toHaveLength(count);
    const together = rowsOf(execution, "Merge");
    expect(together).toHaveLength(count);
    for (const row of together) expect(row[scoreColumn()]).toBe(row.nps_score);
    const answered = new Set(
      trueAnswers().map(({ response_uuid, question_id }) => `${response_uuid} ${question_id}`),
    );
    expect(rowsOf(execution, "Answers")).toHaveLength(answered.size);
    expect(rowsOf(execution, "Unique")).toHaveLength(count);
    expect((await csvOf(execution))[0]).toContain("nps_score");
  });

  test("passes by one condition the low scores of all surveys, also while no question can be read", async () => {
    const steps = {
      Surveys: surveyExport({ resource: "survey", returnAll: true }, "Start"),
      Export: { ...everyResponse("simplified", { surveyId: "={{ $json.id }}" }), after: ["Surveys"] },
      Low: passing("Export", "nps_score", ["lt", 7]),
    };
    const expected = sandbox.service.surveys.flatMap(({ id }) =>
      [...sandbox.service.truth.answers(id)].flatMap(({ uuid, answers }) => {
        const nps = answerRows(answers).find(({ answer_type }) => answer_type === "nps");
        return nps?.value_number != null && nps.value_number < 7 ? [uuid] : [];
      }),
    );
    expect(expected.length).toBeGreaterThan(7 * OTHERS.length);
    const execution = await run("all surveys", steps);
    expect(uuids(rowsOf(execution, "Low"))).toEqual(expected.sort());
    sandbox.service.addFaults({ on: "survey_questions", reply: { kind: "status", status: 404 } });
    const without = await run("all surveys without questions", steps);
    sandbox.service.clearFaults();
    expect(uuids(rowsOf(without, "Low"))).toEqual(expected);
    const names = (one: Execution) => new Set(rowsOf(one, "Low").flatMap((row) => Object.keys(row)));
    expect(names(without)).toEqual(names(execution));
    for (const { answers_text } of rowsOf(without, "Low")) expect(answers_text).toMatch(/^Question \d+: /);
  });
});

test.each(["continueRegularOutput", "continueErrorOutput"] as const)(
  "an item that cannot be read keeps its input, with the error (%s)",
  async (onError) => {
    const input = [SURVEY, "9999"].map((survey) => ({ survey, ticket: `t-${survey}` }));
    const values = { mode: "raw", jsonOutput: `={{ ${JSON.stringify({ list: input })} }}`, options: {} };
    const execution = await run(`errors ${onError}`, {
      Input: base("set", 3.4, values, "Start"),
      Each: base("splitOut", 1, { fieldToSplitOut: "list" }, "Input"),
      Export: {
        ...surveyExport({ surveyId: "={{ $json.survey }}", limit: 1 }, "Each"),
        onError,
      },
    });
    const output = onError === "continueErrorOutput" ? 1 : 0;
    const failed = (execution.items("Export", output) ?? []).filter(({ json }) => json.error !== undefined);
    expect(failed.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual([
      {
        json: { ...input[1], error: expect.stringMatching(/^Survey "9999" was not found \[item 1\]: Check/) },
        pairedItem: { item: 1 },
      },
    ]);
  },
);

/*
 * n8n's filters count null as 0. A missing score is no key of an item, but Edit Fields and a Data Table give it as null.
 */
test("a number filter needs the condition exists: Edit Fields and Data Table make a missing score null", async () => {
  const score = scoreColumn();
  const source = everyResponse("columns");
  const items = rowsOf(await run("items", { Export: source }), "Export");
  const columns = columnsOf(items);
  const assignment = { id: "it", name: score, type: "number", value: expressionOf(score) };
  const edited = { assignments: { assignments: [assignment] }, includeOtherFields: true, options: {} };
  const steps = ["Export", "Edited", "Rows"].flatMap((after) => [
    [`${after} low`, passing(after, score, LOW)],
    [`${after} exists, low`, passing(after, score, EXISTS, LOW)],
  ]);
  const execution = await run("scores", {
    ...tableSteps("scores", columns, source),
    Edited: base("set", 3.4, edited, "Export"),
    ...Object.fromEntries(steps),
  });
  expect(sorted(storedIn(execution))).toEqual(sorted(items));

  const all = items.map((item) => (item[score] ?? null) as number | null);
  const numbers = all.filter((one) => one !== null).sort(byNumber);
  const low = numbers.filter((one) => one <= 6);
  const missing = all.filter((one) => one === null);
  expect(Math.min(missing.length, low.length)).toBeGreaterThan(0);
  const found = (node: string) => rowsOf(execution, node).map((row) => (row[score] ?? null) as number | null);
  const passed = (node: string) => found(node).sort((one, other) => (one ?? -1) - (other ?? -1));
  for (const after of ["Export", "Edited", "Rows"]) {
    expect(passed(`${after} low`), after).toEqual(after === "Export" ? low : [...missing, ...low]);
    expect(passed(`${after} exists, low`), after).toEqual(low);
  }
});

test("the raw output is filtered by expressions, made unique and filed by its plain fields", async () => {
  const found = `={{ Number($json.answers?.find((one) => one?.question_id === ${npsQuestion()})?.answer?.content ?? NaN) }}`;
  const raw = everyResponse("raw");
  const execution = await run("raw nodes", {
    Export: raw,
    Again: raw,
    Low: base("filter", 2.3, { conditions: conditions(found, LOW) }, "Export"),
    Both: both,
    Unique: uniqueBy("uuid"),
    CSV: csv,
  });
  const count = sandbox.service.truth.count(SURVEY);
  const lowest = npsAnswers().filter(({ value_number }) => value_number !== null && value_number <= 6);
  const uuids = rowsOf(execution, "Low").map(({ uuid }) => uuid);
  expect(uuids.sort()).toEqual(lowest.map(({ response_uuid }) => response_uuid).sort());
  expect(rowsOf(execution, "Unique")).toHaveLength(count);
  expect((await csvOf(execution))[0]).toContain("answers.0.question_id");
});
