import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { DOCUMENTED_KINDS } from "../../../connector/core/answers/answer-kinds.ts";
import { testFolder } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { configOf, testSandbox } from "../../support/sandbox.ts";
import { load } from "../pyairbyte/support/pyairbyte.ts";
import { ANALYSES, compileAnalyses, dbt, lint, path, projectsOn, type Row } from "./support/dbt-runner.ts";
import { type TrueAnswers, trueAnswers } from "./support/truth.ts";

/** The package on tables that PyAirbyte loaded. What the models hold is what `dbt/integration_tests` expects, and the other suites here. */
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
const projects = projectsOn(folder, postgres.port);
/** The types of a model's columns by name. */
const columnsOf = (model: string, { read }: (typeof projects)[number]) => {
  const rows = read(
    `select column_name, lower(data_type) as data_type from information_schema.columns where table_name = '${model}' and table_schema = 'analytics'`,
  );
  return new Map(rows.map(({ column_name, data_type }) => [column_name, data_type]));
};
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

/** What a response has in columns whose questions differ in kind, have large identifiers, or no answers. */
function trueColumns({ elements }: TrueAnswers) {
  const of = (question: number) => elements.find(({ question_id }) => question_id === question);
  const content = (question: number) => (of(question)?.answer as { content?: string } | undefined)?.content;
  const mixed = [content(1001), of(1012)?.action_performed].filter((said) => said !== undefined);
  return {
    installed: of(1012)?.action_performed ?? null,
    mixed: mixed.join("; ") || null,
    large: content(4_000_000_001) ?? null,
    unasked: null,
  };
}

/** The columns that the project's seed names. */
const NAMED = "ease reasons satisfaction nps service priorities installed mixed large unasked".split(" ");

describe.each(projects)("on $target", (on) => {
  const { project, package: alone, target, output, read, run } = on;

  test("dbt builds a project that uses the package by the README's command, and all its tests pass", () => {
    const command = /then `dbt (build [^`]+)`/.exec(README)![1]!;
    expect(run({}, "deps")).not.toContain("Error");
    read(EARLIER_READING);
    const said = run({}, ...command.split(" "));
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
          ? NAMED.includes(column)
          : name === "survey_export__respondents" && column.startsWith("attribute_");
      const own = [...columnsOf(name, on).keys()].map(String).filter((column) => !isNamed(column));
      expect(columns.map((column: Row) => column.name).toSorted(), name).toEqual(own.toSorted());
    }
  });

  test("the operation prints the seed with what helps to name the questions", () => {
    const seed = run({}, "--quiet", "run-operation", "survey_export_label_seed");
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
    const questions = responses.flatMap(({ survey_id, elements }) =>
      elements.map(({ question_id }) => `${survey_id} ${question_id}`),
    );
    expect(rows.length).toBe(new Set(questions).size + 4);
    expect(seed).not.toContain("@example.com");
  });

  test.runIf(target === "duckdb")("sqlfluff finds nothing to correct in the models", () => {
    const found = lint(alone, output);
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

  test("the named questions have a column each, the last ones of a response", () => {
    const wide = read("select * from analytics.survey_export__responses_wide");
    expect(Object.keys(wide[0]!).slice(-NAMED.length).toSorted()).toEqual(NAMED.toSorted());
    const found = new Map(wide.map((row) => [row.response_uuid, row]));
    expect(found.size).toBe(responses.length);
    for (const one of responses) expect(found.get(one.uuid)).toMatchObject(trueColumns(one));
    // Somebody answered with null.
    expect(columnsOf("survey_export__responses_wide", on).get("nps")).toMatch(/^double/);
  });

  test("URL parameters are found", () => {
    for (const [url, expected] of HARD_URLS) {
      const { uuid } = responses.find((one) => one.url === url)!;
      const found = read(
        `select name, value from analytics.survey_export__url_parameters where response_uuid = '${uuid}' order by position`,
      );
      expect(
        found.map(({ name, value }) => [name, value]),
        url,
      ).toEqual(expected);
    }
  });

  test.runIf(target === "postgres")("each analysis compiles in the project and runs", () => {
    const analyses = compileAnalyses(project, output, {});
    expect([...analyses.keys()]).toEqual([...ANALYSES.keys()]);
    const empty = [...analyses].filter(([, sql]) => read(sql).length === 0).map(([name]) => name);
    expect(empty).toEqual(["unhappy_tickets"]); // no response with a rating of 1 or 2 has a ticket in its URL
  });

  // One error on each database, since each build takes seconds.
  const twice: Readonly<Record<string, readonly string[]>> = {
    duckdb: [
      ...["Language", "reasons"],
      'The seed question_labels has the column_name "Language". survey_export__responses_wide has a column of that name already. Choose another column_name.',
    ],
    postgres: [
      ...["NPS", "nps"],
      'The seed question_labels has the column_names "NPS" and "nps", which differ by upper and lower case only. Write them in the same way if the questions share a column. Otherwise choose another column_name.',
    ],
  };
  test("a column_name that would be there twice is an error, and questions may have no label", () => {
    const [first, second, expected = ""] = twice[target]!;
    const settings = readFileSync(join(project, "dbt_project.yml"), "utf8");
    writeFileSync(join(project, "dbt_project.yml"), settings.replace('"label":"varchar(255)",', ""));
    const seed = `survey_id,question_id,label,column_name\n1001,1001,,${first}\n1001,1002,,${second}\n`;
    writeFileSync(join(project, "seeds/question_labels.csv"), seed);
    const select = ["question_labels", "survey_export__questions", "survey_export__responses_wide"];
    const said = run({}, "build", "--full-refresh", "--select", ...select).replace(/\s+/g, " ");
    expect(said).toContain(expected);
    expect(columnsOf("survey_export__questions", on).get("label")).toEqual(TEXT);
  });
});

describe.each(projects)("on $target, with a loader that makes no types", (on) => {
  const { package: alone, output, read } = on;

  test("the package builds by itself on a loose table, with attributes that it finds and without named questions", () => {
    read(LOOSE_TABLES);
    const variables = {
      survey_export_schema: "loose",
      survey_export_loaded_at_is_shared: false,
      survey_export_csat_question_types: [],
    };
    const said = dbt(alone, output, "build", "--vars", JSON.stringify(variables));
    expect(said).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
    const columns = columnsOf("survey_export__respondents", on);
    expect([...columns.keys()]).toContain("attribute_country");
    expect(columns.size).toBe(7 + 50);
    expect(read("select 1 from analytics.survey_export__csat_daily")).toEqual([]);
  });

  test("columns that the loader made text have their types, and those that it omitted are null", () => {
    expect(Object.fromEntries(columnsOf("survey_export__answers", on))).toMatchObject({
      question_id: "bigint",
      position: "bigint",
      answer_id: "bigint",
      value_number: expect.stringMatching(/^double/),
      value_boolean: "boolean",
      comment: TEXT,
    });
    expect(columnsOf("survey_export__responses", on).get("language")).toEqual(TEXT);
  });

  test("if each record has its own time of loading, no row of the latest reading is lost", () => {
    const keys = (from: string) =>
      read(`select response_uuid, question_id, position from ${from} order by 1, 2, 3`);
    const kept = keys("analytics.survey_export__answers");
    expect(kept).toEqual(keys("(select distinct * from loose.latest) as latest"));
  });
});
