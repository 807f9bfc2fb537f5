import { monthsLine } from "./chart.ts";
import { type Html, html, NOTHING, ownWords } from "./html.ts";
import { type Answers, answersIn, FEW_ANSWERS, type Measure, marginOf, shownScore } from "./measure.ts";
import { monthName, monthsUpTo, spanName } from "./months.ts";
import { plural } from "./numbers.ts";
import type { Places } from "./places.ts";

/** So many questions are on the first screen; the others are one click away. */
const FIRST = 10;
const MONTHS_OF_THE_LINE = 12;
const MONTHS_OF_A_PERIOD = 3;

/**
 * The first screen: the NPS of each question, then the CSAT, of the last three months, of the three before, and of all.
 * `lastMonth`: the month of the newest response; undefined without responses.
 */
export function howAreWeDoing(
  measures: readonly Measure[],
  lastMonth: string | undefined,
  places: Places,
): Html {
  if (lastMonth === undefined) return NOTHING;
  if (measures.length === 0)
    return html`<section><h2>How are we doing?</h2>
<p>No question asks for an NPS score or a satisfaction (CSAT) from 1 to 5, so there is no figure to begin with.</p></section>`;
  const latest = monthsUpTo(lastMonth, MONTHS_OF_A_PERIOD);
  const before = monthsUpTo(lastMonth, 2 * MONTHS_OF_A_PERIOD).slice(0, MONTHS_OF_A_PERIOD);
  const line = monthsUpTo(lastMonth, MONTHS_OF_THE_LINE);
  const firstMonth = measures.flatMap(({ months }) => [...months.keys()]).toSorted()[0] ?? "";
  const rows = measures
    .toSorted(
      (a, b) =>
        Number(a.kind === "csat") - Number(b.kind === "csat") ||
        answersIn(b, latest).answers - answersIn(a, latest).answers ||
        answersIn(b).answers - answersIn(a).answers,
    )
    .map((measure) => row(measure, { latest, before, line, firstMonth }, places));
  const table = (some: readonly Html[]): Html => html`<table class="measures">
<thead><tr><th scope="col">Question</th><th scope="col">Last three months<small>${spanName(latest)}</small></th>
<th scope="col">Three months before<small>${spanName(before)}</small></th><th scope="col">All<small>since ${monthName(firstMonth)}</small></th>
<th scope="col">By month<small>${monthName(line[0] ?? "")} to ${monthName(lastMonth)}</small></th></tr></thead>
<tbody>${some}</tbody></table>`;
  const more = rows.slice(FIRST);
  return html`<section id="how-are-we-doing"><h2>How are we doing?</h2>
${table(rows.slice(0, FIRST))}
${more.length === 0 ? NOTHING : html`<details><summary>${plural(more.length, "more question")}</summary>${table(more)}</details>`}
<p class="note">NPS: promoters (9, 10) less detractors (0 to 6), from -100 to +100. CSAT: the share of 4 and 5 among ratings from 1 to 5. The ± is
the margin at 95 % confidence: by chance alone a figure is seldom further off. Months are in UTC. To check a figure: the views <code>nps_by_month</code> and <code>csat_by_month</code> of the file.</p></section>`;
}

interface Periods {
  readonly latest: readonly string[];
  readonly before: readonly string[];
  readonly line: readonly string[];
  readonly firstMonth: string;
}

function row(measure: Measure, { latest, before, line, firstMonth }: Periods, places: Places): Html {
  const { kind, surveyId, questionId, question } = measure;
  return html`<tr>
<th scope="row"><a href="#${places.questionAnchor(surveyId, questionId)}">${ownWords(question ?? `Question ${questionId}`)}</a>
<small><b>${kind === "nps" ? "NPS" : "CSAT"}</b> · ${ownWords(places.nameOf(surveyId))}</small></th>
<td data-name="${spanName(latest)}">${figure(kind, answersIn(measure, latest))}</td>
<td data-name="${spanName(before)}">${figure(kind, answersIn(measure, before))}</td>
<td data-name="All since ${monthName(firstMonth)}">${figure(kind, answersIn(measure))}</td>
<td class="by-month">${monthsLine(measure, line)}${ends(measure, line)}</td></tr>`;
}

/** A figure with its margin and its number of answers. */
function figure(kind: Measure["kind"], of: Answers): Html {
  const { answers } = of;
  if (answers === 0) return html`<span class="few">no answers</span>`;
  const isFew = answers < FEW_ANSWERS;
  return html`${score(kind, of)}${answers === 1 ? NOTHING : html`<small>${isFew ? "only " : ""}${plural(answers, "answer")}</small>`}`;
}

/**
 * A score with its margin. Of fewer than 30 answers it is not emphasized, and one answer is none: a bold +100 of one person would
 * mislead.
 */
export function score(kind: Measure["kind"], of: Answers): Html {
  if (of.answers === 1) return html`<span class="few">one answer</span>`;
  const shown = shownScore(kind, of);
  const margin = Math.round(marginOf(of));
  const plusMinus = margin > 0 ? html` <span class="margin">± ${margin}</span>` : NOTHING;
  return of.answers < FEW_ANSWERS
    ? html`<span class="few">${shown}${plusMinus}</span>`
    : html`<strong>${shown}</strong>${plusMinus}`;
}

/** The first and the last value of the line, so that one can read it. */
function ends({ kind, months }: Measure, names: readonly string[]): Html {
  const shown = names.filter((name) => months.has(name));
  const text = (name: string | undefined): string => {
    const of = name === undefined ? undefined : months.get(name);
    return name && of ? `${monthName(name)}: ${shownScore(kind, of)}` : "";
  };
  return html`<span class="ends"><span>${text(shown[0])}</span><span>${shown.length > 1 ? text(shown.at(-1)) : ""}</span></span>`;
}
