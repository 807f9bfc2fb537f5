import { SurveyExportError } from "../errors.ts";

/** The three list endpoints, as paths below the base URL (service interface, "Endpoints"). */

export interface Window {
  /** Newer bound and starting point, inclusive. */
  readonly start: string | undefined;
  /** Older bound, inclusive; only survey responses accept one. */
  readonly end: string | undefined;
  /** 1 to 100, always sent, since the default is unknown (S9). */
  readonly itemsPerPage: number;
}

export function surveyResponsesPath(surveyId: string, window: Window, attributes: readonly string[]): string {
  const query = [
    ...windowQuery(window),
    ...(window.end === undefined ? [] : [`end=${encodeURIComponent(window.end)}`]),
    ...attributes.map((name) => `attributes%5B%5D=${encodeURIComponent(name)}`),
  ];
  return `/surveys/${segment(surveyId, "survey")}/responses?${query.join("&")}`;
}

export function respondentResponsesPath(respondentUuid: string, window: Window): string {
  return `/respondents/${segment(respondentUuid, "respondent")}/responses?${windowQuery(window).join("&")}`;
}

export function respondentAttributesPath(respondentUuid: string, itemsPerPage: number): string {
  return `/respondents/${segment(respondentUuid, "respondent")}/attributes?items_per_page=${itemsPerPage}`;
}

function windowQuery(window: Window): string[] {
  return [
    `items_per_page=${window.itemsPerPage}`,
    ...(window.start === undefined ? [] : [`start=${encodeURIComponent(window.start)}`]),
  ];
}

/**
 * An id as one path segment. Ids come from the configuration and from the service; `.` and `..` survive
 * encoding and would climb out of the path, and a lone surrogate cannot be encoded at all.
 */
function segment(id: string, what: string): string {
  if (id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    throw new SurveyExportError(
      "config",
      "invalid_configuration",
      `The ${what} id ${JSON.stringify(id)} cannot stand in an address. Correct it in the configuration, or report it to the service if it came from there.`,
    );
  }
  return encodeURIComponent(id);
}
