import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { testFolder } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { path, projectsOn } from "./support/dbt-runner.ts";
import {
  ANSWERS,
  ATTRIBUTES,
  DELETION_CASES,
  DELETIONS,
  EMPTY_TABLES,
  ENDS_IN_CHECKSUM,
  HOSTILE_NAMES,
  HOSTILE_SURVEY,
  KEPT_IS_READ_AGAIN,
  OVERWRITTEN,
  OWN_TIMES,
  OWN_WORDS,
  SAMPLES,
  SECOND_CONNECTION,
} from "./support/made-tables.ts";

/** The models on tables made by hand, for what the sandbox cannot show. */
vi.setConfig({ testTimeout: 600_000 });

/** Zero width space, as a seed may have it in a cell that looks empty. */
const INVISIBLE = "\u200b";
const QUESTION_LABELS = `
survey_id,question_id,label,column_name
1,11,Would you recommend us?,nps
1,12,What else?,more
9,21,${INVISIBLE},${INVISIBLE}
9,29,Which ones?,choices
"${HOSTILE_SURVEY}",25,A rating,hostile
`;
const ALL = DELETION_CASES.map(({ uuid }) => uuid);
const DELETED = DELETION_CASES.filter(({ deletedSeen }) => deletedSeen !== null).map(({ uuid }) => uuid);
const LEFT = ALL.length - DELETED.length;

/** What each model that counts responses counts of survey 1. */
const COUNTS = {
  surveys: "sum(number_of_responses)",
  nps_daily: "sum(promoters)",
  csat_daily: "sum(satisfied)",
  questions: "min(number_of_answers)",
  responses_wide: "sum(case when nps = 9 then 1 else 0 end)",
  url_parameters: "count(*)",
  response_attributes: "sum(case when name = 'order_id' then 1 else 0 end)",
  texts: "sum(case when kind = 'comment' then 1 else 0 end)",
};

const checksum = (text: string) => createHash("md5").update(text).digest("hex").slice(0, 12);
/** A list in one order, whatever the order of a database's letters is. */
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.join(" ")).toSorted();

const postgres = await testPostgres();
const projects = projectsOn(testFolder().path(), postgres.port, QUESTION_LABELS).map(
  ({ run: runWith, rows, ...project }) => {
    const column = (sql: string) => rows(sql).map(([value]) => value);
    const given = { survey_export_schema: "made", survey_export_attributes: [] };
    const run = (variables: object, ...words: readonly string[]) =>
      runWith({ ...given, ...variables }, ...words);
    return {
      ...project,
      ...{ rows, column, run },
      /** Builds, and expects output as quiet as that of a normal run. */
      build(variables: object): void {
        const exclude = ["--exclude", "survey_export_questions_without_label"];
        const said = run(variables, "build", "--show-all-deprecations", ...exclude);
        expect(said).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
        expect(said).not.toMatch(/warn(ing)?\b(?!=0)|deprecat/i);
      },
      counts: () =>
        Object.fromEntries(
          rows(
            Object.entries(COUNTS)
              .map(
                ([model, count]) =>
                  `select '${model}' as model, ${count} as counted from analytics.survey_export__${model} where source_relation = 'made' and survey_id = '1'`,
              )
              .join(" union all "),
          ).map(([model, count]) => [model, Number(count)]),
        ),
      flagged: () =>
        rows(
          "select response_uuid, deleted_seen_at from analytics.survey_export__responses where is_deleted and survey_id = '1'",
        ).map(([uuid, seen]) => [uuid, String(seen).slice(5, 10)]),
      surveys: () =>
        column(
          "select survey_id from analytics.survey_export__surveys where source_relation = 'made' order by 1",
        ),
      attributesOf: (person: string) => {
        const [row] = project.read(
          `select * from analytics.survey_export__respondents where source_relation = 'made' and respondent_uuid = '${person}'`,
        );
        return Object.entries(row!).filter(
          ([name, value]) => name.startsWith("attribute_") && value !== null,
        );
      },
    };
  },
);
const countsOf = (responses: number) =>
  Object.fromEntries(Object.keys(COUNTS).map((model) => [model, responses]));

/** Each literal of the model's statement is a checksum, so no database can take a name for SQL. */
function expectHostileNamesAsColumns({ project, attributesOf }: (typeof projects)[number]) {
  expect(sorted(attributesOf("hostile").map(([name, value]) => [name.slice(-12), value]))).toEqual(
    sorted(HOSTILE_NAMES.map((name, number) => [checksum(name), `Value ${number}`])),
  );
  const place = "target/compiled/dbt_survey_export/models/survey_export__respondents.sql";
  const literals = readFileSync(join(project, place), "utf8").match(/'[^']*'/g)!;
  expect(literals.filter((literal) => !/^'[0-9a-f]{32}'$/.test(literal))).toEqual([]);
}

describe.each(projects)("on $target", (on) => {
  const { rows, flagged, attributesOf } = on;
  beforeAll(() => {
    const readme = readFileSync(path("../../../../dbt/README.md"), "utf8");
    const block = readme.split("```").find((text) => text.startsWith("yaml\nsnapshots:"))!;
    mkdirSync(join(on.project, "snapshots"));
    writeFileSync(join(on.project, "snapshots/attributes.yml"), block.slice("yaml\n".length));
    on.run({}, "deps");
    on.change(EMPTY_TABLES, DELETIONS, ATTRIBUTES, ANSWERS);
    on.build({});
  });

  test("nothing is deleted without the streams of keys", () => expect(flagged()).toEqual([]));

  test.each([
    [
      "an attribute is as the latest reading found it, by its time and not by its id, unless a reading has its name twice",
      "select respondent_uuid, attribute_id, value from analytics.survey_export__respondent_attributes where respondent_uuid not in ('hostile', 'one')",
      ["changed 1 Team", "changed 3 5", "made anew 10 New", "named alike 12 Second", "removed 4 Free"],
    ],
    [
      "an identifier of a seed is never SQL",
      "select distinct hostile from analytics.survey_export__responses_wide",
      ["", "1"],
    ],
    [
      "an answer without a tag counts by its score, and a tag in other letters counts",
      "select question_id, number_of_answers, promoters, passives, detractors from analytics.survey_export__nps_daily where question_id = 21",
      ["21 6 2 2 2"],
    ],
    [
      "bare numbers are scores of a question for a score, and ratings of one for a rating",
      "select number_of_answers, nps, 0 as mean from analytics.survey_export__nps_daily where question_id = 36 union all select number_of_answers, csat, average_rating from analytics.survey_export__csat_daily where question_id = 37",
      ["2 0 0", "2 100 6.5"],
    ],
    [
      "a day between two with answers has a row without a score, unless they are more than 4,096 days apart",
      "select count(*) as days, sum(number_of_answers), sum(promoters) as up, count(nps) as scores, count(loaded_at) from analytics.survey_export__nps_daily where question_id = 38",
      [`${5 + 4095 + 1} 5 5 5 5`],
    ],
    [
      "a response that lists a CSAT question twice counts once, with the first rating",
      "select number_of_answers, average_rating from analytics.survey_export__csat_daily where question_id = 27",
      ["1 5"],
    ],
    [
      "a choice that a response lists twice is in its column once",
      "select choices from analytics.survey_export__responses_wide where choices is not null",
      ["A; B"],
    ],
    [
      "a row is repeated if the response lists its question, its choice, its matrix row or its ranked item before",
      "select question_id, response_uuid, position from analytics.survey_export__answers where is_repeated and survey_id = '9'",
      [
        ...["26 scored 0 2", "26 scored 1 1", "26 scored 2 1", "26 scored 3 2", "27 scored 0 2"],
        ...["29 scored 0 2", "30 scored 0 2", "30 scored 0 4", "31 scored 0 3", "32 scored 0 3"],
      ],
    ],
    [
      "each text has a visible character",
      "select kind, value_text from analytics.survey_export__texts where question_id = 35",
      ["answer \u00a0Ja\u200b", "comment ."],
    ],
    [
      "a label without a visible character is missing",
      "select label from analytics.survey_export__questions where question_id = 21",
      [""],
    ],
    [
      "each attribute of a response is a row",
      "select attribute_of, position, name, value from analytics.survey_export__response_attributes where response_uuid = 'kept'",
      ["respondent 1 plan ", "respondent 2 seats 3", "response 1 order_id 7"],
    ],
  ])("%s", (_, sql, expected) => expect(sorted(rows(sql))).toEqual(expected));

  test("a column is named by the attribute, with a checksum if the name is no plain identifier", () => {
    expect(Object.fromEntries(attributesOf("one"))).toEqual({
      attribute_plan: "Small",
      [`attribute_plan_${checksum("Plan")}`]: "Capital",
      [`attribute_first_name_${checksum("first name")}`]: "Ada",
      ...Object.fromEntries(
        ENDS_IN_CHECKSUM.map(([name, word]) => [`attribute_${word}_${checksum(name)}`, `Of ${name}`]),
      ),
    });
  });

  test("a name that was found in the data is never SQL", () => expectHostileNamesAsColumns(on));
});

describe.each(projects)("on $target, two connections, of which one has snapshots,", (on) => {
  const { rows, column, counts, flagged, surveys } = on;
  beforeAll(() => {
    on.change(SECOND_CONNECTION);
    on.build({
      survey_export_schema: ["made", "made_two"],
      survey_export_using_response_keys: true,
      survey_export_attributes: HOSTILE_NAMES,
      survey_export_csat_question_types: ["csat", ...HOSTILE_NAMES],
      survey_export_time_zone: "America/New_York",
    });
  });

  test("a name of a variable is never SQL", () => expectHostileNamesAsColumns(on));

  test("a response is deleted if a complete snapshot covers it and lacks it, since the first that does", () => {
    const expected = DELETION_CASES.filter(({ deletedSeen }) => deletedSeen !== null);
    expect(sorted(flagged())).toEqual(sorted(expected.map(({ uuid, deletedSeen }) => [uuid, deletedSeen])));
  });

  test("so are its answers, which stay, and the other models leave it out", () => {
    const answers = rows(
      "select response_uuid from analytics.survey_export__answers where is_deleted and survey_id = '1' and deleted_seen_at is not null group by 1 having count(*) = 3",
    );
    expect(sorted(answers)).toEqual(DELETED.toSorted());
    expect(counts()).toEqual(countsOf(LEFT));
  });

  test("a survey that was emptied has no responses left, and one without a snapshot has all", () => {
    expect(surveys()).toEqual(["1", "2", "9"]);
  });

  test("the connections are told apart by source_relation, and keep their own rows", () => {
    const deleted = rows(
      "select distinct source_relation from analytics.survey_export__responses where is_deleted and survey_id = '1'",
    );
    expect(deleted).toEqual([["made"]]);
    const numbers = rows(
      "select source_relation, number_of_responses from analytics.survey_export__surveys where survey_id = '1'",
    );
    expect(sorted(numbers)).toEqual([`made ${LEFT}`, `made_two ${ALL.length}`]);
    const models = ["answers", "responses_wide", "texts", "url_parameters", "respondents"];
    const counts = models.map((model) => {
      const of = model === "respondents" ? "respondent_uuid = 'of kept'" : "response_uuid = 'kept'";
      const from = (relation: string) =>
        `(select count(*) from analytics.survey_export__${model} where ${of} and source_relation = '${relation}')`;
      return `select '${model}' as model, ${from("made")} as made, ${from("made_two")} as made_two`;
    });
    for (const [model, ofOne, ofTwo] of rows(counts.join(" union all "))) {
      expect(Number(ofOne), String(model)).toBeGreaterThan(0);
      expect(ofTwo, String(model)).toBe(ofOne);
    }
  });

  test("a day is one of the time zone, also when its clocks change", () => {
    const days = column(
      "select date_day from analytics.survey_export__nps_daily where survey_id = '10' and number_of_answers > 0 order by 1",
    );
    expect(days.map((date) => String(date).slice(0, 10))).toEqual(["2026-03-07", "2026-03-08", "2026-11-01"]);
  });

  test("dbt warns if each row has a time of loading of its own, and says what to do", () => {
    on.change(OWN_TIMES);
    const check = ["test", "--select", "survey_export_answers_with_own_times"];
    const said = on.run({ survey_export_schema: ["edited", "stamped", "stamped_text"] }, ...check);
    const [several] = column(
      "select count(*) from (select 1 from stamped.survey_answers group by response_uuid having count(distinct question_id) > 1) as several",
    );
    expect(said.match(/Answers are omitted: .*/g)).toEqual([
      `Answers are omitted: ${several} responses of stamped have answers with different times of loading, less than a minute apart. Set survey_export_loaded_at_is_shared: false, and run dbt again. Ignore this if two syncs were less than a minute apart.`,
    ]);
    expect(said).toMatch(/WARN 1 survey_export_answers_with_own_times/);
  });
});

describe("on DuckDB alone", () => {
  const { rows, change, run, build, counts, flagged, surveys } = projects[0]!;
  const valuesOverTime = () =>
    rows(
      "select value, dbt_valid_to is null from analytics.attributes_over_time where source_relation = 'made' and respondent_uuid = 'removed' order by dbt_valid_from",
    );

  describe("after a loader overwrote the keys, and read a response and an attribute again", () => {
    beforeAll(() => {
      expect(valuesOverTime()).toEqual([["Free", true]]);
      const attribute = "respondent_uuid = 'removed' and id = 4";
      change(
        ...[OVERWRITTEN, KEPT_IS_READ_AGAIN],
        `update made.respondent_attributes set value = 'Team' where ${attribute};`,
      );
      build({ survey_export_using_response_keys: true });
    });

    test("the flags of the surveys in the one snapshot stay, and no others", () => {
      expect(sorted(flagged())).toEqual(sorted(DELETED.map((uuid) => [uuid, "06-15"])));
      expect(surveys()).toEqual(["1", "2", "3", "9"]);
    });

    test("a text is as the latest reading gave it, with its question and its time of loading", () => {
      const found = rows(
        "select kind, value_text, survey_name, question_label, loaded_at from analytics.survey_export__texts where response_uuid = 'kept' order by 1",
      );
      const latest = expect.stringMatching(/^2026-07-01T12:00/);
      expect(found).toEqual([
        ["answer", "Another text", "Made", "What else?", latest],
        ["comment", "Comment of kept", "Made", "Would you recommend us?", latest],
      ]);
    });

    test("the README's snapshot keeps the value that the attribute had", () => {
      expect(valuesOverTime()).toEqual([
        ["Free", false],
        ["Team", true],
      ]);
    });
  });

  test("the seed has samples of each question, and none that a person wrote", () => {
    const seed = run({}, "--quiet", "run-operation", "survey_export_label_seed");
    expect(seed).not.toContain(OWN_WORDS);
    const samples = Object.keys(SAMPLES).map(
      (id) => new RegExp(`^9,${id},.*?([^,\n]*)$`, "m").exec(seed)?.[1],
    );
    expect(samples).toEqual(Object.values(SAMPLES).map(([, sample]) => sample));
  });

  test("survey_export_keep_deleted keeps deleted responses in all models, and the snapshot a deleted attribute", () => {
    change("delete from made.respondent_attributes where respondent_uuid = 'removed';");
    build({ survey_export_using_response_keys: true, survey_export_keep_deleted: true });
    expect(flagged().length).toBe(DELETED.length);
    expect(counts()).toEqual(countsOf(ALL.length));
    expect(valuesOverTime().map(([, isLatest]) => isLatest)).toEqual([false, false]);
  });

  test("without a time of loading nothing is deleted", () => {
    const variables = { survey_export_using_response_keys: true, survey_export_loaded_at: "" };
    expect(run(variables, "run", "--select", "survey_export__responses")).toContain("PASS=1 ");
    expect(flagged()).toEqual([]);
  });

  test("two attributes that would share a column are an error, which says what to do", () => {
    const attributes = ["plan", { name: "Tariff", column: "Attribute_Plan" }];
    const said = run({ survey_export_attributes: attributes }, "compile");
    expect(said.replace(/\s+/g, " ")).toContain(
      'The attributes "plan" and "Tariff" would share the column Attribute_Plan. Give each a column of its own in the variable survey_export_attributes: {name: ..., column: ...}.',
    );
  });

  test("a time zone that would be SQL is refused", () => {
    const said = run({ survey_export_time_zone: "UTC' or '" }, "compile");
    expect(said.replace(/\s+/g, " ")).toContain(
      `The variable survey_export_time_zone has the value "UTC' or '".`,
    );
  });

  test("dbt warns if there are responses and no answers, and says what to do", () => {
    change("create table made.no_answers as select * from made.survey_answers where question_id is null;");
    const models = ["survey_export__responses", "survey_export__answers"];
    const said = run({ survey_export_survey_answers_table: "no_answers" }, "build", "--select", ...models);
    expect(said).toMatch(
      /No answers: there are [1-9]\d* responses, but survey_answers is empty\. Select the stream survey_answers, sync, and run dbt again\./,
    );
    expect(said).toMatch(/WARN 1 survey_export_responses_without_answers/);
  });

  test("freshness is that of surveys, which each sync reads, or else of the latest response", () => {
    const freshness = (variables: object) =>
      run(variables, "source", "freshness").match(/(PASS|WARN|ERROR).* freshness of survey_export\.\w+/g);
    expect(freshness({})).toEqual(["WARN freshness of survey_export.surveys"]); // its table is missing
    change("create table made.surveys as select now() as _airbyte_extracted_at;");
    expect(freshness({})).toEqual(["PASS freshness of survey_export.surveys"]);
    change("update made.surveys set _airbyte_extracted_at = now() - interval '3 days';");
    expect(freshness({})).toEqual(["WARN freshness of survey_export.surveys"]);
    expect(freshness({ survey_export_loaded_at: "language" })).toBe(null);
    change("drop table made.surveys;");
  });
});
