import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { VIEWS } from "../../../connector/views/texts.ts";
import { exampleCompany, SURVEY_IDS } from "../../../sandbox/index.ts";
import { runBin } from "../../support/bin.ts";
import { placeExtensions } from "../../support/duckdb-extensions.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, testSandbox } from "../../support/sandbox.ts";
import {
  ANALYSES,
  compileAnalyses,
  createProject,
  dbt,
  dbtPython,
  path,
  query,
  type Row,
} from "./support/dbt-runner.ts";
import { CONNECTIONS, NAMESAKES, NAMESAKES_TABLES } from "./support/namesakes.ts";
import { type TrueAnswers, trueAnswers } from "./support/truth.ts";

/**
 * The analyses of the dbt package, on the file of a sync, with the made-up company, and with the profile and the variables of
 * `dbt/README.md`. And the SQL of `docs/questions.md`: DuckDB and the analyses answer as SQLite does, which
 * `test/repository/questions.test.ts` compares with the truth.
 */
// dbt alone takes a minute on a machine that is busy.
vi.setConfig({ testTimeout: 1_800_000 });

const page = readFileSync(path("../../../../docs/questions.md"), "utf8");
const [PROFILES, PROJECT] = readFileSync(path("../../../../dbt/README.md"), "utf8")
  .split("\n### On the file of sync\n")[1]!
  .match(/(?<=^```yaml\n).*?(?=^```$)/gms)!
  .map((block) => parse(block));
/** What `dbt/README.md` says of a file, and a second seed, which no page needs. */
const VARIABLES = { ...PROJECT.vars, survey_export_answer_labels: "survey_analysis.answer_labels" };

/** Of the made-up company: a question for a choice, a ranking and a matrix. */
const [EASE, PRIORITIES, GRADES] = [1002, 2004, 2003];

/**
 * German respondents read other texts of the same answer ids. Korean ones choose answers with ids of their own, which
 * the seed answer_labels gives the label of the English ones.
 */
const translated = (language: string, change: string, where: string) =>
  `update survey_answers set ${change} where ${where}
    and response_uuid in (select uuid from survey_responses where language = '${language}');`;
const TRANSLATIONS = [
  translated("de", "label = 'Tempo'", "label = 'Speed'"),
  translated("de", "value_text = 'Einfach'", "value_text = 'Easy'"),
  translated("ko", "answer_id = answer_id + 50, label = '가격'", "label = 'Price'"),
  translated("ko", "answer_id = answer_id + 50, value_text = '어려움'", "value_text = 'Hard'"),
];
const NUMBER_OF_TEXTS = `
  select count(distinct coalesce(label, value_text)) as texts from survey_answers
  where question_id in (${EASE}, ${GRADES}, ${PRIORITIES})`;
const NO_QUESTION_LABELS = "survey_id,question_id,label,column_name";
const LABELED_ANSWERS = [
  { survey: SURVEY_IDS[0], question: EASE, answers: [100202, 100252], label: "Hard" },
  { survey: SURVEY_IDS[1], question: GRADES, answers: [200302, 200352], label: "Price" },
  { survey: SURVEY_IDS[1], question: PRIORITIES, answers: [200402, 200452], label: "Price" },
];
const ANSWER_LABELS = [
  "survey_id,question_id,answer_id,label",
  ...LABELED_ANSWERS.flatMap(({ survey, question, answers, label }) =>
    NAMESAKES.flatMap((namesake) =>
      answers.map((id) => `${survey}${namesake.survey},${question + namesake.question},${id},${label}`),
    ),
  ),
].join("\n");

const files = testFolder();
const folder = files.path();
const target = files.path("surveys.sqlite");
const { attach, ...database } = PROFILES.survey_export.outputs.file;
const file = { ...attach[0], path: target };
const output = { ...database, path: files.path("survey.duckdb"), attach: [file] };
const sandbox = await testSandbox(exampleCompany());
let project: string;
let responses: readonly TrueAnswers[];
let results: ReadonlyMap<string, readonly Row[]>;

beforeAll(async () => {
  responses = await trueAnswers(sandbox.service);
  await files.file("config.json", configOf(sandbox, { attributes: ["plan"] }));
  expect((await runBin(["sync", target])).code).toBe(0);
  change(...TRANSLATIONS);
  using database = new DatabaseSync(target);
  expect({ ...database.prepare(NUMBER_OF_TEXTS).get() }).toEqual({ texts: 3 + 4 + 2 + 2 });

  ({ project } = createProject(folder, "questions", NO_QUESTION_LABELS, ANSWER_LABELS));
  for (const home of [folder, project]) placeExtensions(dbtPython(), home);
  dbt(project, output, "deps");
  const said = dbt(project, output, "build", "--vars", JSON.stringify(VARIABLES));
  expect(said).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
  const analyses = compileAnalyses(project, output, VARIABLES);
  results = new Map([...analyses].map(([name, sql]) => [name, query(folder, output, sql)]));
});

/** Changes the file of the sync. */
function change(...statements: readonly string[]): void {
  using database = new DatabaseSync(target);
  for (const statement of statements) database.exec(statement);
}

test("a model that is disabled takes only the analyses along that need it", () => {
  const variables = { ...VARIABLES, survey_export_using_url_parameters: false };
  const args = ["ls", "--resource-type", "analysis", "--output", "name", "--vars", JSON.stringify(variables)];
  const left = dbt(project, output, "--quiet", ...args)
    .trim()
    .split("\n");
  const disabled = [...ANALYSES.keys()].filter((name) => !left.includes(name));
  expect(disabled).toEqual(["unhappy_tickets"]);
});

test("dbt source freshness checks when the file was last filled", () => {
  const words = ["source", "freshness", "--vars", JSON.stringify(VARIABLES)];
  expect(dbt(project, output, ...words)).toMatch(/PASS freshness of survey_export\.surveys/);
});

test.each([...ANALYSES])("%s begins with its question, and has an answer", (name, sql) => {
  expect(sql).toMatch(/^-- [A-Z].+\?\n-- [A-Za-z].+\.\n(?!--)/);
  expect(results.get(name)!.length).toBeGreaterThan(2);
});

test("the NPS of each month is the truth", () => {
  const tagged = responses.flatMap(({ survey_id, collected_at, elements }) =>
    elements.flatMap(({ question_id, answer }) => {
      const { tag } = (answer ?? {}) as { readonly tag?: string };
      const month = `${survey_id} ${question_id} ${collected_at.slice(0, 7)}`;
      return tag === undefined ? [] : [{ month, points: { promoter: 100, detractor: -100 }[tag] ?? 0 }];
    }),
  );
  const months = Map.groupBy(tagged, ({ month }) => month);
  const found = results.get("nps_by_month")!;
  expect(found.map(({ answers }) => Number(answers))).toEqual(
    [...months.keys()].toSorted().map((month) => months.get(month)!.length),
  );
  for (const [place, month] of [...months.keys()].toSorted().entries()) {
    const points = months.get(month)!;
    const nps = points.reduce((sum, one) => sum + one.points, 0) / points.length;
    expect(Math.abs(Number(found[place]!.nps) - nps)).toBeLessThanOrEqual(0.5);
  }
});

test("the views of the file, and so its page, have the same NPS and CSAT by month", () => {
  using database = new DatabaseSync(target);
  const months = database.prepare("select * from nps_by_month").all();
  const keyOf = ({ survey_id, question_id, month }: Row) =>
    `${survey_id} ${question_id} ${String(month).slice(0, 7)}`;
  const models = new Map(results.get("nps_by_month")!.map((row) => [keyOf(row), row]));
  expect(months.map(keyOf).toSorted()).toEqual([...models.keys()].toSorted());
  for (const row of months) {
    expect(row.answers).toBe(Number(models.get(keyOf(row))!.answers));
    expect(Math.abs(Number(row.nps) - Number(models.get(keyOf(row))!.nps))).toBeLessThanOrEqual(0.5);
  }

  const daily = `select survey_id, question_id, strftime(date_day, '%Y-%m') as month,
    sum(number_of_answers)::int as answers, sum(satisfied)::int as satisfied
    from ${output.schema}.survey_export__csat_daily where number_of_answers > 0 group by 1, 2, 3`;
  const csat = (rows: readonly Row[]) =>
    rows.map((row) => `${keyOf(row)}: ${row.satisfied} of ${row.answers}`).toSorted();
  const ratings = csat(database.prepare("select * from csat_by_month").all());
  expect(ratings.length).toBeGreaterThan(10);
  expect(ratings).toEqual(csat(query(folder, output, daily)));
});

test("those who changed are those of the truth", () => {
  const changed: string[] = [];
  const last = new Map<string, { readonly tag?: string; readonly content?: string }>();
  const inTime = responses.toSorted((one, other) => (one.collected_at < other.collected_at ? -1 : 1));
  for (const { respondent, collected_at, elements } of inTime) {
    for (const { question_id, answer } of elements) {
      const { tag, content } = (answer ?? {}) as { readonly tag?: string; readonly content?: string };
      if (tag === undefined) continue;
      const before = last.get(`${respondent} ${question_id}`);
      if (before?.tag === "detractor" && tag === "promoter") {
        changed.push(`${respondent} ${collected_at.slice(0, 10)} ${before.content} ${content}`);
      }
      last.set(`${respondent} ${question_id}`, { tag, content: content! });
    }
  }
  const found = results
    .get("detractors_to_promoters")!
    .map((row) => `${row.respondent_uuid} ${row.day} ${row.previous_score} ${row.score}`);
  expect(found.length).toBeGreaterThan(20);
  expect(found.toSorted()).toEqual(changed.toSorted());
});

/** The analyses that list answers, and not figures of each question. */
const ORDERED_BY_TIME_OR_RATING = ["detractor_texts", "detractors_to_promoters", "unhappy_tickets"];

/** The analyses of choices: their columns, and how many rows they have if translations are one row. */
const OF_CHOICES = [
  { name: "answers_by_device", column: "choice", count: "responses", question: EASE, rows: 3 * 3 },
  { name: "rankings", column: "item", count: "times_ranked", question: PRIORITIES, rows: 4 },
  { name: "matrix_grades", column: "part", count: "answers", question: GRADES, rows: 12 },
];
describe("translations of an answer are one row, by their id or by their label in the seed", () => {
  test.each(OF_CHOICES)("in $name", ({ name, column, count, question, rows }) => {
    const truth = new Map<string, number>();
    for (const { answer, answers } of responses
      .flatMap(({ elements }) => elements)
      .filter(({ question_id }) => question_id === question)) {
      for (const { content } of [answers ?? answer].flat() as readonly { readonly content: string }[]) {
        truth.set(content, (truth.get(content) ?? 0) + 1);
      }
    }
    const found = new Map<string, number>();
    for (const row of results.get(name)!) {
      const text = String(row[column]); // as the survey asks it
      found.set(text, (found.get(text) ?? 0) + Number(row[count]));
    }
    expect(found).toEqual(truth);
    expect(results.get(name)).toHaveLength(rows);
  });
});

describe("the page", () => {
  test("has a command that shows an analysis of the package", () => {
    const command = /^dbt (show .+)$/m.exec(page)![1]!.split(" ");
    const shown = dbt(project, output, ...command, "--vars", JSON.stringify(VARIABLES));
    expect(shown).toMatch(/^\| survey_id .* \| +month \| nps \|/m);
    expect(shown.match(/^\| .* \| 2026-/gm)).toHaveLength(results.get("nps_by_month")!.length);
  });
});

/** The SQL of the page by the name of the analysis that it links, and what the page says to replace for DuckDB. */
const SQL_OF_PAGE = [
  ...page.matchAll(/^```sql\n((?:with|select)\b.*?)^```$.*?\/analyses\/(\w+)\.sql/gms),
].map(([, sql = "", name = ""]) => ({ name, sql }));
const [, FOR_DUCKDB = "", OF_SQLITE = ""] =
  /In DuckDB, .+ is `(.+)`\. Write this in place of `(.+)`\./.exec(page) ?? [];
/** The analyses of choices have the seed's words, which no view has. */
const HAS_OWN_WORDS = new Set(OF_CHOICES.map(({ name }) => name));
/** The columns that an analysis calls otherwise. */
const OTHER_NAMES: Readonly<Record<string, string>> = { words: "value_text" };

/** A row as a text, with these columns. In dbt, a month is its first day. */
const spelled = (row: Row, columns: readonly string[]): string =>
  columns
    .map((column) => {
      const value = String(row[column] ?? row[OTHER_NAMES[column] ?? ""] ?? "");
      return column === "month" ? value.slice(0, 7) : value;
    })
    .join(" | ");

describe("the SQL of the page", () => {
  test("is there for every analysis", () => {
    expect(SQL_OF_PAGE.map(({ name }) => name).toSorted()).toEqual([...ANALYSES.keys()]);
  });

  test.each(SQL_OF_PAGE)("$name answers in DuckDB as in SQLite, and as the analysis", ({ name, sql }) => {
    using database = new DatabaseSync(target, { readOnly: true });
    const inSqlite = database.prepare(sql).all();
    const columns = Object.keys(inSqlite[0]!);
    const expected = inSqlite.map((row) => spelled(row, columns)).toSorted();
    const attached = `attach '${target}' as surveys (type sqlite, read_only); use surveys;`;
    const inDuckdb = query(folder, output, `${attached}\n${sql.replace(OF_SQLITE, FOR_DUCKDB)}`);
    expect(inDuckdb.map((row) => spelled(row, columns)).toSorted()).toEqual(expected);
    if (HAS_OWN_WORDS.has(name)) return;
    const inDbt = results.get(name)!;
    expect(inDbt.map((row) => spelled(row, columns)).toSorted()).toEqual(expected);
  });
});

describe("with several connections, surveys of one name, and questions of one text,", () => {
  const found = new Map<string, readonly Row[]>();
  beforeAll(() => {
    const attached = `attach '${target}' as surveys (type sqlite, read_only);`;
    query(folder, output, `${attached}\n${NAMESAKES_TABLES}\nselect 1;`);
    const variables = { ...VARIABLES, survey_export_database: "", survey_export_schema: CONNECTIONS };
    dbt(project, output, "build", "--exclude-resource-type", "test", "--vars", JSON.stringify(variables));
    for (const [name, sql] of compileAnalyses(project, output, variables)) {
      found.set(name, query(folder, output, sql));
    }
  });

  test.each([...ANALYSES.keys()])("%s has the rows of each alone, and their ids", (name) => {
    const alone = results.get(name)!;
    const hasQuestions = "question_id" in alone[0]!;
    const namesakes = NAMESAKES.filter(({ question }) => hasQuestions || question === 0);
    const expected = CONNECTIONS.flatMap((source_relation) =>
      namesakes.flatMap(({ survey, question }) =>
        alone.map((row) => ({
          source_relation,
          ...row,
          survey_id: `${row.survey_id}${survey}`,
          ...(hasQuestions && { question_id: Number(row.question_id) + question }),
        })),
      ),
    );
    const sorted = (rows: readonly Row[]) =>
      rows.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted();
    expect(sorted(found.get(name)!)).toEqual(sorted(expected));
  });

  const ordered = [...ANALYSES.keys()].filter((name) => !ORDERED_BY_TIME_OR_RATING.includes(name));
  test.each(ordered)("%s has the rows of each together", (name) => {
    const ids = found.get(name)!.map((row) => `${row.source_relation} ${row.survey_id} ${row.question_id}`);
    const groups = ids.filter((id, place) => id !== ids[place - 1]);
    expect(groups).toEqual([...new Set(ids)]);
  });
});

test("without the optional streams, an analysis has the same rows, with the ids of questions", () => {
  const optional = ["surveys", "survey_questions", "respondent_attributes"];
  // As a sync leaves a file that has never had these streams.
  change(
    ...optional.map((name) => `drop table ${name}`),
    ...Object.keys(VIEWS).map((name) => `drop view ${name}`),
  );
  const variables = { ...VARIABLES, survey_export_using_respondent_attributes: false };
  dbt(project, output, "build", "--exclude-resource-type", "test", "--vars", JSON.stringify(variables));
  const without = compileAnalyses(project, output, variables);
  for (const { name, question, rows } of OF_CHOICES) {
    const found = query(folder, output, without.get(name)!);
    expect(new Set(found.map((row) => row.question)), name).toEqual(new Set([String(question)]));
    expect(found, name).toHaveLength(rows);
  }
  const ratings = (rows: readonly Row[]) =>
    rows.map((row) => JSON.stringify({ ...row, question: null })).toSorted();
  const plans = query(folder, output, without.get("satisfaction_by_plan")!);
  expect(new Set(plans.map(({ plan }) => plan)).size).toBeGreaterThan(2);
  expect(ratings(plans)).toEqual(ratings(results.get("satisfaction_by_plan")!));
});
