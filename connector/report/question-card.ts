import { monthsLine } from "./chart.ts";
import type { QuestionCount, WrittenText } from "./figures.ts";
import { score } from "./how-are-we-doing.ts";
import { type Html, html, NOTHING, ownWords } from "./html.ts";
import { type Answers, answersIn, FEW_ANSWERS, type Measure, shownScore } from "./measure.ts";
import { monthName, monthsBetween, spanName } from "./months.ts";
import { averaged, counted, percent, plural } from "./numbers.ts";
import { grades, type Line, type Showing, secrecyOf, shownAnswers, shownGrades } from "./shown-answers.ts";

/** What a card shows of one question. */
export interface Question {
  readonly anchor: string;
  readonly id: number;
  readonly words: string | null;
  readonly counts: readonly QuestionCount[];
  readonly measures: readonly Measure[];
  readonly texts: readonly WrittenText[];
  /** The responses of its survey, which need not have answered it. */
  readonly responses: number;
  readonly showing: Pick<Showing, "hasTexts" | "isShared">;
}

/** So many months are listed; the view has the others. */
const MOST_MONTHS = 24;

/** One question: its words, then what was answered. */
export function questionCard(question: Question): Html {
  const { anchor, id, words, counts, texts } = question;
  const kinds = Map.groupBy(counts, ({ kind }) => kind);
  const block = (
    kind: QuestionCount["kind"],
    show: (of: readonly QuestionCount[], question: Question) => Html,
  ) => {
    const of = kinds.get(kind);
    return of ? show(of, question) : NOTHING;
  };
  return html`<article id="${anchor}"${texts.length > 0 ? html` class="wide"` : NOTHING}><h3>${ownWords(words ?? `Question ${id}`)}</h3>
${block("nps", npsBlock)}${block("rating", ratingBlock)}${block("choice", choiceBlock)}${block("choices", choiceBlock)}
${block("matrix", matrixBlock)}${block("ranking", rankingBlock)}${block("text", writtenBlock)}${block("form", writtenBlock)}
${block("comment", writtenBlock)}${texts.map(quotation)}</article>`;
}

const answeredBy = (counts: readonly QuestionCount[], { responses }: Question): string => {
  const answered = Math.max(...counts.map((count) => count.answered));
  return `${counted(answered)} of ${plural(Math.max(responses, answered), "response")}`;
};

/** From the first month with an answer to the last. */
const periodOf = ({ months }: Measure): string => spanName([...months.keys()].toSorted());

const few = ({ answers }: Answers): string =>
  answers < FEW_ANSWERS ? `, of only ${plural(answers, "answer")}` : "";

const GROUPS = ["promoter", "passive", "detractor"] as const;

function npsBlock(counts: readonly QuestionCount[], question: Question): Html {
  const measure = question.measures.find(({ kind }) => kind === "nps");
  if (!measure) return NOTHING;
  const all = answersIn(measure);
  const bars = GROUPS.map((group) => {
    const responses = counts.find(({ answer }) => answer === group)?.responses ?? 0;
    return bar({ kind: "words", label: `${group}s`, responses, isShare: true }, all.answers, group);
  });
  return html`<p class="figure">${score("nps", all)} <span>NPS, ${periodOf(measure)}${few(all)} · ${answeredBy(counts, question)}</span></p>
<ul class="bars">${bars}</ul>${monthsOf(measure, "nps_by_month")}`;
}

/** A scale: CSAT, or the average of its grades. */
function ratingBlock(counts: readonly QuestionCount[], question: Question): Html {
  const measure = question.measures.find(({ kind }) => kind === "csat");
  const lines = shownGrades(counts, { ...question.showing });
  const onScale = grades(counts);
  const answers = onScale.reduce((sum, { responses }) => sum + responses, 0);
  const average = onScale.reduce((sum, { grade, responses }) => sum + grade * responses, 0) / answers;
  const head = measure
    ? html`<p class="figure">${score("csat", answersIn(measure))} <span>satisfied (4 or 5 of 5), ${periodOf(measure)}${few(answersIn(measure))} · ${answeredBy(counts, question)}</span></p>`
    : html`<p class="figure">${answers > 1 ? html`<strong class="plain">${averaged(average)}</strong> <span>on average · ` : html`<span>`}${answeredBy(counts, question)}</span></p>`;
  return html`${head}${barsOf(lines, answeredOf(counts))}${measure ? monthsOf(measure, "csat_by_month") : NOTHING}`;
}

const answeredOf = (counts: readonly QuestionCount[]): number =>
  Math.max(...counts.map(({ answered }) => answered));

function choiceBlock(counts: readonly QuestionCount[], question: Question): Html {
  const isSeveral = counts[0]?.kind === "choices";
  const note = isSeveral ? " · several answers possible" : "";
  const lines = shownAnswers(counts, { ...question.showing, isSeveral });
  return html`<p class="figure"><span>${answeredBy(counts, question)}${note}</span></p>${barsOf(lines, answeredOf(counts))}`;
}

/** The parts of a matrix or a ranking, in the survey's order; those that somebody may have written as one. */
function itemsOf(counts: readonly QuestionCount[], { showing }: Question) {
  const items = Map.groupBy(counts, ({ item, item_place: place }) =>
    secrecyOf({ answer: item, place }, { ...showing }) === "shown" ? (item ?? "") : "",
  );
  return [...items.entries()]
    .map(([item, of]) => ({ item, of, place: of[0]?.item_place ?? Number.MAX_SAFE_INTEGER }))
    .toSorted((a, b) => a.place - b.place || a.item.localeCompare(b.item));
}

const itemName = (item: string): Html =>
  item === "" ? html`<em>Rows that people wrote themselves</em>` : ownWords(item);

function matrixBlock(counts: readonly QuestionCount[], question: Question): Html {
  const rows = itemsOf(counts, question).map(({ item, of }) => {
    const answered = item === "" ? of.reduce((sum, { responses }) => sum + responses, 0) : answeredOf(of);
    return html`<h4>${itemName(item)}<small>${plural(answered, "response")}</small></h4>${barsOf(shownAnswers(of, { ...question.showing }), answered)}`;
  });
  return html`<p class="figure"><span>${answeredBy(counts, question)}</span></p>${rows}`;
}

/** The items from the best place on average. */
function rankingBlock(counts: readonly QuestionCount[], question: Question): Html {
  const items = itemsOf(counts, question).map(({ item, of }) => {
    const ranks = grades(of);
    const responses = ranks.reduce((sum, count) => sum + count.responses, 0);
    const average = ranks.reduce((sum, { grade, ...count }) => sum + grade * count.responses, 0) / responses;
    return { item, responses, average };
  });
  const last = Math.max(...grades(counts).map(({ grade }) => grade));
  const lines = items
    .filter(({ responses }) => responses > 0)
    .toSorted((a, b) => a.average - b.average)
    .map(({ item, responses, average }) => {
      const width = (100 * (last + 1 - average)) / last;
      return html`<li><span>${itemName(item)}</span><span class="value">place ${averaged(average)} on average · ${plural(responses, "response")}</span>${track(width)}</li>`;
    });
  return html`<p class="figure"><span>${answeredBy(counts, question)}</span></p><ul class="bars">${lines}</ul>`;
}

const WRITTEN = { text: "a text in", form: "a filled-in form in", comment: "a comment in" } as const;

function writtenBlock(counts: readonly QuestionCount[], question: Question): Html {
  const kind = counts[0]?.kind;
  if (kind !== "text" && kind !== "form" && kind !== "comment") return NOTHING;
  return html`<p class="figure"><span>${WRITTEN[kind]} ${answeredBy(counts, question)}</span></p>`;
}

const barsOf = (lines: readonly Line[], answered: number): Html =>
  html`<ul class="bars">${lines.map((line) => bar(line, answered))}</ul>`;

function bar({ kind, label, responses, isShare }: Line, answered: number, group = ""): Html {
  const name = kind === "ours" ? html`<em>${label}</em>` : ownWords(label);
  const value = isShare
    ? `${counted(responses)} · ${percent(responses, answered)}`
    : `chosen ${counted(responses)} times`;
  const width = isShare ? (100 * responses) / answered : 0;
  return html`<li><span>${name}</span><span class="value">${value}</span>${isShare ? track(width, group) : NOTHING}</li>`;
}

const track = (width: number, group = ""): Html =>
  html`<div class="track"><div class="bar ${group}" style="width: ${Math.min(100, Math.round(10 * width) / 10)}%"></div></div>`;

/** The values by month, if there are several. */
function monthsOf(measure: Measure, view: string): Html {
  const named = [...measure.months.keys()].toSorted();
  const [first, last] = [named[0], named.at(-1)];
  if (first === undefined || last === undefined || first === last) return NOTHING;
  const all = monthsBetween(first, last);
  const shown = all.slice(-MOST_MONTHS);
  const earlier = all.length > shown.length ? " · the view has the months before" : "";
  const items = shown.map((month) => {
    const of = measure.months.get(month);
    return html`<li>${monthName(month)} ${of ? html`<b>${shownScore(measure.kind, of)}</b> <small>${plural(of.answers, "answer")}</small>` : html`<small>no answers</small>`}</li>`;
  });
  return html`<figure>${monthsLine(measure, shown)}<figcaption><span>by month, the line across is 0</span><span>view <code>${view}</code>${earlier}</span></figcaption></figure>
<ul class="months">${items}</ul>`;
}

const quotation = ({ words, collected_at: at, nps_score: score }: WrittenText): Html =>
  html`<blockquote>${ownWords(words)}<footer>${at.slice(0, 10)}${score === null ? "" : ` · scored ${score}`}</footer></blockquote>`;
