import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ANSWER_TYPES } from "@survey-export/core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import buildBin from "../../support/build.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { load } from "../pyairbyte/support/pyairbyte.ts";
import { ANALYSES, compileAnalyses } from "./support/analyses.ts";
import { createProject, databases, dbt, lint, path, query, type Row } from "./support/dbt-runner.ts";
import {
  type TrueAnswers,
  trueAnswers,
  trueCounts,
  truePromoters,
  trueSatisfaction,
  trueWide,
} from "./support/truth.ts";

// dbt alone takes a minute on a machine that is busy.
vi.setConfig({ testTimeout: 1_800_000 });

const NEW_RESPONSES = 9;
/** URLs that are hard to take apart, with what their queries say. Of the escapes, only spaces are decoded. */
const HARD_URLS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "https://shop.example/a?ticket_id=00042&who=Zo%C3%AB+%26+%F0%9F%91%8D#top?x=1",
    [
      ["ticket_id", "00042"],
      ["who", "Zo%C3%AB %26 %F0%9F%91%8D"],
    ],
  ],
  [
    "https://shop.example/?empty=&flag&&equation=a=b&q=100%&two%20words=a%20b",
    [
      ["empty", ""],
      ["flag", ""],
      ["equation", "a=b"],
      ["q", "100%"],
      ["two words", "a b"],
    ],
  ],
  ["https://shop.example/#section", []],
  ["https://shop.example/#section?not=a&query", []],
  ["", []],
];

/** No text at all. */
const ODD_URL = { href: "https://shop.example/?a=b" } as const;

/** What both databases call text. */
const TEXT = expect.stringMatching(/^(text|varchar|character varying)/);

/**
 * An hour before, each response to survey 1001 with choices had one more choice, and an answer to a question that
 * nobody answers now. Every attribute had another value. These readings of attributes are loaded last, once as they
 * are and once as version 0.1.0 wrote those of configured respondents, without a time.
 */
const EARLIER_READING = `
  create table raw.earlier_attribute as select * from raw.respondent_attributes;
  update raw.earlier_attribute set value = 'earlier', collected_at = collected_at - interval '1 hour',
    _airbyte_extracted_at = _airbyte_extracted_at + interval '1 hour';
  insert into raw.respondent_attributes select * from raw.earlier_attribute;
  update raw.earlier_attribute set collected_at = null;
  insert into raw.respondent_attributes select * from raw.earlier_attribute;
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
  insert into loose.respondent_attributes
  select 'two-values', '9', 'company', 'old', max(_airbyte_extracted_at) from loose.respondent_attributes;
  insert into loose.respondent_attributes
  select 'two-values', '10', 'company', 'new', max(_airbyte_extracted_at) from loose.respondent_attributes;
  create table loose.latest as select
    response_uuid, cast(question_id as bigint) as question_id, cast(position as bigint) as position
  from loose.survey_answers where position <> '99';
  select 1;
`;

const elementsOf = (question: number) =>
  responses.flatMap(({ elements }) => elements.filter(({ question_id: id }) => id === question));

let folder: string;
let sandbox: Sandbox;
let postgres: Postgres;
/** As the service shows them at the end. */
let responses: TrueAnswers[];
/** Responses that it showed before. */
let removed: string[];

beforeAll(async () => {
  buildBin();
  folder = mkdtempSync(join(tmpdir(), "dbt-"));
  sandbox = await startSandbox({ surveys: surveys() });
  postgres = await startPostgres();
  const { service } = sandbox;
  const survey_ids = service.truth.surveyIds();
  const config = { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids };
  removed = (await trueAnswers(service)).filter((_, place) => place % 50 === 7).map(({ uuid }) => uuid);
  // Twice, with new responses in between. Records are appended, so that whatever comes twice is there twice.
  await load(folder, postgres, config);
  for (const id of survey_ids.slice(0, 3)) service.collect(id, { count: NEW_RESPONSES });
  await load(folder, postgres, config);
  service.remove({ responses: removed });
  await load(folder, postgres, config, { streams: ["response_keys", "response_key_snapshots"] });
  responses = await trueAnswers(sandbox.service);
});

afterAll(async () => {
  await postgres?.stop();
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
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
    collected_at: `2026-10-0${number + 1}T23:59:59.999999Z`,
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
  // Against the columns' types: PostgreSQL would refuse the whole load.
  const odd = {
    collected_at: "2026-10-10T00:00:00.000000Z",
    fields: { url: ODD_URL, language: ["en"], attributes: "none", answers: [] },
  };
  return [...made, { id: "1004", name: "Hard cases", responses: [...hard, hardAnswers, odd] }];
}

describe.each(["duckdb", "postgres"] as const)("on %s", (target) => {
  let project: string;
  let alone: string;
  beforeAll(() => {
    ({ project, package: alone } = createProject(folder, target));
  });
  const build = (place: string, ...args: readonly string[]) =>
    dbt(place, databases(folder, postgres.port)[target], ...args);
  const read = (sql: string) => query(folder, databases(folder, postgres.port)[target], sql);
  const columnsOf = (model: string) => {
    const rows = read(
      `select column_name, lower(data_type) as data_type from information_schema.columns where table_name = '${model}' and table_schema = 'analytics'`,
    );
    return new Map(rows.map(({ column_name, data_type }) => [column_name, data_type]));
  };

  test("dbt builds a project that uses the package by the README's command, and all its tests pass", () => {
    const readme = readFileSync(path("../../../../dbt/README.md"), "utf8");
    const command = /then `dbt (build [^`]+)`/.exec(readme)![1]!;
    expect(build(project, "deps")).not.toContain("Error");
    read(EARLIER_READING);
    const output = build(
      project,
      ...command.split(" "),
      "--vars",
      "{survey_export_using_response_keys: true}",
    );
    expect(output).toMatch(/Done\. PASS=\d+ WARN=1 ERROR=0 SKIP=0/);
    expect(output).toMatch(/WARN \d+ survey_export_questions_without_label/);
    expect(output).not.toContain("2001");
  });

  test("the README has every variable with its default", () => {
    const { vars } = parse(readFileSync(join(alone, "dbt_project.yml"), "utf8"));
    const readme = readFileSync(path("../../../../dbt/README.md"), "utf8");
    for (const [name, value] of Object.entries(vars)) {
      if (name.endsWith("_table") && name !== "survey_export_survey_answers_table") continue; // one row for all
      const row = readme.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${name}\``));
      const isPlace = /_(database|schema)$/.test(name);
      const spelled = value === "" ? '""' : JSON.stringify(value).replaceAll('"', "");
      expect(row, name).toContain(isPlace ? "the target's" : `| \`${spelled}\` |`);
    }
  });

  test("every column of every model and seed has a description, and every model has loaded_at", () => {
    const files = ["models/survey_export.yml", "seeds/labels.yml"].map((file) =>
      parse(readFileSync(join(alone, file), "utf8")),
    );
    const described = files.flatMap(({ models = [], seeds = [] }) => [...models, ...seeds]);
    const found = read(
      "select table_name, column_name from information_schema.columns where table_schema = 'analytics'",
    );
    const byTable = Map.groupBy(found, ({ table_name }) => table_name);
    const seeds = readFileSync(join(project, "seeds/question_labels.csv"), "utf8");
    const named = seeds.split("\n").map((line) => line.split(",").at(-1));
    expect([...byTable.keys()].toSorted()).toEqual(described.map(({ name }) => name).toSorted());
    for (const { name, description, columns } of described) {
      expect(description, name).toMatch(/\w/);
      for (const column of columns) expect(column.description, `${name}.${column.name}`).toMatch(/\w/);
      const fixed = (byTable.get(name) ?? [])
        .map(({ column_name }) => String(column_name))
        .filter((column) => !column.startsWith("attribute_") || name !== "survey_export__respondents")
        .filter((column) => !named.includes(column) || name !== "survey_export__responses_wide");
      if (name.startsWith("survey_export__")) expect(fixed, name).toContain("loaded_at");
      if (byTable.has(name))
        expect(columns.map((column: Row) => column.name).toSorted()).toEqual(fixed.toSorted());
    }
  });

  test("the operation prints the seed with what helps to name the questions", () => {
    const seed = build(project, "--quiet", "run-operation", "survey_export_label_seed");
    const [names, ...rows] = seed.trim().split("\n");
    expect(names).toBe(
      "survey_id,question_id,label,column_name,survey_name,question_type,answer_type,number_of_answers,first_answer,last_answer,sample_values",
    );
    const { question_type: type } = elementsOf(1010)[0]!;
    const days = responses.filter(({ elements }) => elements.some(({ question_id: id }) => id === 1010));
    const times = days.map(({ collected_at }) => collected_at.slice(0, 10)).toSorted();
    const matrix = rows.find((row) => row.startsWith("1001,1010,"))!;
    expect(matrix).toContain(
      `1001,1010,"Rate our ""service""",service,Onboarding,${type},matrix,${days.length},${times[0]},${times.at(-1)},`,
    );
    const items = (elementsOf(1010)[0]!.answers as Row[]).map(({ content }) => String(content));
    for (const item of items) expect(matrix).toContain(item);
    expect(rows.length).toBe(trueCounts(responses).size + 4);
    expect(seed).not.toContain("@example.com");
  });

  test.runIf(target === "duckdb")("sqlfluff finds nothing to correct in the models", () => {
    const found = lint(alone, databases(folder, postgres.port)[target]);
    expect(found).toContain("All Finished");
    expect(found).not.toMatch(/FAIL|CRITICAL|ERROR/);
  });

  test("a response that the service no longer shows is deleted, and no other", () => {
    const found = read("select response_uuid from analytics.survey_export__responses where is_deleted");
    expect(removed.length).toBeGreaterThan(10);
    expect(found.map(({ response_uuid }) => response_uuid).toSorted()).toEqual(removed.toSorted());
  });

  test("every answer is there once, though the loader appended it twice", () => {
    const [raw] = read(
      "select count(*) as rows, count(distinct (response_uuid, question_id, position)) as keys from raw.survey_answers where comment is distinct from 'taken back'",
    );
    const [deduplicated] = read("select count(*) as rows from analytics.survey_export__answers");
    const types = read(
      "select answer_type, count(*) as rows from analytics.survey_export__answers group by answer_type",
    );
    const zero = read(
      "select count(*) as rows from analytics.survey_export__answers where answer_type = 'nps' and value_number = 0 and not is_deleted",
    );
    expect(Number(raw!.rows)).toBeGreaterThan(Number(raw!.keys));
    expect(deduplicated!.rows).toBe(raw!.keys);
    expect(types.map(({ answer_type }) => answer_type).toSorted()).toEqual(ANSWER_TYPES.toSorted());
    const zeros = responses.flatMap(({ elements }) =>
      elements.filter(({ answer }) => (answer as Row | undefined)?.tag && (answer as Row).content === "0"),
    );
    expect(zero[0]!.rows).toBe(zeros.length);
  });

  test("an answer that an earlier reading found, and the latest one did not, is gone", () => {
    const raw = read("select distinct question_id from raw.survey_answers where comment = 'taken back'");
    const kept = read("select 1 from analytics.survey_export__answers where comment = 'taken back'");
    expect(raw.length).toBe(2);
    expect(kept).toEqual([]);
  });

  test("an attribute is as the latest reading found it, though earlier readings were loaded later", () => {
    const raw = read("select count(*) as rows from raw.respondent_attributes where value = 'earlier'");
    const kept = read(
      "select value, collected_at from analytics.survey_export__respondent_attributes where value = 'earlier' or collected_at is null",
    );
    expect(Number(raw[0]!.rows)).toBeGreaterThan(100);
    expect(kept).toEqual([]);
  });

  test("NPS and CSAT of each day are the sandbox's", () => {
    const nps = read(
      "select survey_id, question_id, date_day, number_of_answers, promoters, detractors, nps from analytics.survey_export__nps_daily",
    );
    const csat = read(
      "select survey_id, question_id, date_day, number_of_answers, satisfied, csat from analytics.survey_export__csat_daily",
    );
    const key = (row: Row) => `${row.survey_id} ${row.question_id} ${String(row.date_day).slice(0, 10)}`;
    const promoters = truePromoters(responses);
    expect(promoters.size).toBeGreaterThan(100);
    expect(
      new Map(nps.map((row) => [key(row), pick(row, "number_of_answers", "promoters", "detractors")])),
    ).toEqual(
      new Map(
        [...promoters].map(([day, { answers, promoters, detractors }]) => [
          day,
          [answers, promoters, detractors],
        ]),
      ),
    );
    for (const row of nps) {
      const { answers, promoters: up, detractors: down } = promoters.get(key(row))!;
      expect(Number(row.nps)).toBeCloseTo((100 * (up - down)) / answers, 6);
    }
    const satisfied = trueSatisfaction(responses);
    expect(satisfied.size).toBeGreaterThan(100);
    expect(new Map(csat.map((row) => [key(row), pick(row, "number_of_answers", "satisfied")]))).toEqual(
      satisfied,
    );
  });

  test("counts of responses, people and answers are the sandbox's", () => {
    const surveys = read("select * from analytics.survey_export__surveys");
    const questions = read("select * from analytics.survey_export__questions");
    expect(
      new Map(
        surveys.map((row) => [row.survey_id, pick(row, "number_of_responses", "number_of_respondents")]),
      ),
    ).toEqual(
      new Map(
        sandbox.service.truth.surveyIds().map((id) => {
          const { truth } = sandbox.service;
          return [id, [truth.count(id), truth.respondents(id).size]];
        }),
      ),
    );
    expect(
      new Map(questions.map((row) => [`${row.survey_id} ${row.question_id}`, Number(row.number_of_answers)])),
    ).toEqual(trueCounts(responses));
    expect(questions.find(({ question_id }) => Number(question_id) === 1010)?.label).toBe(
      'Rate our "service"',
    );
    const times = responses.filter(({ elements }) =>
      elements.some(({ question_id }) => question_id === 1009),
    );
    const nps = questions.find(({ question_id }) => Number(question_id) === 1009)!;
    const spelled = times.map(({ collected_at }) => collected_at.slice(0, -1)).toSorted();
    const padded = (time: unknown) => String(time).padEnd(26, ".000000".slice(String(time).length - 19));
    expect([padded(nps.first_answer_at), padded(nps.last_answer_at)]).toEqual([spelled[0], spelled.at(-1)]);
  });

  test("each response has its own columns first, and then one for each named question", () => {
    const wide = read("select * from analytics.survey_export__responses_wide");
    const { models } = parse(readFileSync(path("../../../../dbt/models/survey_export.yml"), "utf8"));
    const described = models.find(({ name }: Row) => name === "survey_export__responses_wide").columns;
    const fixed = new Set(described.map(({ name }: Row) => name));
    expect(Object.keys(wide[0]!).slice(0, fixed.size)).toEqual([...fixed]);
    const named = (row: Row) => Object.fromEntries(Object.entries(row).filter(([name]) => !fixed.has(name)));
    const truth = new Map(responses.map((response) => [response.uuid, trueWide(response)]));
    expect(new Map(wide.map((row) => [row.response_uuid, named(row)]))).toEqual(truth);
  });

  test("each respondent has the chosen attributes as columns", () => {
    const people = read("select * from analytics.survey_export__respondents");
    const attribute = (uuid: string, name: string) =>
      sandbox.service.truth.attributes(uuid)?.find((one) => one.name === name)?.value ?? null;
    const truth = new Map(
      [...new Set(responses.map(({ respondent }) => respondent))].map((uuid) => [
        uuid,
        {
          count: responses.filter(({ respondent }) => respondent === uuid).length,
          plan: attribute(uuid, "plan"),
          role: attribute(uuid, "rôle & team"),
          locale: attribute(uuid, "locale"),
          none: null,
        },
      ]),
    );
    const found = people.map((row) => [
      row.respondent_uuid,
      {
        count: Number(row.number_of_responses),
        plan: row.attribute_plan,
        role: row.attribute_role,
        locale: row.attribute_locale,
        none: Object.entries(row).find(([name]) => name.startsWith("attribute_no_such_attribute_"))?.[1],
      },
    ]);
    expect(new Map(found as [string, unknown][])).toEqual(truth);
    expect([...truth.values()].some(({ role }) => role !== null)).toBe(true);
  });

  test("URL parameters are found", () => {
    const parameters = read(
      "select response_uuid, name, value from analytics.survey_export__url_parameters order by response_uuid, position",
    );
    const found = Map.groupBy(parameters!, ({ response_uuid }) => response_uuid);
    for (const { uuid, url } of responses) {
      const isOdd = typeof url !== "string";
      const expected = HARD_URLS.find(([hard]) => hard === url)?.[1] ?? (isOdd ? [] : plainParameters(url));
      expect(
        (found.get(uuid) ?? []).map((row) => [row.name, row.value]),
        JSON.stringify(url),
      ).toEqual(expected);
    }
  });

  test("a value that does not fit its column is in additional_fields", () => {
    const odd = read(
      "select additional_fields from analytics.survey_export__responses where cast(additional_fields as varchar) like '%href%'",
    );
    expect(odd).toHaveLength(1);
    const [{ additional_fields: fields } = {}] = odd;
    expect(typeof fields === "string" ? JSON.parse(fields) : fields).toEqual({
      ...{ url: ODD_URL, language: ["en"], attributes: "none" },
    });
  });

  test("each analysis compiles in the project and runs", () => {
    const variables = { survey_export_using_response_keys: true };
    const analyses = compileAnalyses(project, databases(folder, postgres.port)[target], variables);
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
    const output = build(alone, "build", "--vars", JSON.stringify(variables));
    expect(output).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
    const columns = columnsOf("survey_export__respondents");
    expect([...columns.keys()]).toContain("attribute_company");
    expect(columns.size).toBe(7 + 50);
    expect(read("select 1 from analytics.survey_export__csat_daily")).toEqual([]);
  });

  test("columns that the loader made text have their types, and those that it left out are null", () => {
    expect(Object.fromEntries(columnsOf("survey_export__answers"))).toMatchObject({
      question_id: "bigint",
      position: "bigint",
      answer_id: "bigint",
      value_number: expect.stringMatching(/^double/),
      value_boolean: "boolean",
      comment: TEXT,
    });
    expect(columnsOf("survey_export__responses").get("language")).toEqual(TEXT);
    const [person] = read(
      "select attribute_company from analytics.survey_export__respondents where respondent_uuid = 'two-values'",
    );
    expect(person?.attribute_company).toBe("new");
  });

  test("if each record has its own time of loading, no row of the latest reading is lost", () => {
    const keys = (from: string) =>
      read(`select response_uuid, question_id, position from ${from} order by 1, 2, 3`);
    const kept = keys("analytics.survey_export__answers");
    expect(kept).toEqual(keys("(select distinct * from loose.latest) as latest"));
  });

  test("a column_name that would be there twice is an error, and questions may have no label", () => {
    const place = join(project, "seeds/question_labels.csv");
    const settings = readFileSync(join(project, "dbt_project.yml"), "utf8");
    writeFileSync(join(project, "dbt_project.yml"), settings.replace("label: varchar(255)", ""));
    const select = ["question_labels", "survey_export__questions", "survey_export__responses_wide"];
    const buildWith = (first: string, second: string) => {
      const rows = [`1001,1001,,${first}`, `1001,1002,,${second}`];
      writeFileSync(place, ["survey_id,question_id,label,column_name", ...rows, ""].join("\n"));
      return build(project, "build", "--full-refresh", "--select", ...select).replace(/\s+/g, " ");
    };
    // One error on each database, since each build takes seconds.
    const [output, expected] =
      target === "duckdb"
        ? [
            buildWith("Language", "reasons"),
            'The seed question_labels has the column_name "Language". survey_export__responses_wide has a column of that name already. Choose another column_name.',
          ]
        : [
            buildWith("NPS", "nps"),
            'The seed question_labels has the column_names "NPS" and "nps", which differ by upper and lower case only. Write them in the same way if the questions share a column. Otherwise choose another column_name.',
          ];
    expect(output).toContain(expected);
    expect(columnsOf("survey_export__questions").get("label")).toEqual(TEXT);
  });
});

const plainParameters = (url: string) =>
  new URL(url).search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => pair.split("="));
const pick = (row: Row, ...names: readonly string[]) => names.map((name) => Number(row[name]));
