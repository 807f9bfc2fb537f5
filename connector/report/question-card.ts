import { monthsLine } from "./chart.ts";
import type { QuestionCount, WrittenText } from "./figures.ts";
import { score } from "./how-are-we-doing.ts";
import { type Html, html, NOTHING, ownWords } from "./html.ts";
import { type Answers, answersIn, FEW_ANSWERS, type Measure, shownScore } from "./measure.ts";
import { monthName, monthsBetween, spanName } from "./months.ts";
import { averaged, counted, percent, plural } from "./numbers.ts";
import {
  averageOf,
  type Grade,
  grades,
  type Line,
  responsesIn,
  type Showing,
  secrecyOf,
  shownAnswers,
  shownGrades,
} from "./shown-answers.ts";

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
  /** The month of the newest response of all surveys that is not in the future. */
  readonly lastMonth: string | undefined;
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

/** How many responses answered a question, or a part of it. */
const answeredOf = (counts: readonly QuestionCount[]): number =>
  Math.max(...counts.map(({ answered }) => answered));

const answeredBy = (counts: readonly QuestionCount[], { responses }: Question): string => {
  const answered = answeredOf(counts);
  return `${counted(answered)} of ${plural(Math.max(responses, answered), "response")}`;
};

/** The first line of a block: what it is about, after a figure if it has one. */
const head = (words: string, figure: Html = NOTHING): Html =>
  html`<p class="figure">${figure} <span>${words}</span></p>`;

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
  const words = `NPS, ${periodOf(measure)}${few(all)} · ${answeredBy(counts, question)}`;
  return html`${head(words, score("nps", all))}<ul class="bars">${bars}</ul>${monthsOf(measure, "nps_by_month", question)}`;
}

/** A scale: its CSAT, or the average of its grades. */
function ratingBlock(counts: readonly QuestionCount[], question: Question): Html {
  const measure = question.measures.find(({ kind }) => kind === "csat");
  const bars = barsOf(shownGrades(counts, question.showing), answeredOf(counts));
  return measure
    ? html`${csatHead(measure, counts, question)}${bars}${monthsOf(measure, "csat_by_month", question)}`
    : html`${averageHead(counts, question)}${bars}`;
}

function csatHead(measure: Measure, counts: readonly QuestionCount[], question: Question): Html {
  const all = answersIn(measure);
  const words = `satisfied (4 or 5 of 5), ${periodOf(measure)}${few(all)} · ${answeredBy(counts, question)}`;
  return head(words, score("csat", all));
}

/** The grade of a single response is no average. */
function averageHead(counts: readonly QuestionCount[], question: Question): Html {
  const onScale = grades(counts);
  const answered = answeredBy(counts, question);
  return responsesIn(onScale) > 1
    ? head(`on average · ${answered}`, html`<strong class="plain">${averaged(averageOf(onScale))}</strong>`)
    : head(answered);
}

function choiceBlock(counts: readonly QuestionCount[], question: Question): Html {
  const isSeveral = counts[0]?.kind === "choices";
  const note = isSeveral ? " · several answers possible" : "";
  const lines = shownAnswers(counts, { ...question.showing, isSeveral });
  return html`${head(answeredBy(counts, question) + note)}${barsOf(lines, answeredOf(counts))}`;
}

/** The parts of a matrix or a ranking, in the survey's order; those that somebody may have written as one. */
function itemsOf(counts: readonly QuestionCount[], { showing }: Question) {
  const items = Map.groupBy(counts, ({ item, item_place: place }) =>
    secrecyOf({ answer: item, place }, showing) === "shown" ? (item ?? "") : "",
  );
  return [...items.entries()]
    .map(([item, of]) => ({ item, of, place: of[0]?.item_place ?? Number.MAX_SAFE_INTEGER }))
    .toSorted((a, b) => a.place - b.place || a.item.localeCompare(b.item));
}

const itemName = (item: string): Html =>
  item === "" ? html`<em>Rows that people wrote themselves</em>` : ownWords(item);

function matrixBlock(counts: readonly QuestionCount[], question: Question): Html {
  const rows = itemsOf(counts, question).map(({ item, of }) => {
    const answered = item === "" ? responsesIn(of) : answeredOf(of);
    const bars = barsOf(shownAnswers(of, question.showing), answered);
    return html`<h4>${itemName(item)}<small>${plural(answered, "response")}</small></h4>${bars}`;
  });
  return html`${head(answeredBy(counts, question))}${rows}`;
}

/** The items from the best place on average. */
function rankingBlock(counts: readonly QuestionCount[], question: Question): Html {
  const last = Math.max(...grades(counts).map(({ grade }) => grade));
  const lines = itemsOf(counts, question)
    .map(({ item, of }) => ({ item, places: grades(of) }))
    .filter(({ places }) => places.length > 0)
    .toSorted((a, b) => averageOf(a.places) - averageOf(b.places))
    .map(({ item, places }) => itemLine(item, places, last));
  return html`${head(answeredBy(counts, question))}<ul class="bars">${lines}</ul>`;
}

/** An item with its average place. The bar of the first place is whole. */
function itemLine(item: string, places: readonly Grade[], last: number): Html {
  const average = averageOf(places);
  const value = `place ${averaged(average)} on average · ${plural(responsesIn(places), "response")}`;
  const width = (100 * (last + 1 - average)) / last;
  return html`<li><span>${itemName(item)}</span><span class="value">${value}</span>${track(width)}</li>`;
}

const WRITTEN = { text: "a text in", form: "a filled-in form in", comment: "a comment in" } as const;

function writtenBlock(counts: readonly QuestionCount[], question: Question): Html {
  const kind = counts[0]?.kind;
  if (kind !== "text" && kind !== "form" && kind !== "comment") return NOTHING;
  return head(`${WRITTEN[kind]} ${answeredBy(counts, question)}`);
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
function monthsOf(measure: Measure, view: string, { lastMonth = "" }: Question): Html {
  const named = [...measure.months.keys()].filter((month) => month <= lastMonth).toSorted();
  const [first, last] = [named[0], named.at(-1)];
  if (first === undefined || last === undefined || first === last) return NOTHING;
  const all = monthsBetween(first, last);
  const shown = all.slice(-MOST_MONTHS);
  const earlier = all.length > shown.length ? " · the view has the months before" : "";
  const caption = html`<span>by month, the line across is 0</span><span>view <code>${view}</code>${earlier}</span>`;
  return html`<figure>${monthsLine(measure, shown)}<figcaption>${caption}</figcaption></figure>
<ul class="months">${shown.map((month) => monthItem(measure, month))}</ul>`;
}

function monthItem({ kind, months }: Measure, month: string): Html {
  const of = months.get(month);
  const value = of
    ? html`<b>${shownScore(kind, of)}</b> <small>${plural(of.answers, "answer")}</small>`
    : html`<small>no answers</small>`;
  return html`<li>${monthName(month)} ${value}</li>`;
}

const quotation = ({ words, collected_at: at, nps_score: score }: WrittenText): Html =>
  html`<blockquote>${ownWords(words)}<footer>${at.slice(0, 10)}${score === null ? "" : ` · scored ${score}`}</footer></blockquote>`;
