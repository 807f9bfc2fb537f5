import type { ItemPage } from "./item.ts";
import type { Moment } from "./moment.ts";
import { chooseCut } from "./split.ts";
import type { SurveyPage, SurveyPart, SurveyReading } from "./survey-reading.ts";

/**
 * Which page of which survey to ask for next: all surveys in turn, so that each one's state moves on, and first of
 * all the newest page of every one, which fixes how far up this sync goes (I6).
 */
export interface SurveySchedule {
  /** Whether the newest page of some survey is still to come. */
  readonly boundsOpen: boolean;
  /** The part whose turn it is, or undefined when all are under way or done. */
  next(): SurveyPart | undefined;
  /** A new part, cut off where an idle slot helps most; undefined where nothing is worth a cut. */
  split(): SurveyPart | undefined;
  /** Takes the answer in, and gives the part another turn if it goes on; undefined if the part had ended meanwhile. */
  receive(part: SurveyPart, page: ItemPage): SurveyPage | undefined;
  /** The part asks in another way, before all others. */
  again(part: SurveyPart): void;
  /** Nothing more is asked of the survey. */
  giveUp(survey: SurveyReading): void;
  newestSeen(surveyId: string): Moment | undefined;
}

export function createSurveySchedule(
  surveys: readonly SurveyReading[],
  itemsPerPage: number,
): SurveySchedule {
  const surveyOf = new Map(surveys.map((survey) => [survey.id, survey]));
  const active = new Set(surveys.filter(({ parts }) => parts.length > 0));
  const ready = [...active].flatMap(({ parts }) => parts.slice(0, 1));
  ready.push(...[...active].flatMap(({ parts }) => parts.slice(1)));
  let boundsOpen = [...active].filter(({ boundOpen }) => boundOpen).length;
  return {
    get boundsOpen() {
      return boundsOpen > 0;
    },
    next() {
      for (;;) {
        const part = ready.shift();
        if (part === undefined || part.survey.isOpen(part)) return part;
      }
    },
    split() {
      const cut = chooseCut(
        [...active].flatMap(({ parts }) => parts),
        itemsPerPage,
      );
      return cut?.part.survey.split(cut);
    },
    receive(part, page) {
      const { survey } = part;
      if (!survey.isOpen(part)) return undefined;
      const wasOpen = survey.boundOpen;
      const received = survey.receive(part, page);
      if (wasOpen && !survey.boundOpen) boundsOpen--;
      if (part.walk.path !== undefined) ready.push(part);
      else if (survey.parts.length === 0) active.delete(survey);
      return received;
    },
    again(part) {
      ready.unshift(part);
    },
    giveUp(survey) {
      if (survey.boundOpen) boundsOpen--;
      survey.stop();
      active.delete(survey);
    },
    newestSeen: (surveyId) => surveyOf.get(surveyId)?.newestSeen,
  };
}
