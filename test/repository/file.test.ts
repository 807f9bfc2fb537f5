import { execFileSync, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { marginOf, scoreOf } from "../../connector/report/measure.ts";
import { VIEWS } from "../../connector/views/texts.ts";
import { trueAnswers } from "../end-to-end/dbt/support/truth.ts";
import { companyFile, documentText, sqlBlocks } from "../support/company-file.ts";

/** `docs/file.md`: its queries on a file of a sync, and what it says of views, tables and the page. */

const page = documentText("docs/file.md");

/** The lines below a heading, up to the next one. */
function sectionOf(heading: string): string {
  const found = page.split(/^#+ /m).find((section) => section.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`The page has no heading "${heading}".`);
  return found;
}
/** The names in the first cells of the tables of a text that begin with this head. */
function namesIn(text: string, head: string): string[] {
  const table = text.split(`| ${head} |`).slice(1).join("\n");
  const cells = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

let company: Awaited<ReturnType<typeof companyFile>>;
beforeAll(async () => {
  company = await companyFile();
});

/** The columns of a view or a table of the file. */
const columnsOf = (name: string): unknown[] =>
  company.rowsOf(`select name from pragma_table_info('${name}')`).map((column) => column.name);

describe("the first queries", () => {
  const queries = sqlBlocks(page).filter(({ heading }) => heading === "First queries");

  test("have rows", () => {
    expect(queries).toHaveLength(3);
    for (const { sql } of queries) expect(company.rowsOf(sql).length, sql).toBeGreaterThan(3);
  });

  test("show the NPS of each question", async () => {
    const tags = (await trueAnswers(company.sandbox.service)).flatMap(({ elements }) =>
      elements.flatMap(({ question_id, answer }) => {
        const { tag } = (answer ?? {}) as { readonly tag?: string };
        return tag === undefined ? [] : [{ question_id, tag }];
      }),
    );
    const expected = [...Map.groupBy(tags, ({ question_id }) => question_id).values()].map((of) => {
      const count = (one: string) => of.filter(({ tag }) => tag === one).length;
      return {
        answers: of.length,
        nps: Math.round((100 * (count("promoter") - count("detractor"))) / of.length),
      };
    });
    const found = company.rowsOf(queries[0]!.sql).map(({ answers, nps }) => ({ answers, nps }));
    expect(found).toEqual(expected.toSorted((one, other) => other.nps - one.nps));
  });
});

const version =
  spawnSync("sqlite3", ["--version"], { encoding: "utf8" }).stdout?.split(".").map(Number) ?? [];
const hasSqlite = Number(version[0]) > 3 || Number(version[1]) >= 38;

test.runIf(hasSqlite)("the command sqlite3 shows a view", () => {
  const command = /^sqlite3 .+$/m.exec(sectionOf("Open it"))![0];
  const shown = execFileSync("/bin/sh", ["-ec", command], {
    cwd: dirname(company.path),
    encoding: "utf8",
  });
  expect(shown).toMatch(/│ Onboarding +│ 1001 +│ Would you recommend us\? +│ 2026-01 │/);
});

const steps = namesIn(sectionOf("The steps between"), "View");
const described = Object.keys(VIEWS).filter((name) => !steps.includes(name));

test("every view is in one of the two lists", () => {
  const first = namesIn(sectionOf("Views"), "View");
  expect([...first, ...steps].toSorted()).toEqual(Object.keys(VIEWS).toSorted());
  expect(first.length).toBeGreaterThan(5);
});

test.each(described)("the columns of %s have their meaning, in their order", (name) => {
  expect(namesIn(sectionOf(name), "Column")).toEqual(columnsOf(name));
});

test("every kind of row in answer_counts that the company has is described", () => {
  const described = namesIn(sectionOf("answer_counts").split("| Column |")[0]!, "`kind`");
  const kinds = company.rowsOf("select distinct kind from answer_counts").map(({ kind }) => kind);
  expect(kinds.length).toBeGreaterThan(4);
  expect(described).toEqual(expect.arrayContaining(kinds));
});

test("every table of a sync is named, and the columns of its own ones are described", () => {
  const tables = company
    .rowsOf("select name from sqlite_schema where type = 'table' order by name")
    .map(({ name }) => String(name));
  const own = tables.filter((name) => name.startsWith("_"));
  expect(namesIn(sectionOf("Tables"), "Table").toSorted()).toEqual(
    tables.filter((name) => !own.includes(name)),
  );
  const section = sectionOf("Tables of the sync");
  for (const name of own) expect(section).toContain(`\`${name}\``);
  expect(namesIn(section, "Column")).toEqual(columnsOf("_survey_export_syncs"));
});

test("the example of an NPS and its margin is calculated as the report does", () => {
  const [answers, good, bad, nps, margin] = [
    .../of (\d+) answers, (\d+) are of promoters and (\d+) of detractors\. .+? says \+(\d+) ± (\d+)\./.exec(
      page,
    )!,
  ]
    .slice(1)
    .map(Number) as [number, number, number, number, number];
  const of = { answers, good, bad };
  expect([Math.round(scoreOf(of)), Math.round(marginOf(of))]).toEqual([nps, margin]);
});

describe("what the page of the report says of arrival", () => {
  const source = documentText("connector/report/arrival.ts").split("export function verdictOf")[1]!;
  const table = sectionOf("Did everything arrive?").split("| The page says |")[1]!;
  const cells = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, cell = ""]) => cell);
  const sentences = cells.flatMap((cell) => cell.match(/[^.]+\.(?= |$)/g) ?? []);

  test("is what the code says", () => {
    const parts = sentences.flatMap((sentence) => sentence.replace(/\.$/, "").split("…"));
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.filter((part) => !source.includes(part.trim()))).toEqual([]);
  });

  test("is all in the table", () => {
    const verdicts = [...source.split("/** The ids in a list")[0]!.matchAll(/"([A-Z][^".]{15,}\.)/g)];
    expect(verdicts.length).toBeGreaterThan(7);
    expect(verdicts.map(([, sentence]) => sentence).filter((sentence) => !table.includes(sentence!))).toEqual(
      [],
    );
  });
});
