import type { IDataObject, INodeParameters } from "n8n-workflow";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { readableAnswerRows } from "../../../connector/core/index.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { N8nInstance } from "./n8n-instance.ts";
import { type Execution, RestClient } from "./rest-client.ts";
import { type Step, surveyExport, workflowOf } from "./workflows.ts";

const SURVEY = "1001";
/** The people whose attributes are read: one request each. */
const PEOPLE = 5;

let sandbox: Sandbox;
let n8n: N8nInstance;
let rest: RestClient;
let credential: { id: string; name: string };

beforeAll(async () => {
  sandbox = await startSandbox();
  sandbox.service.collect(SURVEY, [
    {
      collected_at: "2026-10-01T00:00:00.000000Z",
      fields: { answers: [{ question_id: 1001, question_type: "single", surprise: { of: [1] } }] },
    },
  ]);
  n8n = await N8nInstance.create("outputs", inject("n8n"), inject("tarball"), {
    builtInNodes: [
      "convertToFile",
      "dataTable",
      "extractFromFile",
      "filter",
      "limit",
      "merge",
      "removeDuplicates",
      "summarize",
    ],
  });
  await n8n.start();
  rest = await RestClient.setUp(n8n.url, inject("n8n"));
  credential = await rest.createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
});
afterAll(async () => {
  await n8n?.stop();
  await sandbox?.close();
});

const base = (
  type: string,
  typeVersion: number,
  parameters: INodeParameters,
  ...after: readonly string[]
): Step => ({ type: `n8n-nodes-base.${type}`, typeVersion, parameters, after });

/** Runs a workflow of these steps; fails with n8n's own words. */
async function run(name: string, steps: Readonly<Record<string, Step>>): Promise<Execution> {
  const { id } = await rest.call<{ id: string }>(
    "POST",
    "/rest/workflows",
    workflowOf(name, steps, credential),
  );
  const execution = await rest.run(id, "Start");
  expect(execution.error && `${execution.error.message} ${execution.error.description ?? ""}`).toBe(
    undefined,
  );
  return execution;
}

const rowsOf = (execution: Execution, node: string): IDataObject[] =>
  (execution.items(node) ?? []).map(({ json }) => json);

const everyResponse = (output: string) =>
  surveyExport({ resource: "surveyResponse", surveyId: SURVEY, returnAll: true, output }, ["Start"]);

/** Text in which the same row is the same, whatever the order of its columns. */
const sorted = (rows: readonly IDataObject[]): string[] =>
  rows
    .map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
    .sort();

/** A row without the columns that are null, which a file cannot tell from empty ones. */
const filled = (row: IDataObject): IDataObject =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== ""));

/** What a CSV file makes of a row: text in every column. */
const asText = (row: IDataObject): IDataObject =>
  Object.fromEntries(Object.entries(filled(row)).map(([name, value]) => [name, String(value)]));

/** The columns of a Data Table for these items: numbers, booleans, and text. */
function columnsFor(items: readonly IDataObject[]) {
  return Object.keys(items[0]!).map((name) => {
    const kinds = new Set(
      items
        .map((item) => item[name])
        .filter((value) => value !== null)
        .map((value) => typeof value),
    );
    // One kind for a column, and nothing that a table cannot hold.
    expect(["", "string", "number", "boolean"], name).toContain([...kinds].join());
    return { name, type: [...kinds][0] ?? "string" };
  });
}

/** Creates a Data Table, inserts the items by their names, and reads the table again. */
async function throughDataTable(table: string, source: Step): Promise<[IDataObject[], IDataObject[]]> {
  const items = rowsOf(await run(`${table}: items`, { Export: source }), "Export");
  const named = { __rl: true, mode: "name", value: table };
  const execution = await run(table, {
    "Create Table": base(
      "dataTable",
      1.1,
      {
        resource: "table",
        operation: "create",
        tableName: table,
        columns: { column: columnsFor(items) as unknown as INodeParameters[] },
      },
      "Start",
    ),
    Export: { ...source, after: ["Create Table"] },
    Insert: base(
      "dataTable",
      1.1,
      {
        resource: "row",
        operation: "insert",
        dataTableId: named,
        columns: { mappingMode: "autoMapInputData", value: null },
      },
      "Export",
    ),
    "Only One": base("limit", 1, {}, "Insert"),
    Rows: base(
      "dataTable",
      1.1,
      { resource: "row", operation: "get", dataTableId: named, returnAll: true },
      "Only One",
    ),
  });
  const rows = rowsOf(execution, "Rows").map(({ id, createdAt, updatedAt, ...row }) => row);
  return [items, rows];
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
  const [items, rows] = await throughDataTable("simplified", everyResponse("simplified"));
  expect(sorted(rows)).toEqual(sorted(items));
  const truth = [...sandbox.service.truth.responses(SURVEY)];
  expect(
    sorted(
      rows.map(({ response_uuid, respondent_uuid, collected_at, survey_id }) => ({
        response_uuid,
        respondent_uuid,
        collected_at,
        survey_id,
      })),
    ),
  ).toEqual(
    sorted(
      truth.map(({ uuid, respondent_uuid, collected_at, survey_id }) => ({
        response_uuid: uuid,
        respondent_uuid,
        collected_at,
        survey_id,
      })),
    ),
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
  const [, rows] = await throughDataTable("answers", everyResponse("answers"));
  const columns = Object.keys(trueAnswers()[0]!);
  expect(sorted(rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]]))))).toEqual(
    sorted(trueAnswers() as unknown as IDataObject[]),
  );
});

test("Data Table takes selected fields", async () => {
  const source = everyResponse("selected");
  const [items, rows] = await throughDataTable("selected", {
    ...source,
    parameters: { ...source.parameters, fields: ["response_uuid", "answers"] },
  });
  expect(sorted(rows)).toEqual(sorted(items));
  expect(rows.length).toBe(sandbox.service.truth.count(SURVEY));
});

test("files, Filter, Summarize, Remove Duplicates and Merge take the simplified output", async () => {
  const items = rowsOf(await run("items", { Export: everyResponse("simplified") }), "Export");
  const score = Object.keys(items[0]!).find(
    (name) => name.endsWith("_score") && items.some((item) => item[name.replace("_score", "_tag")]),
  )!;
  const execution = await run("nodes", {
    Export: everyResponse("simplified"),
    CSV: base("convertToFile", 1.1, { operation: "csv" }, "Export"),
    "From CSV": base("extractFromFile", 1.1, { operation: "csv", options: { enableBOM: true } }, "CSV"),
    XLSX: base("convertToFile", 1.1, { operation: "xlsx" }, "Export"),
    "From XLSX": base("extractFromFile", 1.1, { operation: "xlsx" }, "XLSX"),
    Filter: base(
      "filter",
      2.2,
      {
        conditions: {
          options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
          combinator: "and",
          conditions: [
            {
              id: "promoters",
              leftValue: `={{ $json.${score} }}`,
              rightValue: 9,
              operator: { type: "number", operation: "gte" },
            },
          ],
        },
      },
      "Export",
    ),
    Summarize: base(
      "summarize",
      1.1,
      { fieldsToSummarize: { values: [{ aggregation: "average", field: score }] } },
      "Export",
    ),
    People: base(
      "removeDuplicates",
      2,
      {
        operation: "removeDuplicateInputItems",
        compare: "selectedFields",
        fieldsToCompare: "respondent_uuid",
      },
      "Export",
    ),
    Some: base("limit", 1, { maxItems: PEOPLE }, "People"),
    Attributes: surveyExport(
      {
        resource: "respondentAttribute",
        respondentId: "={{ $json.respondent_uuid }}",
        output: "person",
      },
      ["Some"],
    ),
    Merge: base(
      "merge",
      3.1,
      { mode: "combine", combineBy: "combineByFields", fieldsToMatchString: "respondent_uuid", options: {} },
      "Export",
      "Attributes",
    ),
  });

  expect(sorted(rowsOf(execution, "From CSV").map(filled))).toEqual(sorted(items.map(asText)));
  expect(sorted(rowsOf(execution, "From XLSX").map(filled))).toEqual(sorted(items.map(filled)));

  const scores = items.map((item) => item[score]).filter((value) => typeof value === "number");
  const promoters = items.filter((item) => typeof item[score] === "number" && item[score] >= 9);
  expect(sorted(rowsOf(execution, "Filter"))).toEqual(sorted(promoters));
  expect(promoters.length).toBeGreaterThan(0);
  expect(rowsOf(execution, "Summarize")).toEqual([
    { [`average_${score}`]: scores.reduce((sum, value) => sum + value, 0) / scores.length },
  ]);

  const people = rowsOf(execution, "People").map(({ respondent_uuid }) => respondent_uuid);
  expect(new Set(people)).toEqual(sandbox.service.truth.respondents(SURVEY));
  expect(people.length).toBe(new Set(people).size);

  const persons = new Map(rowsOf(execution, "Attributes").map((row) => [row.respondent_uuid, row]));
  expect(persons.size).toBe(PEOPLE);
  const merged = items.flatMap((item) => {
    const person = persons.get(item.respondent_uuid);
    return person ? [{ ...item, ...person }] : [];
  });
  expect(sorted(rowsOf(execution, "Merge"))).toEqual(sorted(merged));
});
