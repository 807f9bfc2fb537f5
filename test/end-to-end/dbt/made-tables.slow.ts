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
  DELETION_CASES,
  DELETIONS,
  EMPTY_TABLES,
  HOSTILE_NAMES,
  HOSTILE_SURVEY,
  KEPT_IS_READ_AGAIN,
  OVERWRITTEN,
  SECOND_CONNECTION,
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
  "10,11,A score,",
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

  test("a text is as the latest reading gave it, with its question and its time of loading", () => {
    const found = read(
      "select kind, value_text, survey_name, question_label, loaded_at from analytics.survey_export__texts where response_uuid = 'kept' order by 1",
    );
    const loaded_at = expect.stringMatching(/^2026-07-01T12:00/);
    const of = { survey_name: "Made", loaded_at };
    expect(found).toEqual([
      { ...of, kind: "answer", value_text: "Another text", question_label: "What else?" },
      { ...of, kind: "comment", value_text: "Comment of kept", question_label: "Would you recommend us?" },
    ]);
  });

  test("the README's snapshot keeps the values that an attribute had", () => {
    const values = () =>
      column(
        "select value from analytics.attributes_over_time where respondent_uuid = 'removed' order by dbt_valid_from",
      );
    expect(values()).toEqual(["Free"]);
    change(
      `update made.respondent_attributes set value = 'Team' where respondent_uuid = 'removed' and id = 4;`,
    );
    build({ survey_export_using_response_keys: true });
    expect(values()).toEqual(["Free", "Team"]);
    change(`delete from made.respondent_attributes where respondent_uuid = 'removed';`);
    build({ survey_export_using_response_keys: true });
    const left =
      "select count(*) from analytics.attributes_over_time where respondent_uuid = 'removed' and dbt_valid_to is null";
    expect(Number(column(left)[0])).toBe(0);
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

  test("two connections in one project are distinguished by source_relation, and keep their own rows", () => {
    change(SECOND_CONNECTION);
    build({
      survey_export_schema: ["made", "made_two"],
      survey_export_using_response_keys: true,
      survey_export_time_zone: "America/New_York",
    });
    const bySource = (sql: string) => read(sql).map((row) => Object.values(row).map(String));
    expect(
      bySource(
        "select source_relation, response_uuid from analytics.survey_export__responses where is_deleted and survey_id = '1' order by 1, 2",
      ),
    ).toEqual(DELETED.toSorted().map((uuid) => ["made", uuid]));
    for (const model of ["answers", "responses_wide", "texts", "url_parameters"]) {
      const rows = bySource(
        `select source_relation, count(*) from analytics.survey_export__${model} where response_uuid = 'kept' group by 1 order by 1`,
      );
      expect(
        rows.map(([source]) => source),
        model,
      ).toEqual(["made", "made_two"]);
      expect(rows[0]![1], model).toBe(rows[1]![1]);
    }
    const of = (model: string, columns: string) =>
      bySource(
        `select source_relation, ${columns} from analytics.survey_export__${model} where survey_id = '1' order by 1`,
      );
    expect(of("surveys", "number_of_responses")).toEqual([
      ["made", String(WITHOUT_DELETED.length)],
      ["made_two", String(ALL.length)],
    ]);
    const people = bySource(
      "select source_relation, count(*) from analytics.survey_export__respondents where respondent_uuid = 'of kept' group by 1 order by 1",
    );
    expect(people).toEqual([
      ["made", "1"],
      ["made_two", "1"],
    ]);
    const scores = of("nps_daily", "date_day, number_of_answers").filter(([source]) => source === "made_two");
    expect(scores.map(([, date]) => String(date).slice(5, 10)).toSorted()).toEqual(
      DELETION_CASES.map(({ collected }) => collected).toSorted(),
    );
  });

  test("a day is one of the time zone, also when its clocks change", () => {
    const days = column(
      "select date_day from analytics.survey_export__nps_daily where survey_id = '10' order by 1",
    );
    expect(days.map((date) => String(date).slice(0, 10))).toEqual(["2026-03-07", "2026-03-08", "2026-11-01"]);
  });

  test("a time zone or a schema that would be SQL is refused", () => {
    const said = (variables: object) =>
      dbt(project, output(), "compile", "--vars", JSON.stringify(variables)).replace(/\s+/g, " ");
    expect(said({ survey_export_schema: "made", survey_export_time_zone: "UTC' or '" })).toContain(
      `The variable survey_export_time_zone has the value "UTC' or '".`,
    );
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
