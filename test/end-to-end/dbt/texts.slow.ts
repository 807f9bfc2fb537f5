import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { testFolder } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { projectsOn } from "./support/dbt-runner.ts";
import { HOSTILE_TEXT, LISTINGS, LISTINGS_TABLES, TEXTS_TABLES, WORDED } from "./support/texts-tables.ts";

/** The texts of surveys, questions and choices in the models: from the streams, from the seeds, from both, from neither. */
vi.setConfig({ testTimeout: 600_000 });

const QUESTION_LABELS = `
survey_id,question_id,label,column_name
s1,17,Short,
s1,29,Not answered yet,
s1,14,=Of a formula,
s1,15,'Quoted',
s1,27,''-5,
s1,12,,ease
s1,43,,order_32
s3,311,Of a seed alone,
`;
const ANSWER_LABELS = `
survey_id,question_id,answer_id,label
s1,17,1,Agreed
`;
const VARIABLES = {
  survey_export_schema: ["texts", "texts_two"],
  survey_export_using_respondent_attributes: false,
  survey_export_attributes: [],
  survey_export_answer_labels: "survey_analysis.answer_labels",
  survey_export_wide_surveys: "s1",
};

const postgres = await testPostgres();
const projects = projectsOn(testFolder().path(), postgres.port, QUESTION_LABELS, ANSWER_LABELS);
type Project = (typeof projects)[number];

function build({ run }: Project, variables: object): void {
  const said = run({ ...VARIABLES, ...variables }, "build");
  expect(said).toMatch(/Done\. PASS=\d+ WARN=[01] ERROR=0 SKIP=0/);
}

describe.each(projects)("on $target", (project) => {
  const { read, rows, change, run } = project;
  beforeAll(() => {
    run({}, "deps");
    change(TEXTS_TABLES, LISTINGS_TABLES);
    build(project, {});
  });

  test("a question has the seed's label, or else its latest text, or else none", () => {
    const found = rows(
      "select question_id, label, question, introduction from analytics.survey_export__questions where source_relation = 'texts' and question_id > 0 and question_id not between 18 and 25 order by question_id",
    );
    expect(found).toEqual([
      [11, "Would you recommend us?", "Would you recommend us?", "Beside 11"],
      [12, "Is it easy?", "Is it easy?", "Beside 12"],
      [13, "A question that was removed?", "A question that was removed?", "Beside 13"],
      [14, "=Of a formula", null, null],
      [15, "'Quoted'", "\u200b", "Beside 15"],
      [17, "Short", "A long text for which the seed has a short one", "Beside 17"],
      [26, "Grade each part", "Grade each part", "Beside 26"],
      [27, "'-5", "Value number", "Beside 27"],
      [28, "Is deleted?", "Is deleted?", "Beside 28"],
      [211, "Would you recommend us?", "Would you recommend us?", "Beside 211"],
      [212, "Not asked for as columns", "Not asked for as columns", "Beside 212"],
      [311, "Of a seed alone", null, null],
    ]);
  });

  test("a connection that does not sync the streams has the seeds alone", () => {
    const found = rows(
      "select question_id, label from analytics.survey_export__questions where source_relation = 'texts_two' and label is not null union all select answer_id, answer_label from analytics.survey_export__answers where source_relation = 'texts_two' and answer_label is not null order by 1",
    );
    expect(found).toEqual([
      [1, "Agreed"],
      [14, "=Of a formula"],
      [15, "'Quoted'"],
      [17, "Short"],
      [27, "'-5"],
      [311, "Of a seed alone"],
    ]);
  });

  test("a choice has the seed's label, or else its latest text in the survey's own language", () => {
    const found = rows(
      "select question_id, response_uuid, answer_id, answer_label from analytics.survey_export__answers where source_relation = 'texts' and answer_id is not null order by 1, 2, 3",
    );
    expect(found).toEqual([
      [12, "r1", 1, "Yes, it is"],
      [12, "r2", 1, "Yes, it is"],
      [12, "r3", 2, "No"],
      [12, "r4", 3, null],
      [17, "r1", 1, "Agreed"],
      [18, "r2", 1, HOSTILE_TEXT],
      [26, "r1", 5, "Price"],
      [26, "r1", 6, null],
    ]);
  });

  test("a survey is as the latest reading of its list has it, and deleted if that no longer has it", () => {
    const found = rows(
      "select source_relation, survey_id, survey_name, survey_type, created_at, enabled, number_of_responses, is_deleted, deleted_seen_at from analytics.survey_export__surveys order by 1, 2",
    );
    const [created, seen] = [/^2026-01-01T12:00/, /^2026-05-02T12:00/].map((time) =>
      expect.stringMatching(time),
    );
    const listed = (id: string, name: string, enabled: boolean, ...rest: readonly unknown[]) =>
      ["texts", id, name, "PageSurvey", created, enabled, ...rest] as const;
    const unlisted = (id: string, responses: number, name = "Of the response") =>
      ["texts_two", id, name, "Old", null, null, responses, false, null] as const;
    expect(found).toEqual([
      listed("s1", "New name", false, 4, false, null),
      listed("s2", "Second", true, 1, false, null),
      listed("s3", "Gone", true, 1, true, seen),
      ...[unlisted("s1", 4, "Renamed"), unlisted("s2", 1), unlisted("s3", 1)],
    ]);
  });

  test("a renamed survey has one name in all tables: as it is listed, or else as the latest reading has it", () => {
    const models = ["answers", "nps_daily", "questions", "responses", "responses_wide", "texts"];
    const names = models.map(
      (model) =>
        `select distinct '${model}' as model, source_relation, survey_name from analytics.survey_export__${model} where survey_id = 's1'`,
    );
    expect(rows(`${names.join(" union all ")} order by 1, 2`)).toEqual(
      models.flatMap((model) => [
        [model, "texts", "New name"],
        [model, "texts_two", "Renamed"],
      ]),
    );
  });

  test("a survey looks deleted if a reading of its connection lacks it, for two days at least", () => {
    const variables = { ...VARIABLES, survey_export_schema: Object.keys(LISTINGS) };
    const built = [
      "survey_export__responses",
      "survey_export__surveys",
      "survey_export_surveys_deleted_in_error",
    ];
    const words = ["build", "--indirect-selection", "empty", "--select", ...built];
    const said = run(variables, ...words);
    const found = rows(
      "select source_relation, survey_id, deleted_seen_at from analytics.survey_export__surveys where is_deleted order by 1, 2",
    );
    const expected = Object.entries(LISTINGS).flatMap(([schema, { deleted = {} }]) =>
      Object.entries(deleted).map(([id, time]) => [schema, id, expect.stringContaining(`2026-06-${time}`)]),
    );
    expect(found).toEqual(expected.toSorted());
    const warned = said.match(/Surveys may look deleted in error: \d+ of \w+/g)!;
    const warnings = Object.entries(LISTINGS).flatMap(([schema, { warnsOf }]) =>
      warnsOf === undefined ? [] : [`Surveys may look deleted in error: ${warnsOf} of ${schema}`],
    );
    expect(warned.toSorted()).toEqual(warnings.toSorted());
  });

  test("a question of a chosen survey has a column by its text, with its id if another name is like it", () => {
    const [row] = read(
      "select * from analytics.survey_export__responses_wide where source_relation = 'texts' and response_uuid = 'r1'",
    );
    const own = Object.entries(row!).slice(13);
    expect(Object.fromEntries(own)).toEqual({
      would_you_recommend_us: 9,
      ease: "Yes, it is",
      a_question_that_was_removed: "To 13",
      of_a_formula: "To 14",
      quoted_15: "To 15",
      nobody_answered_this: null,
      short_17: "Agreed",
      drop_table_this_really_yes: "To 18",
      order_19: "To 19",
      current_date_20: "To 20",
      question_5_stars_21: "To 21",
      survey_id_22: "To 22",
      question_id: "To 23",
      question_24: "To 24",
      ["how_well_".repeat(20).slice(0, 55)]: "To 25",
      grade_each_part: "Price: Good; Vide: Bad",
      question_5_27: "To 27",
      is_deleted_28: "To 28",
      not_answered_yet: null,
      of_a_negative_id: "To -11",
      of_a_negative_id_n10: null,
      grade_each_part_30: null,
      grade_each_part_31: null,
      order_32: null,
      order_32_32: null,
      ...Object.fromEntries(WORDED.filter((_, number) => number !== 3).map(([, name]) => [name, null])),
    });
  });
});

describe.each(projects)("on $target, built again", (project) => {
  const { read, rows, change, run } = project;
  let seed: string;
  let before: readonly unknown[];
  const deleted = () =>
    rows(
      "select response_uuid, deleted_seen_at from analytics.survey_export__responses where is_deleted union all select response_uuid, deleted_seen_at from analytics.survey_export__answers where is_deleted",
    );
  // The answers of s3 do not count any more.
  const labels = () =>
    rows(
      "select question_id, label from analytics.survey_export__questions where survey_id <> 's3' order by source_relation, 1",
    );

  beforeAll(() => {
    const words = ["--quiet", "run-operation", "survey_export_label_seed"];
    seed = run(VARIABLES, ...words);
    before = [deleted(), labels()];
    writeFileSync(join(project.project, "seeds/question_labels.csv"), seed);
    // The rows of a reading are stamped seconds apart.
    change("update texts.surveys set collected_at = collected_at + length(name) * interval '1 second';");
    build(project, {
      survey_export_wide_surveys: ["s1", "s2"],
      survey_export_survey_deletes_responses: true,
      survey_export_loaded_at_is_shared: false,
    });
  });

  test("the seed has the text next to the label, which stays the user's", () => {
    expect(seed).toMatch(/^s1,11,,,Would you recommend us\?,New name,/m);
    expect(seed).toMatch(/^s1,17,Short,,A long text for which the seed has a short one,New name,/m);
    expect(seed).toMatch(/^s1,14,'=Of a formula,,/m);
    expect(seed).not.toMatch(/[,"][=+@-][^0-9]/m);
    expect(before[1]).toEqual(labels());
  });

  test("a text that another question has gets its id, also in another survey", () => {
    const wide = read(
      "select * from analytics.survey_export__responses_wide where source_relation = 'texts'",
    );
    const scores = wide.map((row) => String([row.would_you_recommend_us, row.would_you_recommend_us_211]));
    expect(scores.filter((pair) => pair !== ",").toSorted()).toEqual([",3", "9,"]);
  });

  test("without one time for each reading, a survey is deleted if a reading an hour later lacks it", () => {
    const found = rows(
      "select source_relation, survey_id, number_of_responses from analytics.survey_export__surveys where is_deleted",
    );
    expect(found).toEqual([["texts", "s3", 0]]);
  });

  test("the responses of a deleted survey count, and do not count if the variable says so", () => {
    const seen = expect.stringMatching(/^2026-05-02T12:00/);
    expect([before[0], deleted()]).toEqual([
      [],
      [
        ["r6", seen],
        ["r6", seen],
      ],
    ]);
  });
});
