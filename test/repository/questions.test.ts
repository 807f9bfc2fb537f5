import { beforeAll, describe, expect, test } from "vitest";
import { exampleCompany } from "../../sandbox/index.ts";
import { withPart } from "../../tools/generate/part-of-page.ts";
import { type TrueAnswers, trueAnswers } from "../end-to-end/dbt/support/truth.ts";
import { companyFile, documentText, sqlBlocks } from "../support/company-file.ts";

/**
 * `docs/questions.md`: its SQL on a file of a sync, against what the sandbox's own lists say. That DuckDB and the analyses of
 * the dbt package answer the same is tested by `test/end-to-end/dbt/questions.slow.ts`. To write the example of the page
 * again after a change, run this with -u and look at what changed.
 */
const PAGE = "docs/questions.md";
const SHOWN_ROWS = 5;

type Row = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<"content" | "tag" | "score", string>> & { readonly rating?: number };

const page = documentText(PAGE);
const questions = sqlBlocks(page).filter(({ heading }) => heading.endsWith("?"));

const results = new Map<string, readonly Row[]>();
let responses: readonly TrueAnswers[];
/** By their ids: the names of the surveys, and the words of the questions. */
let names: ReadonlyMap<unknown, unknown>;

beforeAll(async () => {
  const { sandbox, rowsOf } = await companyFile();
  responses = await trueAnswers(sandbox.service);
  for (const { heading, sql } of questions) results.set(heading, rowsOf(sql));
  const named = rowsOf("select id, name from surveys union all select id, question from survey_questions");
  names = new Map(named.map(({ id, name }) => [id, name]));
});

/** The result of the SQL below the heading that has these words. */
function resultOf(words: string): readonly Row[] {
  const found = [...results].find(([heading]) => heading.includes(words));
  if (found === undefined) throw new Error(`The page has no SQL below a heading with "${words}".`);
  return found[1];
}
/** Rows as texts, in an order of their own. A score of 10 and 10.0 is the same. */
const lines = (rows: readonly Row[]): string[] =>
  rows.map((row) => Object.values(row).join(" | ")).toSorted();

/** Each answered question of each response. */
const elements = () =>
  responses.flatMap((response) =>
    response.elements.map((element) => ({
      ...response,
      day: response.collected_at.slice(0, 10),
      survey_name: names.get(response.survey_id),
      question: names.get(element.question_id),
      question_id: element.question_id,
      question_type: element.question_type,
      answer: element.answer as Answer,
      answers: (element.answers ?? []) as readonly (Answer & { readonly rank?: number })[],
    })),
  );
const scores = () => elements().filter(({ answer }) => answer?.tag !== undefined);
const ratings = () => elements().filter(({ answer }) => answer?.rating !== undefined);
const share = (part: number, whole: number) => Math.round((100 * part) / whole);
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

test("each of the ten questions has its SQL, and a link to its analysis", () => {
  expect(questions).toHaveLength(10);
  expect(new Set(questions.map(({ heading }) => heading)).size).toBe(10);
  const sections = page.split(/^## (?=.+\?$)/m).slice(1);
  expect(sections.map((section) => /\.\.\/dbt\/analyses\/\w+\.sql/.test(section))).toEqual(
    questions.map(() => true),
  );
});

test.each(questions)("$heading has an answer", ({ heading }) => {
  expect(results.get(heading)!.length).toBeGreaterThan(2);
});

describe("the answer is the truth:", () => {
  test("the NPS of each month, and its change", () => {
    const questionsWithScores = Map.groupBy(scores(), ({ question_id }) => question_id);
    const expected = [...questionsWithScores.values()].flatMap((ofQuestion) => {
      const months = Map.groupBy(ofQuestion, ({ day }) => day.slice(0, 7));
      let before: number | undefined;
      return [...months.keys()].toSorted().map((month) => {
        const given = months.get(month)!;
        const points = given.map(({ answer }) => ({ promoter: 100, detractor: -100 })[answer.tag] ?? 0);
        const nps = sumOf(points) / points.length;
        const change = before === undefined ? null : nps - before;
        before = nps;
        const { survey_name, question } = given[0]!;
        return { survey_name, question, month, nps, change, answers: given.length };
      });
    });
    const found = resultOf("NPS change");
    const keyOf = ({ survey_name, question, month }: Row) => `${survey_name} ${question} ${month}`;
    const rows = new Map(found.map((row) => [keyOf(row), row]));
    expect([...rows.keys()].toSorted()).toEqual(expected.map(keyOf).toSorted());
    for (const { nps, change, ...row } of expected) {
      const { nps: shown, change: shownChange, ...others } = rows.get(keyOf(row))!;
      expect(others).toEqual(row);
      expect(Math.abs(Number(shown) - nps)).toBeLessThanOrEqual(0.5);
      if (change === null) expect(shownChange).toBeNull();
      else expect(Math.abs(Number(shownChange) - change)).toBeLessThanOrEqual(0.5);
    }
  });

  test("what detractors write", () => {
    const lowest = new Map<string, number>();
    for (const { uuid, answer } of scores().filter((one) => one.answer.tag === "detractor"))
      lowest.set(uuid, Math.min(lowest.get(uuid) ?? 10, Number(answer.content)));
    const expected = elements().flatMap(({ uuid, day, survey_name, question, answer }) => {
      const words = typeof answer === "string" ? String(answer).trim() : "";
      const lowest_score = lowest.get(uuid);
      return words === "" || lowest_score === undefined
        ? []
        : [{ day, survey_name, question, lowest_score, words }];
    });
    expect(lines(resultOf("detractors write"))).toEqual(lines(expected));
  });

  test("who changed from detractor to promoter", () => {
    const inTime = scores().toSorted((one, other) => (one.collected_at < other.collected_at ? -1 : 1));
    const last = new Map<string, Answer>();
    const expected = inTime.flatMap(({ respondent, question_id, answer, day, survey_name, question }) => {
      const key = `${respondent} ${question_id}`;
      const before = last.get(key);
      last.set(key, answer);
      const hasChanged = before?.tag === "detractor" && answer.tag === "promoter";
      return hasChanged
        ? [{ day, survey_name, question, respondent, before: before.content, score: answer.content }]
        : [];
    });
    expect(lines(resultOf("Who changed"))).toEqual(lines(expected));
  });

  test("which answers come from which device", () => {
    const chosen = elements().filter(
      ({ question_type, answer }) =>
        question_type === "single" && answer?.content !== undefined && answer.tag === undefined,
    );
    const groups = Map.groupBy(chosen, ({ question_id, device_type }) => `${question_id} ${device_type}`);
    const expected = [...groups.values()].flatMap((given) =>
      [...Map.groupBy(given, ({ answer }) => answer.content)].map(([content, of]) => {
        const { survey_name, question, device_type } = of[0]!;
        const percent = share(of.length, given.length);
        return { survey_name, question, device_type, content, percent, responses: of.length };
      }),
    );
    expect(lines(resultOf("which device"))).toEqual(lines(expected));
  });

  test("what matters most", () => {
    const ranked = elements().flatMap(({ answers, ...one }) =>
      answers.flatMap(({ content, rank }) => (rank === undefined ? [] : [{ ...one, content, rank }])),
    );
    const expected = [...Map.groupBy(ranked, ({ content }) => content)].map(([item, of]) => ({
      survey_name: of[0]!.survey_name,
      question: of[0]!.question,
      item,
      average_rank: Number((sumOf(of.map(({ rank }) => rank)) / of.length).toFixed(2)),
      times_first: of.filter(({ rank }) => rank === 1).length,
      times_ranked: of.length,
    }));
    expect(lines(resultOf("matters most"))).toEqual(lines(expected));
    const ranks = resultOf("matters most").map(({ average_rank }) => Number(average_rank));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });

  test("which part of a matrix gets which grade", () => {
    const graded = elements().flatMap(({ answers, ...one }) =>
      answers.flatMap(({ content, score }) => (score === undefined ? [] : [{ ...one, content, score }])),
    );
    const parts = Map.groupBy(graded, ({ content }) => content);
    const expected = [...parts].flatMap(([part, given]) =>
      [...Map.groupBy(given, ({ score }) => score)].map(([grade, of]) => {
        const { survey_name, question } = of[0]!;
        const percent = share(of.length, given.length);
        return { survey_name, question, part, grade, percent, responses: of.length };
      }),
    );
    expect(lines(resultOf("part of a matrix"))).toEqual(lines(expected));
  });

  test("how many responses come each week", () => {
    const mondayOf = (time: string): string => {
      const day = new Date(`${time.slice(0, 10)}T00:00:00Z`);
      day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
      return day.toISOString().slice(0, 10);
    };
    const weeks = responses.map((one) => `${names.get(one.survey_id)} | ${mondayOf(one.collected_at)}`);
    const expected = [...Map.groupBy(weeks, (week) => week)].map(([week, of]) => `${week} | ${of.length}`);
    expect(expected.length).toBeGreaterThan(50);
    expect(lines(resultOf("each week"))).toEqual(expected.toSorted());
  });

  test("which questions stay unanswered most often", () => {
    const expected = [...Map.groupBy(elements(), ({ question_id }) => question_id).values()].map((given) => {
      const times = given.map(({ collected_at }) => collected_at).toSorted();
      const { survey_id, survey_name, question } = given[0]!;
      const isWithin = (time: string) => time >= times[0]! && time <= times.at(-1)!;
      const whole = responses.filter(
        (one) => one.survey_id === survey_id && isWithin(one.collected_at),
      ).length;
      const unanswered = whole - new Set(given.map(({ uuid }) => uuid)).size;
      return { survey_name, question, percent: share(unanswered, whole), unanswered, responses: whole };
    });
    const found = resultOf("unanswered");
    expect(lines(found)).toEqual(lines(expected));
    const percents = found.map(({ percent }) => Number(percent));
    expect(percents).toEqual(percents.toSorted((a, b) => b - a));
  });

  test("after which tickets customers are unhappy", () => {
    const expected = ratings()
      .filter(({ answer }) => answer.rating! <= 2)
      .map(({ url, day, survey_name, question, answer }) => {
        const ticket = new URL(url).searchParams.get("ticket_id");
        return { ticket, day, survey_name, question, rating: answer.rating, words: answer.content };
      });
    expect(lines(resultOf("tickets"))).toEqual(lines(expected));
  });

  test("whether respondents on a more expensive plan are more satisfied", () => {
    const plans = new Map(exampleCompany().respondents.map((one) => [one.uuid, one.attributes?.[0]?.value]));
    const rated = ratings().filter(({ question_type }) => question_type === "csat");
    const groups = Map.groupBy(rated, ({ question_id, respondent }) => {
      return `${question_id} ${plans.get(respondent)}`;
    });
    const expected = [...groups.values()].map((given) => {
      const { survey_name, question, respondent } = given[0]!;
      const grades = given.map(({ answer }) => answer.rating!);
      const csat = share(grades.filter((grade) => grade >= 4).length, grades.length);
      const average_rating = Number((sumOf(grades) / grades.length).toFixed(2));
      const plan = plans.get(respondent);
      return { survey_name, question, plan, csat, average_rating, ratings: grades.length };
    });
    expect(lines(resultOf("plan"))).toEqual(lines(expected));
  });
});

test("the page has the result of its example", async () => {
  const filled = withPart(page, "result: nps_by_month", table(resultOf("NPS change")));
  expect(filled).toContain("| Onboarding |");
  await expect(filled).toMatchFileSnapshot(`../../${PAGE}`);
});

/** The first rows as a table in Markdown, and how many more there are. */
function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly unknown[]) => `| ${cells.map((cell) => String(cell ?? "")).join(" | ")} |`;
  const shown = rows.slice(0, SHOWN_ROWS).map((row) => line(columns.map((name) => row[name])));
  const more = rows.length > SHOWN_ROWS ? [`\n… and ${rows.length - SHOWN_ROWS} more rows.`] : [];
  return `${[line(columns), line(columns.map(() => "---")), ...shown, ...more].join("\n")}\n`;
}
