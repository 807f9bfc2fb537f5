import { SurveyExportError } from "../errors.ts";
import { given, type Message, respondentId, say } from "../text/message.ts";

/** The endpoints, as paths below the base URL (spec/service.md). */

export interface Window {
  /** Newer bound and starting point, inclusive. */
  readonly start: string | undefined;
  /** Older bound, inclusive; only survey responses accept one. */
  readonly end: string | undefined;
  /** 1 to 100, always sent, since the default is unknown (S9). */
  readonly itemsPerPage: number;
}

/** The largest page that the service gives. */
export const LARGEST_PAGE = 100;

export const surveysPath = (itemsPerPage: number): string => `/surveys?items_per_page=${itemsPerPage}`;

/** One survey, as the list of surveys has it, with more about it. */
export const surveyPath = (surveyId: string): string =>
  `/surveys/${segment(surveyId, say`survey id ${given(surveyId)}`)}`;

export const surveyQuestionsPath = (surveyId: string, itemsPerPage: number): string =>
  `${surveyPath(surveyId)}/questions?items_per_page=${itemsPerPage}`;

export function surveyResponsesPath(surveyId: string, window: Window, attributes: readonly string[]): string {
  const query = [
    ...windowQuery(window),
    ...(window.end === undefined ? [] : [`end=${encodeURIComponent(window.end)}`]),
    ...attributes.map((name) => `attributes%5B%5D=${encoded(name, say`attribute name ${given(name)}`)}`),
  ];
  return `${surveyPath(surveyId)}/responses?${query.join("&")}`;
}

/** The newest response of a survey: the cheapest request that shows whether it is there. */
export const newestResponsePath = (surveyId: string): string =>
  surveyResponsesPath(surveyId, { start: undefined, end: undefined, itemsPerPage: 1 }, []);

export function respondentResponsesPath(respondentUuid: string, window: Window): string {
  return `${respondentPath(respondentUuid)}/responses?${windowQuery(window).join("&")}`;
}

export function respondentAttributesPath(respondentUuid: string, itemsPerPage: number): string {
  return `${respondentPath(respondentUuid)}/attributes?items_per_page=${itemsPerPage}`;
}

const respondentPath = (uuid: string): string =>
  `/respondents/${segment(uuid, say`respondent id ${respondentId(uuid)}`)}`;

function windowQuery(window: Window): string[] {
  return [
    `items_per_page=${window.itemsPerPage}`,
    ...(window.start === undefined ? [] : [`start=${encodeURIComponent(window.start)}`]),
  ];
}

const DOT_SEGMENT = /(^|[/\\])\.{1,2}($|[/\\])/;

/** In characters. Servers cut longer paths. */
const LONGEST_ID = 1000;

/** Whether an id can be one path segment. Servers decode a path before they resolve `..`. */
export const canBeSegment = (id: string): boolean =>
  id !== "" && id.length <= LONGEST_ID && !DOT_SEGMENT.test(id) && id.isWellFormed();

const segment = (id: string, what: Message): string => encoded(id, what, canBeSegment(id));

/**
 * A text of the configuration or from the service. A lone surrogate cannot be encoded at all.
 * @throws SurveyExportError `invalid_configuration`
 */
function encoded(text: string, what: Message, isPossible = true): string {
  if (isPossible && text.isWellFormed()) return encodeURIComponent(text);
  throw new SurveyExportError("config", "invalid_configuration", say`The ${what} cannot be part of a URL.`, {
    advice: say`Correct it in the configuration, or report it to the service if it came from there.`,
  });
}
