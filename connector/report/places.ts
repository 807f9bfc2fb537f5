import type { SurveyCounts } from "./figures.ts";

/** How a page names the surveys, and links to their parts. */
export interface Places {
  /** Its name; with its id if another survey has the same name. */
  readonly nameOf: (surveyId: string) => string;
  readonly surveyAnchor: (surveyId: string) => string;
  readonly questionAnchor: (surveyId: string, questionId: number | string) => string;
}

/** Names and anchors of these surveys. An anchor is made of numbers of ours, so that no id of the service is in it. */
export function placesOf(surveys: readonly SurveyCounts[]): Places {
  const numbers = new Map(surveys.map(({ survey_id: id }, at) => [id, at + 1]));
  const named = Map.groupBy(surveys, ({ survey_name: name }) => name);
  const names = new Map(
    surveys.map(({ survey_id: id, survey_name: name }) => {
      const isAlone = named.get(name)?.length === 1;
      return [id, name === null ? id || "Without a survey" : isAlone ? name : `${name} (${id})`];
    }),
  );
  const surveyAnchor = (id: string): string => `survey-${numbers.get(id) ?? 0}`;
  return {
    nameOf: (id) => names.get(id) ?? id,
    surveyAnchor,
    questionAnchor: (id, question) =>
      `${surveyAnchor(id)}-question-${String(question).replace(/[^\d-]/g, "")}`,
  };
}
