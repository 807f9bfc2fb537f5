import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { createProject, databases, dbt, path, query } from "./support/dbt-runner.ts";
import {
  ANSWERS,
  ATTRIBUTES,
  CHANGED_BY_THE_LOADER,
  DELETION_CASES,
  DELETIONS,
  EMPTY_TABLES,
  HOSTILE_NAMES,
  HOSTILE_SURVEY,
  KEPT_IS_READ_AGAIN,
  OVERWRITTEN,
} from "./support/made-tables.ts";

vi.setConfig({ testTimeout: 600_000 });

const QUESTION_LABELS = [
  "survey_id,question_id,label,column_name",
  ...["1", "2", "3"].flatMap((survey) => [
    `${survey},11,Would you recommend us?,nps`,
    `${survey},12,What else?,more`,
    `${survey},13,How was it?,rating`,
  ]),
  "9,21,A score,",
  "9,22,A number,",
  "9,23,Do you agree?,agrees",
  "9,24,Grade each part,grades",
  "9,25,A rating,",
  `"${HOSTILE_SURVEY}",25,A rating,hostile`,
  "",
];
const ANSWER_LABELS = [
  "survey_id,question_id,answer_id,label",
  "9,23,5,Yes",
  "9,23,6,Yes",
  "9,24,8,Price",
  "",
];
const DELETED = DELETION_CASES.filter(({ deletedSeen }) => deletedSeen !== null).map(({ uuid }) => uuid);
const ALL = DELETION_CASES.map(({ uuid }) => uuid);
const WITHOUT_DELETED = ALL.filter((uuid) => !DELETED.includes(uuid));

/** What each model that counts responses counts of survey 1; of people, those of all surveys. */
const COUNTS = {
  surveys: "select number_of_responses from analytics.survey_export__surveys where survey_id = '1'",
  nps: "select sum(promoters) from analytics.survey_export__nps_daily where survey_id = '1'",
  csat: "select sum(satisfied) from analytics.survey_export__csat_daily where survey_id = '1'",
  questions: "select min(number_of_answers) from analytics.survey_export__questions where survey_id = '1'",
  people: "select count(*) from analytics.survey_export__respondents where number_of_responses = 1",
  wide: "select count(*) from analytics.survey_export__responses_wide where survey_id = '1' and nps = 9",
  parameters: "select count(*) from analytics.survey_export__url_parameters where survey_id = '1'",
  attributes:
    "select count(*) from analytics.survey_export__response_attributes where survey_id = '1' and name = 'order_id'",
};
const figures = (responses: number, people: number) => ({
  ...Object.fromEntries(Object.keys(COUNTS).map((model) => [model, responses])),
  people,
});

const checksum = (text: string) => createHash("md5").update(text).digest("hex").slice(0, 8);
/** A list in one order, whatever the order of a database's letters is. */
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.join(" ")).toSorted();

let folder: string;
let postgres: Postgres;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "made-"));
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(["duckdb", "postgres"] as const)("on %s", (target) => {
  let project: string;
  const output = () => databases(folder, postgres.port)[target];
  const read = (sql: string) => query(folder, output(), sql);
  const change = (sql: string) => read(`${sql}\nselect 1;`);
  const column = (sql: string) => read(sql).map((row) => Object.values(row)[0]);
  /** Builds, and gives the output if it is as quiet as a normal run. */
  function build(variables: object): string {
    const given = JSON.stringify({
      survey_export_schema: "made",
      survey_export_attributes: [],
      ...variables,
    });
    const said = dbt(project, output(), "build", "--show-all-deprecations", "--vars", given);
    expect(said).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
    expect(said).not.toMatch(/warn(ing)?\b(?!=0)|deprecat/i);
    return said;
  }
  const counted = () =>
    Object.fromEntries(Object.entries(COUNTS).map(([model, sql]) => [model, Number(column(sql)[0])]));
  /** Each literal of the model's statement is a checksum, so no database can take a name for SQL. */
  function expectHostileNamesAsColumns() {
    const [person] = read(
      "select * from analytics.survey_export__respondents where respondent_uuid = 'hostile'",
    );
    const attributes = Object.entries(person!).filter(
      ([name, value]) => name.startsWith("attribute_") && value !== null,
    );
    expect(sorted(attributes.map(([name, value]) => [name.slice(-8), value]))).toEqual(
      sorted(HOSTILE_NAMES.map((name, number) => [checksum(name), `Value ${number}`])),
    );
    const place = "target/compiled/dbt_survey_export/models/survey_export__respondents.sql";
    const literals = readFileSync(join(project, place), "utf8").match(/'[^']*'/g)!;
    expect(literals.filter((literal) => !/^'[0-9a-f]{32}'$/.test(literal))).toEqual([]);
  }
  const texts = () =>
    column(
      "select response_uuid from analytics.survey_export__texts where survey_id = '1' and kind = 'comment'",
    );
  const surveys = () => column("select survey_id from analytics.survey_export__surveys order by 1");
  const flagged = () =>
    read(
      "select response_uuid, deleted_seen_at from analytics.survey_export__responses where is_deleted and survey_id = '1'",
    ).map((row) => [row.response_uuid, String(row.deleted_seen_at).slice(5, 16)]);

  beforeAll(() => {
    ({ project } = createProject(folder, target));
    writeFileSync(join(project, "seeds/question_labels.csv"), QUESTION_LABELS.join("\n"));
    writeFileSync(join(project, "seeds/answer_labels.csv"), ANSWER_LABELS.join("\n"));
    const readme = readFileSync(path("../../../../dbt/README.md"), "utf8");
    const block = (start: string) => readme.split("```").find((text) => text.startsWith(start))!;
    mkdirSync(join(project, "snapshots"));
    writeFileSync(join(project, "snapshots/attributes.yml"), block("yaml\nsnapshots:").slice(4));
    mkdirSync(join(project, "models"));
    const tagged = block("sql\nselect texts.text_key").slice(3);
    writeFileSync(join(project, "models/tagged.sql"), `{{ config(materialized="incremental") }}${tagged}`);
    dbt(project, output(), "deps");
    change([EMPTY_TABLES, DELETIONS, ATTRIBUTES, ANSWERS].join("\n"));
  });

  describe("without the streams of keys", () => {
    beforeAll(() => void build({}));

    test("nothing is deleted, and every model counts every response", () => {
      expect(flagged()).toEqual([]);
      expect(counted()).toEqual(figures(ALL.length, ALL.length + 2));
      expect(texts().toSorted()).toEqual(ALL.toSorted());
    });

    test("an attribute is as the latest reading found it, by its time and not by its id", () => {
      const found = read(
        "select respondent_uuid, attribute_id, value from analytics.survey_export__respondent_attributes where name <> 'Plan' and respondent_uuid <> 'hostile' order by 1, 2",
      );
      expect(found.map((row) => [row.respondent_uuid, Number(row.attribute_id), row.value])).toEqual([
        ["changed", 1, "Team"],
        ["changed", 2, "ACME"],
        ["changed", 3, "5"],
        ["made anew", 10, "New"],
        ["one", 7, "Small"],
        ["one", 8, "Ada"],
        ["removed", 4, "Free"],
      ]);
    });

    test("the history has a row for each value, from the reading that found it to the one that did not", () => {
      const found = read(
        "select respondent_uuid, name, value, valid_from, valid_to from analytics.survey_export__respondent_attribute_history where respondent_uuid in ('changed', 'removed', 'made anew') order by 1, 2, valid_from",
      );
      const date = (time: unknown) => (time === null ? null : String(time).slice(5, 10));
      expect(
        found.map((row) => [
          row.respondent_uuid,
          row.name,
          row.value,
          date(row.valid_from),
          date(row.valid_to),
        ]),
      ).toEqual([
        ["changed", "company", "ACME", "05-01", "05-02"],
        ["changed", "company", "ACME", "05-03", null],
        ["changed", "plan", "Free", "05-01", "05-02"],
        ["changed", "plan", "Team", "05-02", null],
        ["changed", "seats", "5", "05-02", null],
        ["made anew", "plan", "Old", "05-01", "05-02"],
        ["made anew", "plan", "New", "05-02", null],
        ["removed", "company", "ACME", "05-01", "05-02"],
        ["removed", "plan", "Free", "05-01", null],
      ]);
    });

    test("a column is named by the attribute, however many people have another one in other letters", () => {
      const [one] = read("select * from analytics.survey_export__respondents where respondent_uuid = 'one'");
      const attributes = Object.entries(one!).filter(
        ([name, value]) => name.startsWith("attribute_") && value,
      );
      expect(Object.fromEntries(attributes)).toEqual({
        attribute_plan: "Small",
        [`attribute_plan_${checksum("Plan")}`]: "Capital one",
        [`attribute_first_name_${checksum("first name")}`]: "Ada",
      });
    });

    test("a name that was found in the data is never SQL", () => expectHostileNamesAsColumns());

    test("an identifier of a seed is never SQL", () => {
      const ratings = column("select distinct hostile from analytics.survey_export__responses_wide");
      expect(sorted(ratings.map((rating) => [rating]))).toEqual(["", "1"]);
    });

    test("an answer without a tag counts by its score, and a tag in other letters counts", () => {
      const days = read(
        "select question_id, number_of_answers, promoters, passives, detractors from analytics.survey_export__nps_daily where survey_id = '9'",
      );
      expect(days.map((row) => Object.values(row).map(Number))).toEqual([[21, 6, 2, 2, 2]]);
    });

    test("each attribute of a response is a row", () => {
      const rows = read(
        "select attribute_of, position, name, value from analytics.survey_export__response_attributes where response_uuid = 'kept' order by 1, 2",
      );
      expect(rows.map((row) => ({ ...row, position: Number(row.position) }))).toEqual([
        { attribute_of: "respondent", position: 1, name: "plan", value: null },
        { attribute_of: "respondent", position: 2, name: "seats", value: "3" },
        { attribute_of: "response", position: 1, name: "order_id", value: "7" },
      ]);
      const [more] = read(
        "select additional_fields from analytics.survey_export__responses where response_uuid = 'kept'",
      );
      expect(JSON.stringify(more)).toContain("Watch");
    });

    test("translations of one answer have one label, also in the columns of responses", () => {
      const found = read(
        "select answer_label, count(*) as answers from analytics.survey_export__answers where question_id = 23 group by 1",
      );
      expect(sorted(found.map(({ answer_label, answers }) => [answer_label, answers]))).toEqual([
        " 1",
        "Yes 2",
      ]);
      const wide = read(
        "select agrees, grades from analytics.survey_export__responses_wide where survey_id = '9' and agrees is not null",
      );
      expect(sorted(wide.map(({ agrees, grades }) => [agrees, grades]))).toEqual([
        "Non ",
        "Yes ",
        "Yes Price: Good",
      ]);
    });
  });

  describe("with all snapshots", () => {
    beforeAll(() => {
      build({
        survey_export_using_response_keys: true,
        survey_export_attributes: HOSTILE_NAMES,
        survey_export_csat_question_types: ["csat", ...HOSTILE_NAMES],
      });
    });

    test("a name of a variable is never SQL", () => expectHostileNamesAsColumns());

    test("a response is deleted if a complete snapshot covers it and lacks it, since the first that does", () => {
      const expected = DELETION_CASES.filter(({ deletedSeen }) => deletedSeen !== null).map(
        ({ uuid, deletedSeen }) => [uuid, `${deletedSeen}T11:00`],
      );
      expect(sorted(flagged())).toEqual(sorted(expected));
    });

    test("so are its answers, which stay", () => {
      const answers = column(
        "select response_uuid from analytics.survey_export__answers where is_deleted and survey_id = '1' and deleted_seen_at is not null group by 1 having count(*) = 3",
      );
      expect(answers.toSorted()).toEqual(DELETED.toSorted());
    });

    test("a survey that was emptied has no responses left, and one without a snapshot has all", () => {
      expect(surveys()).toEqual(["1", "2", "9"]);
    });

    test("the other models leave deleted responses out", () => {
      expect(counted()).toEqual(figures(WITHOUT_DELETED.length, WITHOUT_DELETED.length + 1));
      expect(texts().toSorted()).toEqual(WITHOUT_DELETED.toSorted());
    });
  });

  test("a loader that overwrites keeps the flags of the surveys in its one snapshot, and no others", () => {
    change(OVERWRITTEN + KEPT_IS_READ_AGAIN);
    build({ survey_export_using_response_keys: true });
    expect(sorted(flagged())).toEqual(sorted(DELETED.map((uuid) => [uuid, "06-15T11:00"])));
    expect(surveys()).toEqual(["1", "2", "3", "9"]);
  });

  test("a text keeps its key when it changes", () => {
    const found = read(
      "select text_key, kind, value_text, language, question_label, loaded_at from analytics.survey_export__texts where response_uuid = 'kept'",
    );
    const key = (question: number, kind: string) =>
      createHash("md5").update(`kept ${question} 1 ${kind}`).digest("hex");
    const [answer, comment] = found.toSorted((one, other) =>
      String(one.kind) < String(other.kind) ? -1 : 1,
    );
    expect(answer).toMatchObject({
      ...{
        text_key: key(12, "answer"),
        value_text: "Another text",
        question_label: "What else?",
        language: "en",
      },
      loaded_at: expect.stringMatching(/^2026-07-01T12:00/),
    });
    expect(comment).toMatchObject({
      ...{ text_key: key(11, "comment"), value_text: "Comment of kept" },
      loaded_at: expect.stringMatching(/^2026-07-01T12:00/),
    });
  });

  test("the README's model tags what is new or changed, and its snapshot holds the attributes", () => {
    const tagged = column(
      "select value_text from analytics.tagged where value_text like 'Text of kept' or value_text like 'Another text'",
    );
    expect(tagged.toSorted()).toEqual(["Another text", "Text of kept"]);
    const all = column("select count(*) from analytics.tagged");
    const known = column("select count(distinct text_hash) from analytics.tagged");
    expect(all).toEqual(known);
    const snapshot = "select respondent_uuid, name, value from analytics.attributes_over_time order by 1, 2";
    expect(read(snapshot)).toEqual(
      read(snapshot.replace("attributes_over_time", "survey_export__respondent_attributes")),
    );
  });

  test.runIf(target === "duckdb")("survey_export_keep_deleted keeps deleted responses in all models", () => {
    build({ survey_export_using_response_keys: true, survey_export_keep_deleted: true });
    expect(flagged().length).toBe(DELETED.length);
    expect(counted()).toEqual(figures(ALL.length, ALL.length + 2));
    expect(texts().toSorted()).toEqual(ALL.toSorted());
  });

  test.runIf(target === "duckdb")("without a time of loading nothing is deleted", () => {
    build({ survey_export_using_response_keys: true, survey_export_loaded_at: "" });
    expect(flagged()).toEqual([]);
  });

  test("the loader's changes are counted, and dbt warns of them", () => {
    change(CHANGED_BY_THE_LOADER);
    const variables = JSON.stringify({ survey_export_schema: "made" });
    const said = dbt(project, output(), "build", "--vars", variables, "--select", "survey_export__responses");
    expect(said).toMatch(/WARN 1 accepted_values_survey_export__responses_load_changes/);
    expect(
      read(
        "select response_uuid, load_changes from analytics.survey_export__responses where load_changes > 0",
      ),
    ).toEqual([{ response_uuid: "changed by the loader", load_changes: 2 }]);
  });

  test("dbt warns if there are responses and no answers, and says what to do", () => {
    change("create table made.no_answers as select * from made.survey_answers where question_id is null;");
    const variables = { survey_export_schema: "made", survey_export_survey_answers_table: "no_answers" };
    const models = ["survey_export__responses", "survey_export__answers"];
    const said = dbt(project, output(), "build", "--vars", JSON.stringify(variables), "--select", ...models);
    expect(said).toMatch(
      /No answers: there are [1-9]\d* responses, but survey_answers is empty\. Select the stream survey_answers, sync, and run dbt again\./,
    );
    expect(said).toMatch(/WARN 1 survey_export_responses_without_answers/);
  });

  test.runIf(target === "duckdb")("freshness is checked by the column of loading, if that is a time", () => {
    const freshness = (variables: object) => {
      const given = JSON.stringify({ survey_export_schema: "made", ...variables });
      return dbt(project, output(), "source", "freshness", "--vars", given);
    };
    expect(freshness({}).match(/WARN freshness of survey_export\.\w+/g)?.length).toBe(3);
    expect(freshness({ survey_export_warn_after_hours: 1_000_000 })).not.toContain("WARN");
    expect(freshness({ survey_export_loaded_at: "" })).not.toMatch(/WARN|ERROR/);
    expect(freshness({ survey_export_loaded_at: "language" })).not.toMatch(/WARN|ERROR/);
  });
});
