import { arrival, outcomeOf } from "./arrival.ts";
import { weeksChart } from "./chart.ts";
import type { Figures, QuestionCount, SurveyCounts, WrittenText } from "./figures.ts";
import { howAreWeDoing } from "./how-are-we-doing.ts";
import { Html, html, NOTHING, ownWords } from "./html.ts";
import type { Measure } from "./measure.ts";
import { counted, plural } from "./numbers.ts";
import { type Places, placesOf } from "./places.ts";
import { questionCard } from "./question-card.ts";
import type { Scope } from "./scope.ts";
import { STYLE } from "./texts.ts";

/** In each page, so that a later one replaces no other file. */
export const GENERATOR = '<meta name="generator" content="source-survey-export">';

/** So many surveys are unfolded. */
const OPEN_SURVEYS = 12;
const DAY_MS = 86_400_000;

/** The whole page. `file`: the name of the database. It runs no script, and asks for nothing. */
export function page(figures: Figures, file: string, scope: Scope): string {
  const { surveys, measures, syncs } = figures;
  const places = placesOf(figures.arrived.length > surveys.length ? figures.arrived : surveys);
  const days = allDays(figures);
  const time = timesIn(days, figures);
  const answered = surveys.filter(({ responses }) => responses > 0);
  const total = answered.reduce((sum, { responses }) => sum + responses, 0);
  const questions = questionsIn(figures);
  const sections = answered.map((survey, at) => {
    const of = questions.get(survey.survey_id) ?? [];
    return surveySection(survey, of, {
      figures,
      scope,
      places,
      lastDay: time.lastDay,
      isOpen: at < OPEN_SURVEYS,
    });
  });
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">${new Html(GENERATOR)}<title>What people said</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>${new Html(STYLE)}</style></head>
<body><header><h1>What people said</h1><p>${ownWords(file)}${subtitle(scope, places)}</p><p>${outcomeOf(syncs)}</p>${futureNote(time)}</header>
${howAreWeDoing(measures, time.lastDay?.slice(0, 7), places)}
<section><h2>Responses</h2><div class="tiles"><p><strong>${counted(total)}</strong>${total === 1 ? "response" : "responses"}</p>
<p><strong>${time.lastDay ?? "–"}</strong>newest response</p>
<p><strong>${answered.length} of ${surveys.length}</strong>surveys have responses</p></div>
${weeksChart(days, time.lastDay)}<p class="note">By week, from Monday, in UTC. To check: the view <code>responses_by_day</code>.</p></section>
${sections}
${arrival(figures, places)}
<footer><p>This file loads nothing and runs no script. All times are in UTC. Counts of answers: the view <code>answer_counts</code>.
${scope.hasTexts ? "What people wrote is in it: give it only to those who may read that." : "What people wrote themselves is not in it: --texts adds it."}</p></footer></body></html>`
    .markup;
}

function subtitle({ since, surveyIds, hasTexts }: Scope, { nameOf }: Places): Html {
  const names = surveyIds.map((id, at) => html`${at > 0 ? ", " : ""}${ownWords(nameOf(id))}`);
  return html`${since === undefined ? NOTHING : html` · responses since ${since}`}${
    names.length === 0 ? NOTHING : html` · only ${names}`
  }${hasTexts ? html` · with people's own words` : NOTHING}`;
}

function allDays({ days }: Figures): Map<string, number> {
  const all = new Map<string, number>();
  for (const of of days.values())
    for (const [day, responses] of of) all.set(day, (all.get(day) ?? 0) + responses);
  return all;
}

interface Times {
  /** The day of the newest response that is not in the future. */
  readonly lastDay: string | undefined;
  /** Days after the last sync, which a wrong clock has written. */
  readonly future: readonly string[];
  readonly responsesInFuture: number;
}

/**
 * What is new by the time of the last sync: a response of the year 2099 must not empty the charts. A day more is allowed, since
 * clocks differ.
 */
function timesIn(days: ReadonlyMap<string, number>, { syncs, arrived }: Figures): Times {
  const seen = [
    ...syncs.map(({ began_at, ended_at }) => ended_at ?? began_at),
    ...arrived.map(({ listed_at }) => listed_at),
  ];
  const present = Math.max(...seen.map((time) => Date.parse(String(time))).filter(Number.isFinite));
  const limit = Number.isFinite(present)
    ? new Date(present + DAY_MS).toISOString().slice(0, 10)
    : "9999-12-31";
  const known = [...days.keys()].filter((day) => /^\d{4}-\d\d-\d\d$/.test(day)).toSorted();
  const future = known.filter((day) => day > limit);
  return {
    lastDay: known.findLast((day) => day <= limit),
    future,
    responsesInFuture: future.reduce((sum, day) => sum + (days.get(day) ?? 0), 0),
  };
}

const futureNote = ({ future, responsesInFuture }: Times): Html =>
  future.length === 0
    ? NOTHING
    : html`<p class="odd">${plural(responsesInFuture, "response")} of a day after the last sync (${future[0] ?? ""}${future.length > 1 ? html` to ${future.at(-1) ?? ""}` : NOTHING}): a clock was wrong. The periods and charts end before; "All" and the counts have them.</p>`;

/** What there is about one question. */
interface QuestionFigures {
  readonly id: number;
  readonly counts: readonly QuestionCount[];
  readonly measures: readonly Measure[];
  readonly texts: readonly WrittenText[];
}

/** The answered questions of each survey, in its order; those that it does not list any more come last. */
function questionsIn({ counts, measures, texts }: Figures): Map<string, QuestionFigures[]> {
  const keyOf = (survey: string | null, question: number | string) =>
    JSON.stringify([survey ?? "", String(question)]);
  const measuresOf = Map.groupBy(measures, ({ surveyId, questionId }) => keyOf(surveyId, questionId));
  const textsOf = Map.groupBy(texts, ({ survey_id: survey, question_id: question }) =>
    keyOf(survey, question),
  );
  const questions = [
    ...Map.groupBy(counts, ({ survey_id, question_id }) => keyOf(survey_id, question_id)),
  ].flatMap(([key, of]) => {
    const [first] = of;
    if (!first) return [];
    const { question_id: id, question_position: position, survey_id: survey } = first;
    const figures = { id, counts: of, measures: measuresOf.get(key) ?? [], texts: textsOf.get(key) ?? [] };
    return [{ survey: survey ?? "", position: position ?? Number.MAX_SAFE_INTEGER, figures }];
  });
  const ordered = questions.toSorted((a, b) => a.position - b.position || a.figures.id - b.figures.id);
  const surveys = Map.groupBy(ordered, ({ survey }) => survey);
  return new Map([...surveys].map(([survey, of]) => [survey, of.map(({ figures }) => figures)]));
}

interface Section {
  readonly figures: Figures;
  readonly scope: Scope;
  readonly places: Places;
  readonly lastDay: string | undefined;
  readonly isOpen: boolean;
}

function surveySection(
  survey: SurveyCounts,
  questions: readonly QuestionFigures[],
  { figures, scope, places, lastDay, isOpen }: Section,
): Html {
  const { survey_id: id, responses, responses_with_answers: withAnswers } = survey;
  const without = responses - withAnswers;
  const cards = questions.map((question) =>
    questionCard({
      ...question,
      anchor: places.questionAnchor(id, question.id),
      words: question.counts[0]?.question ?? null,
      responses,
      showing: { hasTexts: scope.hasTexts, isShared: (words) => figures.isShared(id, question.id, words) },
    }),
  );
  return html`<details class="survey" id="${places.surveyAnchor(id)}"${isOpen ? html` open` : NOTHING}>
<summary><h2>${ownWords(places.nameOf(id))}</h2><span>${plural(responses, "response")} · ${dayOf(survey.first_response_at)} to ${dayOf(survey.last_response_at)}</span></summary>
${without === 0 ? NOTHING : html`<p>${plural(without, "response")} without an answer.</p>`}
${weeksChart(figures.days.get(id) ?? new Map(), lastDay)}<div class="cards">${cards}</div></details>`;
}

const dayOf = (time: string | null): string => (time === null ? "–" : time.slice(0, 10));
