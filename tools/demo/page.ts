import {
  busiestMinute,
  COLORS,
  FEW_ANSWERS,
  type MonthlyScore,
  type Requests,
  requestChart,
  type ScoreChart,
  scoreChart,
} from "./charts.ts";
import { byQuestion, csatOf, type Data, isCsat, isNps, nameOf, npsOf, signed } from "./scores.ts";
import type { Compared } from "./source.ts";
import { counted, escaped } from "./terminal.ts";

/** What the page is drawn from. */
export interface Report extends Requests {
  /** The records of `survey_answers`, each key once. */
  readonly answers: readonly Data[];
  /** How many responses were read. */
  readonly responses: number;
  readonly streams: readonly Compared[];
  /** How many records came more than once. */
  readonly twice: number;
  /** The requests of the last sync, which reads only what is new. */
  readonly nextRequests: number;
}

const SHOWN_TEXTS = 9;

/**
 * The page: one file that asks for nothing else and runs no script, as its policy demands. Everything in it comes
 * from the records that were read, except the requests.
 */
export function page(report: Report): string {
  const parts = [
    tiles(report),
    scoreSection(
      "Would they recommend us?",
      "Net promoter score by month, from -100 to 100: the share of promoters (9 or 10) less the share of detractors (0 to 6).",
      scoresByMonth(report.answers, isNps, npsOf),
      { title: "NPS", axis: [-100, -50, 0, 50, 100], written: signed },
    ),
    scoreSection(
      "Are they satisfied?",
      "CSAT by month: the share of ratings of 4 or 5 out of 5.",
      scoresByMonth(report.answers, isCsat, csatOf),
      { title: "CSAT, %", axis: [0, 20, 40, 60, 80, 100], written: (score) => `${Math.round(score)} %` },
    ),
    textsSection(report.answers),
    requestsSection(report),
    comparisonSection(report),
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
<p>The surveys of a made-up company, read by <code>source-survey-export</code>. It was killed halfway and resumed.</p>
</header>
${parts.join("\n")}
<footer>Everything but the requests comes from the records that were read. This file loads nothing and runs no script.</footer>
</main>
</body>
</html>
`;
}

function tiles({ responses, streams, nextRequests, requestsMs, allowancePerMinute }: Report): string {
  const sum = (column: "there" | "missing") => streams.reduce((all, stream) => all + stream[column], 0);
  const shown = [
    [responses, "responses read"],
    [sum("missing"), `of ${counted(sum("there"))} records missing`],
    [nextRequests, "requests in the next sync, which reads only what is new"],
    [busiestMinute(requestsMs), `of ${counted(allowancePerMinute)} requests in the busiest minute`],
  ] as const;
  const items = shown.map(
    ([number, what]) => `<li><strong>${counted(number)}</strong> <span>${what}</span></li>`,
  );
  return `<ul class="tiles">${items.join("")}</ul>`;
}

/**
 * The score of each question in each month in which somebody answered it, oldest month first. The first question of a
 * survey has the survey's look, the same in each chart.
 */
function scoresByMonth(
  all: readonly Data[],
  isScored: (answer: Data) => boolean,
  scoreOf: (answers: readonly Data[]) => number,
): MonthlyScore[] {
  const surveys: unknown[] = [...new Set(all.map(({ survey_id: id }) => id))].toSorted();
  const looks = new Set<number>();
  const scores = byQuestion(all.filter(isScored)).flatMap(({ survey, question, answers }) => {
    const own = surveys.indexOf(answers[0]!.survey_id);
    const look = looks.has(own) ? Math.max(surveys.length - 1, ...looks) + 1 : own;
    looks.add(look);
    const months = Map.groupBy(answers, ({ collected_at: at }) => String(at).slice(0, 7));
    return [...months].map(([month, of]) => {
      return { survey, question, look, month, score: scoreOf(of), answers: of.length };
    });
  });
  return scores.toSorted((one, other) => one.month.localeCompare(other.month));
}

function scoreSection(
  title: string,
  about: string,
  scores: readonly MonthlyScore[],
  chart: Omit<ScoreChart, "label">,
): string {
  const names = [...new Set(scores.map(nameOf))];
  const rows = [...Map.groupBy(scores, ({ month }) => month)].map(([month, of]) => [
    month,
    ...names.map((name) => {
      const found = of.find((one) => nameOf(one) === name);
      return found === undefined ? "" : `${chart.written(found.score)} (${found.answers})`;
    }),
  ]);
  const few = scores.some(({ answers }) => answers < FEW_ANSWERS)
    ? ` A hollow point stands for fewer than ${FEW_ANSWERS} answers; below its month is how many each question has.`
    : "";
  const label = `${chart.title} by month, a line for each question: ${names.join("; ")}.`;
  return section(
    title,
    about + few,
    (isNarrow) => scoreChart(scores, { ...chart, label, isNarrow }),
    `<details><summary>The same as a table</summary><div class="wide">${table(["Month (answers)", ...names], rows)}</div></details>`,
  );
}

function textsSection(answers: readonly Data[]): string {
  const scores = new Map(answers.filter(isNps).map((row) => [row.response_uuid, row.value_number]));
  const newest = answers
    .filter(({ answer_type: type, value_text: text }) => type === "text" && text)
    .toSorted((one, other) => String(other.collected_at).localeCompare(String(one.collected_at)));
  const once = [...Map.groupBy(newest, ({ value_text: text }) => text).values()].map(([first]) => first!);
  const items = once
    .slice(0, SHOWN_TEXTS)
    .map(({ value_text: text, survey_name: name, question, collected_at: at, response_uuid: uuid }) => {
      const score = scores.get(uuid);
      const scored = score === undefined ? "" : ` · scored ${score} of 10`;
      const when = String(at).slice(0, 16).replace("T", " ");
      return `<li><blockquote>${escaped(text)}</blockquote><p>${escaped([question ?? name, `${when}${scored}`].join(" · "))}</p></li>`;
    });
  return `<section><h2>What they wrote</h2><p>The newest answers in people's own words, each sentence once.</p><ul class="texts">${items.join("")}</ul></section>`;
}

function requestsSection(report: Report): string {
  const { requestsMs, allowancePerMinute } = report;
  const seconds = Math.ceil(Math.max(0, ...requestsMs) / 1_000);
  const label = `Requests in the last minute: at most ${busiestMinute(requestsMs)}, and ${allowancePerMinute} are allowed. Below, the requests of each second: none between the kill and the resume.`;
  return section(
    "How often was the service asked?",
    `${counted(requestsMs.length)} requests in ${seconds} seconds. The service allows ${counted(allowancePerMinute)} in any minute. Nothing was asked between the kill and the resume.`,
    (isNarrow) => requestChart(report, label, isNarrow),
  );
}

function comparisonSection({ streams, twice }: Report): string {
  const rows = streams.map(({ stream, there, read, missing }) => [
    stream,
    ...[there, read, missing].map(counted),
  ]);
  return `<section><h2>Did everything arrive?</h2><p>What was read, compared with what is in the sandbox.</p><div class="wide">${table(["Stream", "In the sandbox", "Read", "Missing"], rows)}</div><p class="note">${counted(twice)} records came twice: the killed program wrote them after its last state, or a later sync read them again to be sure. In a table with the primary key each is there once.</p></section>`;
}

/** A section with a chart for wide windows and one for phones, of which the window shows one. */
const section = (title: string, about: string, chart: (isNarrow: boolean) => string, below = ""): string =>
  `<section><h2>${escaped(title)}</h2><p>${escaped(about)}</p><figure class="on-screens">${chart(false)}</figure><figure class="on-phones">${chart(true)}</figure>${below}</section>`;

/** A table of texts and numbers. The first cell of each row names it. */
function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const head = heads.map((cell) => `<th scope="col">${escaped(cell)}</th>`).join("");
  const body = rows.map(
    ([name, ...cells]) =>
      `<tr><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`,
  );
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}

/** The page's style sheet. */
const STYLE = `
${COLORS}
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
.tiles span, .texts p, .note, footer { color: var(--soft); font-size: 0.9rem; }
.texts { grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); }
.texts li { border-left: 4px solid var(--series-1); display: flex; flex-direction: column; justify-content: space-between; }
blockquote, .texts p { margin: 0; overflow-wrap: anywhere; }
.texts p { margin-top: 0.4rem; }
figure { margin: 0; }
.wide { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; }
.on-phones { display: none; }
details { margin-top: 0.5rem; }
summary { cursor: pointer; color: var(--soft); font-size: 0.9rem; }
table { border-collapse: collapse; margin-top: 0.5rem; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: right; border-bottom: 1px solid var(--faint); }
th:first-child { text-align: left; font-weight: 500; }
thead th { color: var(--soft); font-weight: 500; vertical-align: bottom; }
.note { max-width: 42rem; }
footer { margin-top: 3rem; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
@media (max-width: 44rem) {
  main { padding: 1.5rem 1rem 2rem; }
  section { margin-top: 2.25rem; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .on-screens { display: none; }
  .on-phones { display: block; max-width: 30rem; }
  .on-phones svg { width: 100%; }
  table { font-size: 0.75rem; }
  th, td { padding-right: 0.3rem; }
  thead th + th { hyphens: auto; overflow-wrap: anywhere; }
}
`;
