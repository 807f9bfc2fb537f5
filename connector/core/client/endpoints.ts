import { SurveyExportError } from "../errors.ts";
import { given, type Message, respondentId, say } from "../text/message.ts";

/** The three list endpoints, as paths below the base URL (service interface, "Endpoints"). */

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

export function surveyResponsesPath(surveyId: string, window: Window, attributes: readonly string[]): string {
  const query = [
    ...windowQuery(window),
    ...(window.end === undefined ? [] : [`end=${encodeURIComponent(window.end)}`]),
    ...attributes.map((name) => `attributes%5B%5D=${encoded(name, say`attribute name ${given(name)}`)}`),
  ];
  return `/surveys/${segment(surveyId, say`survey id ${given(surveyId)}`)}/responses?${query.join("&")}`;
}

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

/** An id as one path segment. Servers decode a path before they resolve `..`. */
const segment = (id: string, what: Message): string => encoded(id, what, id !== "" && !DOT_SEGMENT.test(id));

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
