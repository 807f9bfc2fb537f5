import { busiestMinute, type MonthlyScore, perSecond, requestChart, scoreChart } from "./charts.ts";
import type { Row } from "./delivery.ts";
import { COLOR_STYLE, drawn, escaped } from "./picture.ts";
import { type AnswerFields, byQuestion, csatOf, isCsat, isNps, npsOf, signed } from "./scores.ts";
import { type Report, sumOf } from "./story.ts";
import { counted } from "./terminal.ts";

const SHOWN_TEXTS = 9;

interface CountedScore extends MonthlyScore {
  readonly answers: number;
}

/**
 * The page: one file that asks for nothing else and runs no script, as its policy demands. Everything in it comes
 * from the records that were read, except the requests.
 */
export async function page(report: Report): Promise<string> {
  const parts = [
    tiles(report),
    await npsSection(report.answers),
    await csatSection(report.answers),
    textsSection(report.answers),
    await requestsSection(report),
    deliverySection(report),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Survey Export: what people said</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<h1>What people said</h1>
<p>Three surveys of a made-up company, read by <code>source-survey-export</code>. It was killed half way and resumed.</p>
</header>
${parts.join("\n")}
<footer>Everything but the requests comes from the records that were read. This file loads nothing and runs no script.</footer>
</main>
</body>
</html>
`;
}

function tiles({ responses, streams, requestsMs, allowancePerMinute }: Report): string {
  const shown = [
    [counted(responses.length), "responses read"],
    [counted(sumOf(streams, "missing")), "records missing"],
    [counted(sumOf(streams, "again")), `of ${counted(sumOf(streams, "there"))} records delivered twice`],
    [counted(busiestMinute(requestsMs)), `of ${counted(allowancePerMinute)} requests in the busiest minute`],
  ];
  const items = shown.map(([number, what]) => `<li><strong>${number}</strong> <span>${what}</span></li>`);
  return `<ul class="tiles">${items.join("")}</ul>`;
}

async function npsSection(answers: readonly Row["data"][]): Promise<string> {
  const questions = byQuestion(answers.filter(isNps));
  const scores = monthly(surveysIn(answers), questions, (of) => npsOf(of).score);
  const all = [...questions].map(([name, of]) => `${name} ${signed(npsOf(of).score)}`).join("; ");
  const chart = await drawn(
    scoreChart(scores, { title: "NPS", range: [-100, 100], written: signed }),
    `Net promoter score by month, a line for each question. All in all: ${all}.`,
  );
  return section(
    "Would they recommend us?",
    "Net promoter score by month, from -100 to 100: the share of promoters (9 or 10) less the share of detractors (0 to 6).",
    chart,
    scoreTable(scores, signed),
  );
}

async function csatSection(answers: readonly Row["data"][]): Promise<string> {
  const scores = monthly(surveysIn(answers), byQuestion(answers.filter(isCsat)), csatOf);
  const percent = (score: number): string => `${Math.round(score)} %`;
  const chart = await drawn(
    scoreChart(scores, { title: "CSAT, %", range: [0, 100], written: percent }),
    "Customer satisfaction by month in percent, a line for each question.",
  );
  return section(
    "Are they satisfied?",
    "CSAT by month: the share of ratings of 4 or 5 out of 5.",
    chart,
    scoreTable(scores, percent),
  );
}

/**
 * The score of each question in each month in which somebody answered it, in the order of time. The first question of
 * a survey has the survey's look, the same in each chart.
 */
function monthly(
  surveys: readonly unknown[],
  questions: ReadonlyMap<string, readonly (Row["data"] & AnswerFields)[]>,
  scoreOf: (answers: readonly AnswerFields[]) => number,
): CountedScore[] {
  const looks = new Set<number>();
  const lookOf = (survey: unknown): number => {
    const own = surveys.indexOf(survey);
    const look = looks.has(own) ? Math.max(surveys.length - 1, ...looks) + 1 : own;
    looks.add(look);
    return look;
  };
  const scores = [...questions].flatMap(([name, answers]) => {
    const look = lookOf(answers[0]!.survey_id);
    const months = Map.groupBy(answers, ({ collected_at: at }) => String(at).slice(0, 7));
    return [...months].map(([month, of]) => ({ name, look, month, score: scoreOf(of), answers: of.length }));
  });
  return scores.toSorted((one, other) => one.month.localeCompare(other.month));
}

const surveysIn = (answers: readonly Row["data"][]): unknown[] =>
  [...new Set(answers.map(({ survey_id: id }) => id))].toSorted();

function scoreTable(scores: readonly CountedScore[], written: (score: number) => string): string {
  const names = [...new Set(scores.map(({ name }) => name))];
  const months = [...Map.groupBy(scores, ({ month }) => month)];
  const rows = months.map(([month, of]) => [
    month,
    ...names.map((name) => {
      const found = of.find((one) => one.name === name);
      return found === undefined ? "" : `${written(found.score)} (${found.answers})`;
    }),
  ]);
  return table(["Month (answers)", ...names], rows);
}

function textsSection(answers: readonly Row["data"][]): string {
  const scores = new Map(answers.filter(isNps).map((row) => [row.response_uuid, row.value_number]));
  const newest = answers
    .filter(({ answer_type: type, value_text: text }) => type === "text" && text)
    .toSorted((one, other) => String(other.collected_at).localeCompare(String(one.collected_at)));
  const once = [...Map.groupBy(newest, ({ value_text: text }) => text).values()].map(([first]) => first!);
  const items = once
    .slice(0, SHOWN_TEXTS)
    .map(({ value_text: text, survey_name: name, collected_at: at, response_uuid: uuid }) => {
      const score = scores.get(uuid);
      const scored = score === undefined ? "" : ` · scored ${score} of 10`;
      const when = String(at).slice(0, 16).replace("T", " ");
      return `<li><blockquote>${escaped(text)}</blockquote><p>${escaped(`${name} · ${when}${scored}`)}</p></li>`;
    });
  return `<section><h2>What they wrote</h2><p>The newest answers in people's own words, each sentence once.</p><ul class="texts">${items.join("")}</ul></section>`;
}

async function requestsSection(report: Report): Promise<string> {
  const { requestsMs, allowancePerMinute } = report;
  const rows = perSecond(requestsMs).map((count, second) => [`${second} to ${second + 1} s`, count]);
  return section(
    "How often was the service asked?",
    `${counted(requestsMs.length)} requests in ${Math.ceil(Math.max(0, ...requestsMs) / 1_000)} seconds. The service allows ${counted(allowancePerMinute)} in any minute. Nothing was asked between the kill and the resume.`,
    await requestChart(report),
    table(["Second", "Requests"], rows),
  );
}

function deliverySection({ streams }: Report): string {
  const rows = streams.map(({ stream, there, first, second, again, missing }) => [
    ...[stream, ...[there, first, second, again, missing].map(counted)],
  ]);
  const heads = ["Stream", "In the service", "Killed read", "Resumed read", "Delivered twice", "Missing"];
  return `<section><h2>Did everything arrive?</h2><p>What both reads delivered, compared with what the service holds. A record comes twice if the killed program wrote it after its last state, or if somebody answered again. In a table with the primary key it is there once.</p><div class="wide">${table(heads, rows)}</div></section>`;
}

const section = (title: string, about: string, chart: string, numbers: string): string =>
  `<section><h2>${escaped(title)}</h2><p>${escaped(about)}</p><figure class="wide">${chart}</figure><details><summary>The same as a table</summary><div class="wide">${numbers}</div></details></section>`;

/** A table of texts and numbers. The first cell of each row names it. */
function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const head = heads.map((cell) => `<th scope="col">${escaped(cell)}</th>`).join("");
  const body = rows.map(
    ([name, ...cells]) =>
      `<tr><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`,
  );
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}

/** The page's style sheet. Its variables are the colours of the charts, too. */
const STYLE = `
${COLOR_STYLE}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 0; font-size: 1.3rem; }
h1 + p, h2 + p { margin: 0.3rem 0 1rem; color: var(--soft); max-width: 42rem; }
section { margin-top: 3rem; }
.tiles, .texts { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.75rem; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); margin-top: 1.5rem; }
.tiles li, .texts li { background: var(--card); border-radius: 0.6rem; padding: 0.9rem 1rem; }
.tiles strong { display: block; font-size: 2rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tiles span, .texts p, footer { color: var(--soft); font-size: 0.9rem; }
.texts { grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); }
.texts li { border-left: 4px solid var(--series-1); display: flex; flex-direction: column; justify-content: space-between; }
blockquote, .texts p { margin: 0; overflow-wrap: anywhere; }
.texts p { margin-top: 0.4rem; }
figure { margin: 0; }
.wide { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; min-width: 34rem; }
details { margin-top: 0.5rem; }
summary { cursor: pointer; color: var(--soft); font-size: 0.9rem; }
table { border-collapse: collapse; margin-top: 0.5rem; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: right; border-bottom: 1px solid var(--faint); }
th:first-child { text-align: left; font-weight: 500; }
thead th { color: var(--soft); font-weight: 500; }
footer { margin-top: 3rem; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
`;
