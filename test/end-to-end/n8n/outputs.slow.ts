import type { IDataObject, INodeParameters } from "n8n-workflow";
import { beforeAll, describe, expect, test } from "vitest";
import { answerRows } from "../../../connector/core/index.ts";
import { SURVEY_IDS } from "../../../sandbox/index.ts";
import { testLeg } from "./support/n8n-instance.ts";
import type { Execution } from "./support/rest-client.ts";
import { type Step, surveyExport, workflowOf } from "./support/workflows.ts";

/* What the node's README says: which of n8n's nodes takes which output. */

const [SURVEY] = SURVEY_IDS;

const { sandbox, rest, credential } = await testLeg("outputs", {
  builtInNodes: [
    ...["convertToFile", "dataTable", "extractFromFile", "filter", "limit", "merge"],
    ...["removeDuplicates", "set", "sort", "summarize"],
  ],
});

beforeAll(() => {
  const answered = (second: number, answer: object) => ({
    collected_at: `2026-10-01T00:00:0${second}.000000Z`,
    fields: { answers: [{ question_type: "single", ...answer }] },
  });
  const question = {
    id: npsQuestion(),
    type: "nps",
    question: QUESTION,
    introduction: null,
    answer_choices: [],
  };
  sandbox.service.changeSurvey(SURVEY, { questions: [question] });
  sandbox.service.collect(SURVEY, [
    answered(0, { question_id: 1099, action_performed: false }),
    answered(1, { question_id: 1001, surprise: { of: [1] } }),
  ]);
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
const expressionOf = (column: string) =>
  /^\w+$/.test(column) ? `={{ $json.${column} }}` : `={{ $json[${JSON.stringify(column)}] }}`;

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
const npsAnswers = () => trueAnswers().filter(({ question_id }) => question_id === npsQuestion());
const scoreColumn = () => `answer_${npsQuestion()}_score`;
/** The same by its question. Its text is hard for an expression, and for n8n, which reads a dot as a path. */
const QUESTION = `Rate us, e.g. "v2.0" [0-10]: it's fun?`;
const SCORE = `${QUESTION} (score)`;
const BY_ID = { options: { columnNames: "ids" } };

const byNumber = (one: number, other: number) => one - other;

describe.each(["simplified", "answers"])("the output %s", (output) => {
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
          column: SCORE,
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
    const named = column.replace(/["[\]]/g, "").replace(/[ .]/g, "_");
    expect(rowsOf(execution, "Summarize")[0]).toMatchObject({
      [`average_${named}`]: expect.closeTo(average, 9),
      [`min_${named}`]: Math.min(...numbers),
      [`count_${named}`]: numbers.length,
    });
  });
});

/*
 * n8n's filters count null as 0. A missing score is no key of an item, but Edit Fields and a Data Table give it as null.
 */
test("a number filter needs the condition exists: Edit Fields and Data Table make a missing score null", async () => {
  const score = scoreColumn();
  const source = everyResponse("simplified", BY_ID);
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
