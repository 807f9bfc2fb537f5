import { expect, test } from "vitest";
import { ATTRIBUTE_COLUMNS, tableOf } from "../../../../../n8n-node/nodes/SurveyExport/output/flat-item.ts";

const itemOf = (attributes: Readonly<Record<string, string>>, answers = {}) => ({
  fixed: { response_uuid: "r" },
  answers,
  attributes: new Map(Object.entries(attributes)),
});

test("each attribute has a column that a database takes, and one of its own", () => {
  const long = "x".repeat(50);
  const alike = ["first name", "first_name", "Plan", "plan", "SIZE", "Size"];
  const names = [...alike, long, "部署", "company size", "__proto__"];
  const rows = tableOf([itemOf(Object.fromEntries(names.map((name) => [name, name])))], [ATTRIBUTE_COLUMNS]);
  const columns = Object.keys(rows[0]!);
  expect(columns.filter((column) => !/^attribute_[A-Za-z0-9_]{1,50}$/.test(column))).toEqual([]);
  expect(new Set(columns.map((column) => column.toLowerCase())).size).toBe(names.length);
  expect(rows[0]).toMatchObject({
    attribute_company_size: "company size",
    attribute_first_name: "first_name",
    attribute_Plan: "Plan",
    [`attribute_${long}`]: long,
  });
  expect(Object.values(rows[0]!).sort()).toEqual(names.sort());
});

test("items have the same columns; a missing number is undefined, a missing text null", () => {
  const columns = ["answer_1", "answer_1_score", "attribute_plan", "attribute_size", "response_uuid"];
  const rows = tableOf([itemOf({}), itemOf({ plan: "pro" }, { answer_1: "Great" })], columns);
  expect(rows).toStrictEqual([
    {
      answer_1: null,
      answer_1_score: undefined,
      attribute_plan: undefined,
      attribute_size: undefined,
      response_uuid: "r",
    },
    {
      answer_1: "Great",
      answer_1_score: undefined,
      attribute_plan: "pro",
      attribute_size: undefined,
      response_uuid: "r",
    },
  ]);
  expect(rows.map((row) => Object.keys(row))).toEqual([columns, columns]);
  const without = tableOf([itemOf({}, { answer_1_score: null })], columns);
  expect(without[0]).toMatchObject({ answer_1: null, answer_1_score: undefined });
});

test("an attribute that was asked for has its column in every run, and the same one whoever has answered", () => {
  const attributeNames = ["first_name", "first name"];
  const columnsOf = (...names: readonly string[]) => {
    const item = itemOf(Object.fromEntries(names.map((name) => [name, "x"])));
    return Object.keys(tableOf([item], [ATTRIBUTE_COLUMNS], { attributeNames })[0]!);
  };
  const both = columnsOf("first_name", "first name");
  expect(both).toEqual([expect.stringMatching(/^attribute_first_name_[0-9a-f]{8}$/), "attribute_first_name"]);
  for (const names of [[], ["first name"], ["first_name"]]) expect(columnsOf(...names)).toEqual(both);
});
