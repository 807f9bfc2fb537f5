import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { DOCUMENTED_KINDS } from "../../../connector/core/answers/answer-kinds.ts";
import { testFolder } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { configOf, testSandbox } from "../../support/sandbox.ts";
import { load } from "../pyairbyte/support/pyairbyte.ts";
import {
  ANALYSES,
  compileAnalyses,
  createProject,
  databases,
  dbt,
  lint,
  path,
  query,
  type Row,
} from "./support/dbt-runner.ts";
import {
  everyDay,
  type TrueAnswers,
  trueAnswers,
  trueCounts,
  truePromoters,
  trueSatisfaction,
  trueWide,
} from "./support/truth.ts";

/** The models on tables that PyAirbyte loaded from the sandbox, against figures computed from what the sandbox holds. */
// dbt alone takes a minute on a machine that is busy.
vi.setConfig({ testTimeout: 1_800_000 });

const README = readFileSync(path("../../../../dbt/README.md"), "utf8");

/** URLs that are hard to take apart, with what their queries say. A value with an escape that is no UTF-8 stays as it is. */
const HARD_URLS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "https://shop.example/a?ticket_id=00042&who=Zo%C3%AB+%26+%F0%9F%91%8D&%e2%82%ac=it%27s+100%+%zz%2B&a=%FF&b=%ED%A0%80%41&c=%E2%82&d=%00#top?x=1",
    [
      ["ticket_id", "00042"],
      ["who", "Zoë & 👍"],
      ["€", "it's 100% %zz+"],
      ["a", "%FF"],
      ["b", "%ED%A0%80%41"],
      ["c", "%E2%82"],
      ["d", "%00"],
    ],
  ],
  [
    "https://shop.example/?empty=&flag&&equation=a=b&two%20words=a%20b",
    [
      ["empty", ""],
      ["flag", ""],
      ["equation", "a=b"],
      ["two words", "a b"],
    ],
  ],
  ["https://shop.example/#section?not=a&query", []],
];

/** What both databases call text. */
const TEXT = expect.stringMatching(/^(text|varchar|character varying)/);

/**
 * An hour before, each response to survey 1001 with choices had one more choice, and an answer to a question that
 * nobody answers now.
 */
const EARLIER_READING = `
  create table raw.earlier as select * from raw.survey_answers where question_id = 1002 and position = 1;
  update raw.earlier set comment = 'taken back', _airbyte_extracted_at = _airbyte_extracted_at - interval '1 hour';
  update raw.earlier set position = 99;
  insert into raw.survey_answers select * from raw.earlier;
  update raw.earlier set position = 1, question_id = 1999;
  insert into raw.survey_answers select * from raw.earlier;
  select 1;
`;

/**
 * The same records as a loader stores them that makes every column text, makes none for a field that is null
 * everywhere, and has another time of loading for each record. `latest` holds what the latest readings gave; the
 * answer to question 1999 stays, since these times do not tell that it was taken back.
 */
const LOOSE_TABLES = `
  create schema loose;
  create table loose.survey_answers as select
    response_uuid, collected_at, survey_id, survey_name, respondent_uuid, question_type, answer_type, value_text,
    nps_tag, label, cast(question_id as text) as question_id, cast(position as text) as position,
    cast(answer_id as text) as answer_id, cast(value_number as text) as value_number,
    cast(value_boolean as text) as value_boolean,
    _airbyte_extracted_at + question_id % 100 * interval '20 milliseconds' + position * interval '1 millisecond'
      as _airbyte_extracted_at
  from raw.survey_answers where question_id < 4000000000;
  create table loose.survey_responses as select
    uuid, collected_at, survey_id, survey_name, survey_type, respondent_uuid, url, device_type, operating_system,
    platform, _airbyte_extracted_at
  from raw.survey_responses;
  create table loose.respondent_attributes as select
    respondent_uuid, cast(id as text) as id, name, value, _airbyte_extracted_at
  from raw.respondent_attributes;
  create table loose.latest as select
    response_uuid, cast(question_id as bigint) as question_id, cast(position as bigint) as position
  from loose.survey_answers where position <> '99';
  select 1;
`;

const folder = testFolder().path();
const sandbox = await testSandbox({ surveys: surveys() });
const postgres = await testPostgres();
let responses: TrueAnswers[];

beforeAll(async () => {
  const { service } = sandbox;
  const config = configOf(sandbox);
  const { survey_ids } = config;
  // Twice, with new responses in between. Records are appended, so that young ones, which come twice, are there twice.
  for (const id of survey_ids.slice(0, 3)) service.collect(id, { count: 9, now: true });
  await load(folder, postgres, config);
  for (const id of survey_ids.slice(0, 3)) service.collect(id, { count: 9 });
  await load(folder, postgres, config);
  responses = await trueAnswers(service);
});

function surveys() {
  const made = ["Onboarding", "Product feedback", "Support"].map((name, number) => ({
    id: `${1001 + number}`,
    name,
    responses: {
      seed: 40 + number,
      count: 250,
      density: "growing" as const,
      from: "2026-01-01T00:00:00.000000Z",
      to: "2026-09-30T12:00:00.000000Z",
      respondents: 80,
    },
  }));
  const hard = HARD_URLS.map(([url], number) => ({
    // Two months apart, so that the month between has no answers to question 4009.
    collected_at: `2026-0${5 + 2 * number}-01T23:59:59.999999Z`,
    fields: {
      url,
      answers: [
        { question_id: 4009, question_type: "numerical_scale", answer: { content: "0", tag: "detractor" } },
        { question_id: 4010, question_type: "multiple", answers: [] },
      ],
    },
  }));
  const hardAnswers = {
    collected_at: "2026-10-09T00:00:00.000000Z",
    fields: {
      url: "",
      answers: [
        { question_id: 4009, question_type: "numerical_scale", answer: null },
        {
          question_id: 4_000_000_001,
          question_type: "single",
          answer: { id: 4_000_000_002, content: "Yes" },
        },
      ],
    },
  };
  return [...made, { id: "1004", name: "Hard cases", responses: [...hard, hardAnswers] }];
}

describe.each(["duckdb", "postgres"] as const)("on %s", (target) => {
  let project: string;
  let alone: string;
  beforeAll(() => {
    ({ project, package: alone } = createProject(folder, target));
  });
  const output = () => databases(folder, postgres.port)[target];
  const build = (place: string, ...args: readonly string[]) => dbt(place, output(), ...args);
  const read = (sql: string) => query(folder, output(), sql);
  const columnsOf = (model: string) => {
    const rows = read(
      `select column_name, lower(data_type) as data_type from information_schema.columns where table_name = '${model}' and table_schema = 'analytics'`,
    );
    return new Map(rows.map(({ column_name, data_type }) => [column_name, data_type]));
  };

  test("dbt builds a project that uses the package by the README's command, and all its tests pass", () => {
    const command = /then `dbt (build [^`]+)`/.exec(README)![1]!;
    expect(build(project, "deps")).not.toContain("Error");
    read(EARLIER_READING);
    const said = build(project, ...command.split(" "));
    expect(said).toMatch(/Done\. PASS=\d+ WARN=1 ERROR=0 SKIP=0/);
    expect(said).toMatch(/WARN \d+ survey_export_questions_without_label/);
  });

  test.runIf(target === "duckdb")("the columns that are described are those that a model has", () => {
    const { models } = parse(readFileSync(join(alone, "models/survey_export.yml"), "utf8"));
    for (const { name, columns } of models) {
      if (name === "survey_export__complete_snapshots") continue; // is not built here
      // Users name some columns of these models.
      const isNamed = (column: string): boolean =>
        name === "survey_export__responses_wide"
          ? column in trueWide(responses[0]!)
          : name === "survey_export__respondents" && column.startsWith("attribute_");
      const own = [...columnsOf(name).keys()].map(String).filter((column) => !isNamed(column));
      expect(columns.map((column: Row) => column.name).toSorted(), name).toEqual(own.toSorted());
    }
  });

  test("the operation prints the seed with what helps to name the questions", () => {
    const seed = build(project, "--quiet", "run-operation", "survey_export_label_seed");
    const [names, ...rows] = seed.trim().split("\n");
    expect(names).toBe(
      "survey_id,question_id,label,column_name,question,survey_name,question_type,answer_type,number_of_answers,first_answer,last_answer,sample_values",
    );
    const answered = responses.filter(({ elements }) => elements.some(({ question_id: id }) => id === 1010));
    const { question_type: type, answers } = answered[0]!.elements.find(
      ({ question_id: id }) => id === 1010,
    )!;
    const times = answered.map(({ collected_at }) => collected_at.slice(0, 10)).toSorted();
    const matrix = rows.find((row) => row.startsWith("1001,1010,"))!;
    expect(matrix).toContain(
      `1001,1010,"Rate our ""service""",service,How good are these?,Onboarding,${type},matrix,${times.length},${times[0]},${times.at(-1)},`,
    );
    for (const { content } of answers as Row[]) expect(matrix).toContain(content);
    expect(rows.length).toBe(trueCounts(responses).size + 4);
    expect(seed).not.toContain("@example.com");
  });

  test.runIf(target === "duckdb")("sqlfluff finds nothing to correct in the models", () => {
    const found = lint(alone, output());
    expect(found).toContain("All Finished");
    expect(found).not.toMatch(/FAIL|CRITICAL|ERROR/);
  });

  test("every answer is there once, though the loader appended it twice", () => {
    const [raw] = read(
      "select count(*) as rows, count(distinct (response_uuid, question_id, position)) as keys from raw.survey_answers where comment is distinct from 'taken back'",
    );
    const types = read(
      "select answer_type, count(*) as rows from analytics.survey_export__answers group by answer_type",
    );
    expect(Number(raw!.rows)).toBeGreaterThan(Number(raw!.keys));
    expect(types.reduce((sum, { rows }) => sum + Number(rows), 0)).toBe(raw!.keys);
    expect(types.map(({ answer_type }) => answer_type).toSorted()).toEqual(
      [...DOCUMENTED_KINDS, "other"].toSorted(),
    );
  });

  test("an answer that an earlier reading found, and the latest one did not, is gone", () => {
    const raw = read("select distinct question_id from raw.survey_answers where comment = 'taken back'");
    expect(raw.length).toBe(2);
    expect(read("select 1 from analytics.survey_export__answers where comment = 'taken back'")).toEqual([]);
  });

  test("NPS and CSAT of each day are the sandbox's, and a day without answers has no score", () => {
    const days = (model: string, ...columns: readonly string[]) =>
      new Map(
        read(`select * from analytics.survey_export__${model}`).map((row) => [
          `${row.survey_id} ${row.question_id} ${String(row.date_day).slice(0, 10)}`,
          columns.map((name) => (row[name] === null ? null : Number(row[name]))),
        ]),
      );
    const promoters = everyDay(truePromoters(responses));
    expect(promoters.size).toBeGreaterThan(truePromoters(responses).size);
    expect(days("nps_daily", "number_of_answers", "promoters", "detractors")).toEqual(promoters);
    for (const [day, [score]] of days("nps_daily", "nps")) {
      const [answers, up, down] = promoters.get(day)!;
      if (answers === 0) expect(score).toBe(null);
      else expect(score).toBeCloseTo((100 * (up! - down!)) / answers!, 6);
    }
    const satisfied = everyDay(trueSatisfaction(responses));
    expect(satisfied.size).toBeGreaterThan(trueSatisfaction(responses).size);
    expect(days("csat_daily", "number_of_answers", "satisfied")).toEqual(satisfied);
    for (const [day, scores] of days("csat_daily", "csat", "average_rating")) {
      expect(scores.map((score) => score === null)).toEqual([0, 0].map(() => satisfied.get(day)![0] === 0));
    }
  });

  test("counts of responses, people and answers are the sandbox's", () => {
    const { truth } = sandbox.service;
    const surveys = read("select * from analytics.survey_export__surveys").map((row) =>
      [row.survey_id, row.number_of_responses, row.number_of_respondents].join(" "),
    );
    const expected = truth.surveyIds().map((id) => `${id} ${truth.count(id)} ${truth.respondents(id).size}`);
    expect(surveys.toSorted()).toEqual(expected);
    const questions = read("select * from analytics.survey_export__questions");
    expect(
      new Map(questions.map((row) => [`${row.survey_id} ${row.question_id}`, Number(row.number_of_answers)])),
    ).toEqual(trueCounts(responses));
    expect(questions.find(({ question_id: id }) => Number(id) === 1010)?.label).toBe('Rate our "service"');
  });

  test("surveys, questions and choices have the texts that the sandbox lists", () => {
    const { truth } = sandbox.service;
    const listed = truth
      .surveyIds()
      .flatMap((id) => truth.questions(id).map((question) => ({ survey_id: id, ...question })));
    const texts = new Map(listed.map((one) => [`${one.survey_id} ${one.id}`, one.question]));
    const questions = read("select survey_id, question_id, question from analytics.survey_export__questions");
    expect(questions.length).toBeGreaterThan(40);
    for (const { survey_id, question_id, question } of questions) {
      expect(question, String(question_id)).toBe(texts.get(`${survey_id} ${question_id}`) ?? null);
    }
    const contents = new Map(
      listed.flatMap(({ survey_id, id, answer_choices }) =>
        answer_choices.map((choice) => [`${survey_id} ${id} ${choice.id}`, choice.content]),
      ),
    );
    const choices = read(
      "select distinct survey_id, question_id, answer_id, answer_label from analytics.survey_export__answers where answer_id is not null",
    );
    for (const { survey_id, question_id, answer_id, answer_label } of choices) {
      expect(answer_label).toBe(contents.get(`${survey_id} ${question_id} ${answer_id}`) ?? null);
    }
    expect(choices.filter(({ answer_label }) => answer_label !== null).length).toBeGreaterThan(50);
    const names = new Map(truth.surveys().map(({ id, name }) => [id, name]));
    for (const row of read("select * from analytics.survey_export__surveys")) {
      expect(row).toMatchObject({
        survey_name: names.get(String(row.survey_id)),
        enabled: true,
        is_deleted: false,
      });
    }
  });

  test("each response has its own columns first, and then one for each named question", () => {
    const wide = read("select * from analytics.survey_export__responses_wide");
    const named = Object.keys(trueWide(responses[0]!));
    expect(Object.keys(wide[0]!).slice(-named.length).toSorted()).toEqual(named.toSorted());
    const found = wide.map((row) => [
      row.response_uuid,
      Object.fromEntries(named.map((name) => [name, row[name]])),
    ]);
    expect(new Map(found as [string, unknown][])).toEqual(
      new Map(responses.map((response) => [response.uuid, trueWide(response)])),
    );
  });

  test("each respondent has the chosen attributes as columns", () => {
    const attribute = (uuid: string, name: string) =>
      sandbox.service.truth.attributes(uuid)?.find((one) => one.name === name)?.value ?? null;
    const people = Map.groupBy(responses, ({ respondent }) => respondent);
    const truth = [...people].map(([uuid, { length }]) => [
      uuid,
      ...[length, attribute(uuid, "plan"), attribute(uuid, "rôle & team"), attribute(uuid, "locale"), null],
    ]);
    const found = read("select * from analytics.survey_export__respondents").map((row) => [
      row.respondent_uuid,
      ...[Number(row.number_of_responses), row.attribute_plan, row.attribute_role, row.attribute_locale],
      Object.entries(row).find(([name]) => name.startsWith("attribute_no_such_attribute_"))?.[1],
    ]);
    expect(found.toSorted()).toEqual(truth.toSorted());
    expect(truth.some(([, , , role]) => role !== null)).toBe(true);
  });

  test("URL parameters are found", () => {
    const parameters = read(
      "select response_uuid, name, value from analytics.survey_export__url_parameters order by response_uuid, position",
    );
    const found = Map.groupBy(parameters, ({ response_uuid }) => response_uuid);
    for (const { uuid, url } of responses) {
      const expected = HARD_URLS.find(([hard]) => hard === url)?.[1] ?? plainParameters(url);
      const given = (found.get(uuid) ?? []).map((row) => [row.name, row.value]);
      expect(given, url).toEqual(expected);
    }
  });

  test.runIf(target === "postgres")("each analysis compiles in the project and runs", () => {
    const analyses = compileAnalyses(project, output(), {});
    expect([...analyses.keys()]).toEqual([...ANALYSES.keys()]);
    const empty = [...analyses].filter(([, sql]) => read(sql).length === 0).map(([name]) => name);
    expect(empty).toEqual(["unhappy_tickets"]); // no response with a rating of 1 or 2 has a ticket in its URL
  });

  test("the package builds by itself on a loose table, with attributes that it finds and without named questions", () => {
    read(LOOSE_TABLES);
    const variables = {
      survey_export_schema: "loose",
      survey_export_loaded_at_is_shared: false,
      survey_export_csat_question_types: [],
    };
    const said = build(alone, "build", "--vars", JSON.stringify(variables));
    expect(said).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
    const columns = columnsOf("survey_export__respondents");
    expect([...columns.keys()]).toContain("attribute_country");
    expect(columns.size).toBe(7 + 50);
    expect(read("select 1 from analytics.survey_export__csat_daily")).toEqual([]);
  });

  test("columns that the loader made text have their types, and those that it omitted are null", () => {
    expect(Object.fromEntries(columnsOf("survey_export__answers"))).toMatchObject({
      question_id: "bigint",
      position: "bigint",
      answer_id: "bigint",
      value_number: expect.stringMatching(/^double/),
      value_boolean: "boolean",
      comment: TEXT,
    });
    expect(columnsOf("survey_export__responses").get("language")).toEqual(TEXT);
  });

  test("if each record has its own time of loading, no row of the latest reading is lost", () => {
    const keys = (from: string) =>
      read(`select response_uuid, question_id, position from ${from} order by 1, 2, 3`);
    const kept = keys("analytics.survey_export__answers");
    expect(kept).toEqual(keys("(select distinct * from loose.latest) as latest"));
  });

  // One error on each database, since each build takes seconds.
  const twice = {
    duckdb: [
      ...["Language", "reasons"],
      'The seed question_labels has the column_name "Language". survey_export__responses_wide has a column of that name already. Choose another column_name.',
    ],
    postgres: [
      ...["NPS", "nps"],
      'The seed question_labels has the column_names "NPS" and "nps", which differ by upper and lower case only. Write them in the same way if the questions share a column. Otherwise choose another column_name.',
    ],
  } as const;
  test("a column_name that would be there twice is an error, and questions may have no label", () => {
    const [first, second, expected] = twice[target];
    const settings = readFileSync(join(project, "dbt_project.yml"), "utf8");
    writeFileSync(join(project, "dbt_project.yml"), settings.replace('"label":"varchar(255)",', ""));
    const seed = `survey_id,question_id,label,column_name\n1001,1001,,${first}\n1001,1002,,${second}\n`;
    writeFileSync(join(project, "seeds/question_labels.csv"), seed);
    const select = ["question_labels", "survey_export__questions", "survey_export__responses_wide"];
    const said = build(project, "build", "--full-refresh", "--select", ...select).replace(/\s+/g, " ");
    expect(said).toContain(expected);
    expect(columnsOf("survey_export__questions").get("label")).toEqual(TEXT);
  });
});

const plainParameters = (url: string) =>
  [...new URL(url || "https://none.example").searchParams].map(([name, value]) => [name, value]);
