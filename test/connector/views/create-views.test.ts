import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createViews, TABLES_OF_VIEWS } from "../../../connector/views/create-views.ts";
import { VIEWS } from "../../../connector/views/texts.ts";
import { testFolder } from "../../support/folder.ts";
import { type Tables, writeTables } from "../../support/tables.ts";

const folder = testFolder();
const COLLECTED = { collected_at: "2026-09-07T10:00:00.000000Z" };
const TABLES = {
  surveys: [{ ...COLLECTED, id: "s1", name: "Survey", responses: 1 }],
  survey_questions: [{ ...COLLECTED, survey_id: "s1", id: 1, position: 1, question: "Why?" }],
  survey_responses: [{ ...COLLECTED, uuid: "a", survey_id: "s1" }],
  survey_answers: [
    {
      ...COLLECTED,
      response_uuid: "a",
      survey_id: "s1",
      question_id: 1,
      position: 1,
      answer_type: "text",
      value_text: "So.",
    },
  ],
} satisfies Tables;

function made(name: string, tables: Tables = TABLES): DatabaseSync {
  writeTables(folder.path(name), tables, []);
  return new DatabaseSync(folder.path(name));
}
const sqlOf = (database: DatabaseSync) =>
  new Map(
    database
      .prepare("select name, sql from sqlite_schema where type = 'view'")
      .all()
      .map(({ name, sql }) => [String(name), String(sql)]),
  );

describe("the views of a database", () => {
  test("are made once, and answer", () => {
    using database = made("all");
    createViews(database);
    const before = database.prepare("pragma schema_version").get();
    createViews(database);
    expect(database.prepare("pragma schema_version").get()).toEqual(before);
    expect([...sqlOf(database).keys()].toSorted()).toEqual(Object.keys(VIEWS).toSorted());
    for (const name of Object.keys(VIEWS)) database.prepare(`select * from ${name}`).all();
    expect(database.prepare("select question, answer from answers_with_questions").all()).toEqual([
      { question: "Why?", answer: "So." },
    ]);
  });

  test("of an earlier version are made anew", () => {
    using database = made("earlier");
    createViews(database);
    const [name = "", sql = ""] = [...sqlOf(database)][0] ?? [];
    database.exec(`drop view ${name}; ${sql} limit 0`);
    createViews(database);
    expect(sqlOf(database).get(name)).toBe(sql);
  });

  test("leave a view or a table of somebody else alone", () => {
    using database = made("theirs");
    database.exec("create view texts as select 1 as mine; create table nps_by_month (mine)");
    createViews(database);
    expect(sqlOf(database).get("texts")).toContain("as mine");
    expect(sqlOf(database).has("nps_by_month")).toBe(false);
    expect(sqlOf(database).has("csat_by_month")).toBe(true);
  });

  test.each(TABLES_OF_VIEWS)("are not there without the table %s: they would fail", (missing) => {
    const { [missing]: _, ...others } = TABLES;
    using database = made(`without ${missing}`, others);
    createViews(database);
    expect(sqlOf(database).size).toBe(0);
    using dropped = made(`dropped ${missing}`);
    createViews(dropped);
    dropped.exec(`create view mine as select 1; drop table ${missing}`);
    createViews(dropped);
    expect([...sqlOf(dropped).keys()]).toEqual(["mine"]);
  });
});
