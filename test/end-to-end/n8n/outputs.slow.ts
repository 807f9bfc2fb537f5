import type { IDataObject, INodeParameters } from "n8n-workflow";
import { beforeAll, describe, expect, test } from "vitest";
import { readableAnswerRows } from "../../../connector/core/index.ts";
import type { Sandbox } from "../../../sandbox/index.ts";
import { type Leg, startLeg } from "./support/leg.ts";
import type { Execution, RestClient } from "./support/rest-client.ts";
import { type Step, surveyExport, workflowOf } from "./support/workflows.ts";

const SURVEY = "1001";

let sandbox: Sandbox;
let rest: RestClient;
let credential: Leg["credential"];

beforeAll(async () => {
  const leg = await startLeg("outputs", {
    builtInNodes: [
      ...["aggregate", "convertToFile", "dataTable", "extractFromFile", "filter", "if", "limit", "merge"],
      ...["removeDuplicates", "set", "sort", "summarize", "switch"],
    ],
  });
  ({ sandbox, rest, credential } = leg);
  sandbox.service.collect(SURVEY, [
    {
      collected_at: "2026-10-01T00:00:00.000000Z",
      fields: { answers: [{ question_id: 1001, question_type: "single", surprise: { of: [1] } }] },
    },
  ]);
  return leg.stop;
});

const base = (
  type: string,
  typeVersion: number,
  parameters: INodeParameters,
  ...after: readonly string[]
): Step => ({ type: `n8n-nodes-base.${type}`, typeVersion, parameters, after });

const csv = base("convertToFile", 1.1, { operation: "csv" }, "Export");
const fromCsv = base("extractFromFile", 1.1, { operation: "csv", options: { enableBOM: true } }, "CSV");
const sortedBy = (column: string, after = "Export") =>
  base("sort", 1, { sortFieldsUi: { sortField: [{ fieldName: column, order: "ascending" }] } }, after);
const summarized = (field: string, ...aggregations: readonly string[]) => {
  const values = aggregations.map((aggregation) => ({ aggregation, field }));
  return base("summarize", 1.1, { fieldsToSummarize: { values } }, "Export");
};
/** Compares these columns, or all fields. */
const uniqueBy = (after: string, ...columns: readonly string[]) => {
  const compare = columns.length > 0 ? "selectedFields" : "allFields";
  const operation = "removeDuplicateInputItems";
  return base("removeDuplicates", 2, { operation, compare, fieldsToCompare: columns.join() }, after);
};
const table = (name: string, columns: readonly object[], options: INodeParameters = {}) => {
  const column = columns as INodeParameters[];
  const made = { resource: "table", operation: "create", tableName: name, options, columns: { column } };
  return base("dataTable", 1.1, made, "Start");
};
const named = (table: string) => ({ __rl: true, mode: "name", value: table });
const insertedInto = (table: string) => {
  const columns = { mappingMode: "autoMapInputData", value: null };
  const rows = { resource: "row", operation: "insert", dataTableId: named(table), columns };
  return base("dataTable", 1.1, rows, "Export");
};

type Steps = Readonly<Record<string, Step>>;

async function runAsItEnds(name: string, steps: Steps): Promise<Execution> {
  const { id } = await rest.create(workflowOf(name, steps, credential));
  return await rest.run(id, "Start");
}
/** In n8n's own words. */
const failureOf = ({ error }: Execution) => error && `${error.message} ${error.description ?? ""}`;

/** Runs a workflow of these steps to its good end. */
async function run(name: string, steps: Steps): Promise<Execution> {
  const execution = await runAsItEnds(name, steps);
  expect(failureOf(execution)).toBe(undefined);
  return execution;
}

const rowsOf = (execution: Execution, node: string): IDataObject[] =>
  (execution.items(node) ?? []).map(({ json }) => json);

const everyResponse = (output: string, more: INodeParameters = {}) =>
  surveyExport({ resource: "surveyResponse", surveyId: SURVEY, returnAll: true, output, ...more }, ["Start"]);

/** Text in which the same row is the same, whatever the order of its columns. */
const sorted = (rows: readonly IDataObject[]): string[] =>
  rows
    .map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
    .sort();

/** A row without the columns that are null, which a file cannot tell from empty ones. */
const filled = (row: IDataObject): IDataObject =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== ""));

/** A row as a CSV file has it: text in every column. */
const asText = (row: IDataObject): IDataObject =>
  Object.fromEntries(
    Object.entries(filled(row)).map(([name, value]) => [
      name,
      typeof value === "boolean" ? String(value).toUpperCase() : String(value),
    ]),
  );

/** The columns of a Data Table for these items: numbers, booleans, and text. */
function columnsFor(items: readonly IDataObject[]) {
  return [...new Set(items.flatMap((item) => Object.keys(item)))].map((name) => {
    const kinds = new Set(items.map((item) => item[name] ?? undefined).map((value) => typeof value));
    kinds.delete("undefined");
    // One kind for a column, and nothing that a table cannot hold.
    expect(["", "string", "number", "boolean"], name).toContain([...kinds].join());
    return { name, type: [...kinds][0] ?? "string" };
  });
}

/** Creates a Data Table, inserts the items by their names, and reads the table again. */
async function throughDataTable(name: string, source: Step, more: Steps = {}) {
  const items = rowsOf(await run(`${name}: items`, { Export: source }), "Export");
  const everyRow = { resource: "row", operation: "get", dataTableId: named(name), returnAll: true };
  const execution = await run(name, {
    "Create Table": table(name, columnsFor(items)),
    Export: { ...source, after: ["Create Table"] },
    Insert: insertedInto(name),
    "Only One": base("limit", 1, {}, "Insert"),
    Rows: base("dataTable", 1.1, everyRow, "Only One"),
    ...more,
  });
  const rows = rowsOf(execution, "Rows").map(({ id, createdAt, updatedAt, ...row }): IDataObject => row);
  return { items, rows, execution };
}

/** What the service has, one row for each answer. */
const trueAnswers = () =>
  [...sandbox.service.truth.answers(SURVEY)].flatMap(({ uuid, answers }) =>
    readableAnswerRows(answers).rows.map((row) => ({
      response_uuid: uuid,
      ...row,
      additional_fields: row.additional_fields && JSON.stringify(row.additional_fields),
    })),
  );

test("Data Table takes the simplified output by its names, and its rows are the truth", async () => {
  const { items, rows } = await throughDataTable("simplified", everyResponse("simplified"));
  expect(sorted(rows.map(filled))).toEqual(sorted(items.map(filled)));
  const truth = [...sandbox.service.truth.responses(SURVEY)];
  const known = (row: IDataObject) => [row.respondent_uuid, row.collected_at, row.survey_id];
  expect(new Map(rows.map((row) => [row.response_uuid, known(row)]))).toEqual(
    new Map(truth.map((one) => [one.uuid, known({ ...one })])),
  );
  const scores = new Map(
    trueAnswers()
      .filter(({ answer_type }) => answer_type === "nps" || answer_type === "rating")
      .map((row) => [`${row.response_uuid} ${row.question_id}`, row.value_number]),
  );
  expect(scores.size).toBeGreaterThan(0);
  const found = rows.flatMap((row) =>
    Object.entries(row)
      .filter(([name, value]) => name.endsWith("_score") && value !== null)
      .map(([name, value]) => [`${row.response_uuid} ${name.split("_")[1]}`, value] as const),
  );
  expect(new Map(found)).toEqual(scores);
});

test("Data Table takes one item per answer, and its rows are the truth", async () => {
  const { rows } = await throughDataTable("answers", everyResponse("answers"));
  const columns = Object.keys(trueAnswers()[0]!);
  expect(sorted(rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]]))))).toEqual(
    sorted(trueAnswers() as unknown as IDataObject[]),
  );
});

type Operator = readonly [type: "number" | "boolean", operation: string, rightValue?: unknown];
const EXISTS: Operator = ["number", "exists"];
const LOW: Operator = ["number", "lte", 6];
const NOT_SIX: Operator = ["number", "notEquals", 6];
const expressionOf = (column: string) => `={{ $json.${column} }}`;

/** The parameters of Filter and IF: all of the operators for one value. Strict is n8n's default. */
const filter = (leftValue: string, operators: readonly Operator[], strict = true): INodeParameters => ({
  conditions: {
    options: { caseSensitive: true, leftValue: "", typeValidation: strict ? "strict" : "loose", version: 3 },
    combinator: "and",
    conditions: operators.map(([type, operation, rightValue = ""], place) => ({
      ...{ id: `condition-${place}`, leftValue, rightValue },
      operator: { type, operation, singleValue: rightValue === "" },
    })),
  } as unknown as INodeParameters,
  looseTypeValidation: !strict,
});

const npsQuestion = () => trueAnswers().find(({ answer_type }) => answer_type === "nps")!.question_id;
const scoreColumn = () => `answer_${npsQuestion()}_score`;

/** Each flat output: its column of numbers, the columns that know a row, and the numbers that there are. */
const FLAT = {
  simplified: () => byResponse({}),
  selected: () => byResponse({ fields: ["response_uuid", scoreColumn(), "language"] }),
  answers: () => ({
    more: {},
    column: "value_number",
    key: ["response_uuid", "question_id", "position"],
    numbers: trueAnswers().flatMap(({ value_number }) => value_number ?? []),
    count: trueAnswers().length,
  }),
};
const byResponse = (more: INodeParameters) => ({
  more,
  column: scoreColumn(),
  key: ["response_uuid"],
  numbers: trueAnswers()
    .filter(({ question_id }) => question_id === npsQuestion())
    .flatMap(({ value_number }) => value_number ?? []),
  count: sandbox.service.truth.count(SURVEY),
});

const passing = (after: string, column: string, ...operators: readonly Operator[]) =>
  base("filter", 2.3, filter(expressionOf(column), operators), after);

const byNumber = (one: number, other: number) => one - other;

describe.each(["simplified", "selected", "answers"] as const)("the output %s", (output) => {
  test("Filter, IF and Switch pass exactly the low scores; Sort, Summarize and files take those there are", async () => {
    const { more, column, numbers, count } = FLAT[output]();
    const low = (strict: boolean) => filter(expressionOf(column), [LOW], strict);
    const execution = await run(`filters ${output}`, {
      Export: everyResponse(output, more),
      Filter: base("filter", 2.3, low(true), "Export"),
      "Loose Filter": base("filter", 2.3, low(false), "Export"),
      "Older Filter": base("filter", 2.2, low(false), "Export"),
      IF: base("if", 2.3, low(true), "Export"),
      Switch: base("switch", 3.4, { rules: { values: [{ conditions: low(true).conditions! }] } }, "Export"),
      CSV: csv,
      "From CSV": fromCsv,
      There: passing("Export", column, EXISTS),
      Sorted: sortedBy(column, "There"),
      "Sorted with Missing": sortedBy(column),
      Summarize: summarized(column, "average", "min", "count"),
    });
    const found = (node: string) => rowsOf(execution, node).map((row) => row[column] as number);
    const lowest = numbers.filter((number) => number <= 6).sort(byNumber);
    expect(lowest.length).toBeGreaterThan(0);
    expect(numbers.length).toBeLessThan(count);
    for (const node of ["Filter", "Loose Filter", "Older Filter", "IF", "Switch"])
      expect(found(node).sort(byNumber), node).toEqual(lowest);
    expect(found("Sorted")).toEqual(numbers.toSorted(byNumber));
    expect(found("Sorted with Missing").filter((number) => number !== undefined)).not.toEqual(
      numbers.toSorted(byNumber),
    );
    expect(sorted(rowsOf(execution, "From CSV").map(filled))).toEqual(
      sorted(rowsOf(execution, "Export").map(asText)),
    );
    const [summary] = rowsOf(execution, "Summarize");
    const average = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(summary![`average_${column}`]).toBeCloseTo(average, 9);
    expect(summary).toMatchObject({
      [`min_${column}`]: Math.min(...numbers),
      [`count_${column}`]: numbers.length,
    });
  });

  test("Remove Duplicates knows the rows by their ids, and refuses to compare all fields", async () => {
    const { more, key, count } = FLAT[output]();
    const twice = {
      Export: everyResponse(output, more),
      Again: everyResponse(output, more),
      Both: base("merge", 3.1, { mode: "append" }, "Export", "Again"),
    };
    const execution = await run(`duplicates ${output}`, { ...twice, Unique: uniqueBy("Both", ...key) });
    expect(rowsOf(execution, "Unique")).toHaveLength(count);
    const all = await runAsItEnds(`all fields ${output}`, { ...twice, Unique: uniqueBy("Both") });
    expect(failureOf(all)).toContain("field is missing from some input items");
  });
});

test("a filter for No passes exactly the rows that say no, if it compares with false", async () => {
  sandbox.service.collect(SURVEY, [
    {
      collected_at: "2026-10-01T00:00:01.000000Z",
      fields: { answers: [{ question_id: 1013, question_type: "single", action_performed: false }] },
    },
  ]);
  const execution = await run("booleans", {
    Export: everyResponse("answers"),
    No: passing("Export", "value_boolean", ["boolean", "equals", false]),
    "Is False": passing("Export", "value_boolean", ["boolean", "false"]),
  });
  const no = trueAnswers().filter(({ value_boolean }) => value_boolean === false);
  expect(no.length).toBeGreaterThan(0);
  expect(rowsOf(execution, "No")).toHaveLength(no.length);
  expect(rowsOf(execution, "Is False").length).toBeGreaterThan(no.length);
});

/*
 * n8n's filters count null as 0. A missing score is no key of an item, but Edit Fields and a Data Table give it as null.
 */
test("a number filter needs the condition exists: Edit Fields and Data Table make a missing score null", async () => {
  const score = scoreColumn();
  const assignment = { id: "it", name: score, type: "number", value: expressionOf(score) };
  const edited = { assignments: { assignments: [assignment] }, includeOtherFields: true, options: {} };
  const list = (options: INodeParameters) => {
    const fieldsToAggregate = { fieldToAggregate: [{ fieldToAggregate: score }] };
    return base("aggregate", 1, { fieldsToAggregate, options }, "Export");
  };
  const steps = ["Export", "Edited", "Rows"].flatMap((after) => [
    [`${after} low`, passing(after, score, LOW)],
    [`${after} other`, passing(after, score, NOT_SIX)],
    [`${after} exists, low`, passing(after, score, EXISTS, LOW)],
    [`${after} exists, other`, passing(after, score, EXISTS, NOT_SIX)],
  ]);
  const source = everyResponse("selected", { fields: ["response_uuid", score] });
  const { items, execution } = await throughDataTable("scores", source, {
    Edited: base("set", 3.4, edited, "Export"),
    ...Object.fromEntries(steps),
    Present: list({}),
    All: list({ keepMissing: true }),
  });
  const all = items.map((item) => item[score] as number | undefined);
  const numbers = all.filter((one) => one !== undefined).sort(byNumber);
  const [low, other] = [numbers.filter((one) => one <= 6), numbers.filter((one) => one !== 6)];
  const missing = all.filter((one) => one === undefined).map(() => null);
  expect(Math.min(missing.length, low.length, numbers.length - other.length)).toBeGreaterThan(0);
  const found = (node: string) => rowsOf(execution, node).map((row) => (row[score] ?? null) as number | null);
  const passed = (node: string) => found(node).sort((one, other) => (one ?? -1) - (other ?? -1));
  for (const after of ["Export", "Edited", "Rows"]) {
    expect(passed(`${after} low`), after).toEqual(after === "Export" ? low : [...missing, ...low]);
    expect(passed(`${after} other`), after).toEqual([...missing, ...other]);
    expect(passed(`${after} exists, low`), after).toEqual(low);
    expect(passed(`${after} exists, other`), after).toEqual(other);
  }
  expect(rowsOf(execution, "All")).toEqual([{ [score]: all.map((one) => one ?? null) }]);
  expect(rowsOf(execution, "Present")).toEqual([{ [score]: all.filter((one) => one !== undefined) }]);
});

test("Data Table and Remove Duplicates refuse the raw output", async () => {
  const raw = everyResponse("raw");
  const columns = [{ name: "uuid", type: "string" }];
  const rows = {
    Table: table("raw", columns),
    Export: { ...raw, after: ["Table"] },
    Insert: insertedInto("raw"),
  };
  expect(failureOf(await runAsItEnds("raw rows", rows))).toMatch(/unexpected (array|object) input/);
  const duplicates = { Export: raw, Unique: uniqueBy("Export") };
  expect(failureOf(await runAsItEnds("raw duplicates", duplicates))).toContain(
    "field is missing from some input items",
  );
});

test("the raw output is filtered by expressions, sorted, counted, made unique and filed by its plain fields", async () => {
  const found = `={{ Number($json.answers?.find((one) => one?.question_id === ${npsQuestion()})?.answer?.content ?? NaN) }}`;
  const raw = everyResponse("raw");
  const execution = await run("raw nodes", {
    Export: raw,
    Again: raw,
    Low: base("filter", 2.3, filter(found, [LOW]), "Export"),
    Sorted: sortedBy("collected_at"),
    Summarize: summarized("uuid", "countUnique"),
    Both: base("merge", 3.1, { mode: "append" }, "Export", "Again"),
    Unique: uniqueBy("Both", "uuid"),
    CSV: csv,
  });
  const truth = [...sandbox.service.truth.responses(SURVEY)];
  const lowest = trueAnswers().filter(
    ({ question_id, value_number }) =>
      question_id === npsQuestion() && value_number !== null && value_number <= 6,
  );
  const uuids = rowsOf(execution, "Low").map(({ uuid }) => uuid);
  expect(uuids.sort()).toEqual(lowest.map(({ response_uuid }) => response_uuid).sort());
  const times = rowsOf(execution, "Sorted").map(({ collected_at }) => String(collected_at));
  expect(times).toEqual(times.toSorted());
  expect(rowsOf(execution, "Summarize")).toEqual([{ unique_count_uuid: truth.length }]);
  expect(rowsOf(execution, "Unique")).toHaveLength(truth.length);
  const file = await rest.fileText(execution.items("CSV")![0]!.binary!.data!.id!);
  expect(file.split("\n")[0]).toContain("answers.0.question_id");
});

test.each([
  ["surveyExport", { resource: "surveyResponse", operation: "getAll", surveyId: SURVEY }],
  ["surveyExportTrigger", { surveyIds: `${SURVEY}, 1002` }],
])("the editor of %s lists the columns before the first run", async (name, parameters) => {
  const columns = await rest.call<{ value: string }[]>("POST", "/rest/dynamic-node-parameters/options", {
    path: "parameters.fields",
    nodeTypeAndVersion: { name: `n8n-nodes-survey-export.${name}`, version: 1 },
    methodName: "getColumns",
    currentNodeParameters: { ...parameters, output: "selected" },
    credentials: { surveyExportApi: credential },
  });
  expect(columns.map(({ value }) => value)).toEqual(
    expect.arrayContaining(["response_uuid", "answers", scoreColumn()]),
  );
});

test("chosen columns are the same in every run, in a file and in a table", async () => {
  const score = scoreColumn();
  const fields = ["response_uuid", score, `answer_${npsQuestion()}`, "attribute_plan", "language"];
  const columns = fields.map((name) => ({ name, type: name === score ? "number" : "string" }));
  const days = ["2026-09-29", "2026-09-30", "2026-10-01"];
  const inserted: IDataObject[] = [];
  for (const [run_, collectedAfter] of days.entries()) {
    const source = everyResponse("selected", { fields, filters: { collectedAfter } });
    const execution = await run(`chosen ${run_}`, {
      Table: table("chosen", columns, { createIfNotExists: true }),
      Export: { ...source, after: ["Table"] },
      CSV: csv,
      Insert: insertedInto("chosen"),
    });
    const text = await rest.fileText(execution.items("CSV")![0]!.binary!.data!.id!);
    expect(text.replace("\uFEFF", "").split(/\r?\n/)[0]).toBe(fields.join());
    expect(rowsOf(execution, "Insert")).toHaveLength(rowsOf(execution, "Export").length);
    inserted.push(...rowsOf(execution, "Export"));
  }
  // The newest response has none of the answers.
  expect(inserted.at(-1)).not.toHaveProperty(score);
});
