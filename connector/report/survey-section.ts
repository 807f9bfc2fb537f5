import { weeksChart } from "./chart.ts";
import type { Figures, QuestionCount, SurveyCounts, WrittenText } from "./figures.ts";
import { type Html, html, NOTHING, ownWords } from "./html.ts";
import type { Measure } from "./measure.ts";
import { plural } from "./numbers.ts";
import type { Places } from "./places.ts";
import { questionCard } from "./question-card.ts";
import type { Scope } from "./scope.ts";

/** What there is about one question. */
export interface QuestionFigures {
  readonly id: number;
  readonly counts: readonly QuestionCount[];
  readonly measures: readonly Measure[];
  readonly texts: readonly WrittenText[];
}

/** The answered questions of each survey, in its order; those that it does not list any more come last. */
export function questionsIn({ counts, measures, texts }: Figures): Map<string, QuestionFigures[]> {
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

/** What a section needs besides its survey. */
export interface Surroundings {
  readonly figures: Figures;
  readonly scope: Scope;
  readonly places: Places;
  readonly lastDay: string | undefined;
  readonly isOpen: boolean;
}

/** A survey: its responses by week, and a card for each question. */
export function surveySection(
  survey: SurveyCounts,
  questions: readonly QuestionFigures[],
  { figures, scope, places, lastDay, isOpen }: Surroundings,
): Html {
  const { survey_id: id, responses, responses_with_answers: withAnswers } = survey;
  const without = responses - withAnswers;
  const cards = questions.map((question) =>
    questionCard({
      ...question,
      anchor: places.questionAnchor(id, question.id),
      words: question.counts[0]?.question ?? null,
      responses,
      lastMonth: lastDay?.slice(0, 7),
      showing: { hasTexts: scope.hasTexts, isShared: (words) => figures.isShared(id, question.id, words) },
    }),
  );
  const period = `${dayOf(survey.first_response_at)} to ${dayOf(survey.last_response_at)}`;
  const weeks = weeksChart(figures.days.get(id) ?? new Map(), lastDay);
  return html`<details class="survey" id="${places.surveyAnchor(id)}"${isOpen ? html` open` : NOTHING}>
<summary><h2>${ownWords(places.nameOf(id))}</h2><span>${plural(responses, "response")} · ${period}</span></summary>
${without === 0 ? NOTHING : html`<p>${plural(without, "response")} without an answer.</p>`}
${weeks}<div class="cards">${cards}</div></details>`;
}

const dayOf = (time: string | null): string => (time === null ? "–" : time.slice(0, 10));
