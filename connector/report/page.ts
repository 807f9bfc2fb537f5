import { arrival, outcomeOf } from "./arrival.ts";
import { weeksChart } from "./chart.ts";
import type { Figures } from "./figures.ts";
import { howAreWeDoing } from "./how-are-we-doing.ts";
import { Html, html, NOTHING, ownWords } from "./html.ts";
import { counted, plural } from "./numbers.ts";
import { type Places, placesOf } from "./places.ts";
import type { Scope } from "./scope.ts";
import { responsesIn } from "./shown-answers.ts";
import { questionsIn, type Surroundings, surveySection } from "./survey-section.ts";
import { STYLE } from "./texts.ts";
import { type Times, timesIn } from "./times.ts";

/** In each page, so that a later one replaces no other file. */
export const GENERATOR = '<meta name="generator" content="source-survey-export">';

/** So many surveys are unfolded. */
const OPEN_SURVEYS = 12;

/** The whole page. `file`: the name of the database. It runs no script, and asks for nothing. */
export function page(figures: Figures, file: string, scope: Scope): string {
  const places = placesOf(figures.arrived);
  const days = allDays(figures);
  const times = timesIn(days.keys(), figures);
  const { lastDay } = times;
  return html`<!doctype html>
<html lang="en">${head()}
<body><header><h1>What people said</h1><p>${ownWords(file)}${subtitle(scope, places)}</p>
<p>${outcomeOf(figures.syncs)}</p>${futureNote(times, days)}</header>
${howAreWeDoing(figures.measures, lastDay?.slice(0, 7), places)}
${allResponses(figures, days, lastDay)}
${surveySections(figures, { scope, places, lastDay })}
${arrival(figures, places)}
${footer(scope)}</body></html>`.markup;
}

const head =
  (): Html => html`<head><meta charset="utf-8">${new Html(GENERATOR)}<title>What people said</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>${new Html(STYLE)}</style></head>`;

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

function futureNote({ future }: Times, days: ReadonlyMap<string, number>): Html {
  const [first, last] = [future[0], future.at(-1)];
  if (first === undefined || last === undefined) return NOTHING;
  const responses = future.reduce((sum, day) => sum + (days.get(day) ?? 0), 0);
  const when = first === last ? first : `${first} to ${last}`;
  return html`<p class="odd">${plural(responses, "response")} of a day after the last sync (${when}): a clock was wrong.
The periods and charts end before; "All" and the counts have them.</p>`;
}

/** All surveys together. */
function allResponses(
  { surveys }: Figures,
  days: ReadonlyMap<string, number>,
  lastDay: string | undefined,
): Html {
  const answered = surveys.filter(({ responses }) => responses > 0);
  const total = responsesIn(answered);
  return html`<section><h2>Responses</h2>
<div class="tiles"><p><strong>${counted(total)}</strong>${total === 1 ? "response" : "responses"}</p>
<p><strong>${lastDay ?? "–"}</strong>newest response</p>
<p><strong>${answered.length} of ${surveys.length}</strong>surveys have responses</p></div>
${weeksChart(days, lastDay)}
<p class="note">By week, from Monday, in UTC. To check: the view <code>responses_by_day</code>.</p></section>`;
}

/** The largest surveys first. */
function surveySections(
  figures: Figures,
  surroundings: Pick<Surroundings, "scope" | "places" | "lastDay">,
): readonly Html[] {
  const questions = questionsIn(figures);
  const answered = figures.surveys.filter(({ responses }) => responses > 0);
  return answered.map((survey, at) => {
    const isOpen = at < OPEN_SURVEYS;
    return surveySection(survey, questions.get(survey.survey_id) ?? [], { ...surroundings, figures, isOpen });
  });
}

function footer({ hasTexts }: Scope): Html {
  const texts = hasTexts
    ? "What people wrote is in it: give it only to those who may read that."
    : "What people wrote themselves is not in it: --texts adds it.";
  return html`<footer><p>This file loads nothing and runs no script. All times are in UTC.
Counts of answers: the view <code>answer_counts</code>. ${texts}</p></footer>`;
}
