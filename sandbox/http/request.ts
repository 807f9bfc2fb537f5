import type { Choices } from "../choices.ts";
import { parseTimestamp } from "../time.ts";
import { Refusal } from "./reply.ts";

/** A request as the service sees it, from a socket or from a simulation. */
export interface ServiceRequest {
  /** Default GET. */
  readonly method?: string;
  /** Path and query below the origin, such as `/v2/surveys/1/responses?items_per_page=100`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Only the control routes read it. */
  readonly body?: string;
}

/** The lists of the API. */
export const ENDPOINTS = ["survey_responses", "respondent_responses", "respondent_attributes"] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** The list that a path asks for. */
export type Route =
  | { readonly endpoint: "survey_responses"; readonly survey: string }
  | { readonly endpoint: "respondent_responses"; readonly respondent: string }
  | { readonly endpoint: "respondent_attributes"; readonly respondent: string };

/** The route of a path below the base URL, or undefined. Ids are decoded; a broken encoding has no route. */
export function routeOf(path: string): Route | undefined {
  let segments: string[];
  try {
    segments = path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const [empty, resource, id, list, ...rest] = segments;
  if (empty !== "" || id === undefined || id === "" || rest.length > 0) return undefined;
  if (resource === "surveys" && list === "responses") return { endpoint: "survey_responses", survey: id };
  if (resource !== "respondents") return undefined;
  if (list === "responses") return { endpoint: "respondent_responses", respondent: id };
  if (list === "attributes") return { endpoint: "respondent_attributes", respondent: id };
  return undefined;
}

/** The query of a list request. Values stay as written, because links repeat them. */
export interface ListQuery {
  /** Undefined if left out: the default applies, and links leave it out too. */
  readonly itemsPerPage: number | undefined;
  readonly start: string | undefined;
  readonly startMicros: number;
  readonly end: string | undefined;
  readonly endMicros: number;
  readonly attributes: readonly string[];
  /** Names and values of other parameters that links keep, such as `filters`. */
  readonly kept: readonly (readonly [string, string])[];
  readonly cursor: string | undefined;
}

/** Reports a request that a careful client would not send, refused or not. */
export type ReportMalformed = (problem: string) => void;

const ACCEPTED: Record<Endpoint, readonly string[]> = {
  survey_responses: ["start", "end", "items_per_page", "attributes[]", "filters"],
  respondent_responses: ["start", "items_per_page"],
  respondent_attributes: ["start", "items_per_page"],
};

/** The parameter in which the service's links may carry an exact position. */
export const CURSOR_PARAMETER = "cursor";

/** Parses a query by the endpoint's rules. Throws a `Refusal` if it breaks them. */
export function readQuery(
  text: string,
  endpoint: Endpoint,
  choices: Choices,
  reportMalformed: ReportMalformed,
): ListQuery {
  const refuse = (problem: string): Refusal => {
    reportMalformed(problem);
    return new Refusal("invalidParameter", problem);
  };
  const single = new Map<string, string>();
  const attributes: string[] = [];
  const kept: [string, string][] = [];
  for (const [name, value] of pairsOf(text, refuse)) {
    const ownCursor = name === CURSOR_PARAMETER && carriesCursor(endpoint, choices);
    if (!ACCEPTED[endpoint].includes(name) && !ownCursor) {
      if (choices.unknownParameters === "refused") throw refuse(`The parameter "${name}" is not known here.`);
      reportMalformed(`The parameter "${name}" is not known here.`);
    } else if (name === "attributes[]") {
      attributes.push(value);
    } else if (name === "filters") {
      if (choices.filters === "refused") throw refuse("These filters are not understood.");
      kept.push([name, value]);
    } else if (single.has(name)) {
      throw refuse(`The parameter "${name}" is there twice.`);
    } else {
      single.set(name, value);
    }
  }
  const start = single.get("start");
  const end = single.get("end");
  const query = {
    itemsPerPage: pageSize(single.get("items_per_page"), refuse),
    start,
    startMicros: start === undefined ? Infinity : bound("start", start, endpoint, choices, refuse),
    end,
    endMicros: end === undefined ? -Infinity : bound("end", end, endpoint, choices, refuse),
    attributes,
    kept,
    cursor: single.get(CURSOR_PARAMETER),
  };
  const equalAllowed = choices.startEqualToEnd === "answered";
  if (query.startMicros < query.endMicros || (query.startMicros === query.endMicros && !equalAllowed)) {
    throw refuse("start must be later than end.");
  }
  return query;
}

/** Exact positions exist for responses only. The mark of a closing page exists for every list. */
const carriesCursor = (endpoint: Endpoint, choices: Choices): boolean =>
  choices.listEnd === "empty_page" ||
  (choices.continuation === "cursor" && endpoint !== "respondent_attributes");

type Refuse = (problem: string) => Refusal;

function pairsOf(text: string, refuse: Refuse): [string, string][] {
  if (text === "") return [];
  return text.split("&").map((part) => {
    const at = part.indexOf("=");
    const [name, value] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    try {
      return [decode(name), decode(value)];
    } catch {
      throw refuse(`The query holds a broken encoding: "${part}".`);
    }
  });
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

function pageSize(text: string | undefined, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  const size = Number(text);
  if (!/^\d{1,3}$/.test(text) || size < 1 || size > 100) {
    throw refuse(`items_per_page is "${text}"; it must be a whole number from 1 to 100.`);
  }
  return size;
}

function bound(name: string, text: string, endpoint: Endpoint, choices: Choices, refuse: Refuse): number {
  if (endpoint === "respondent_attributes") {
    if (!/^\d{1,15}$/.test(text)) throw refuse(`${name} is "${text}"; it must be an attribute's id.`);
    return Number(text);
  }
  const micros = parseTimestamp(text, choices.requestTimestamps);
  if (micros === undefined) {
    throw refuse(`${name} is "${text}"; it must look like 2026-01-31T12:00:00.000000Z.`);
  }
  return micros;
}

/**
 * Whether the header is the literal `Basic <API_KEY>`. Another scheme and several headers are also reported as
 * malformed; a wrong key is not.
 */
export function isAuthorized(
  header: string | readonly string[] | undefined,
  apiKey: string,
  reportMalformed: (problem: string) => void,
): boolean {
  if (header === `Basic ${apiKey}`) return true;
  if (typeof header !== "string") reportMalformed("There is not exactly one Authorization header.");
  else if (!/^Basic \S+$/.test(header))
    reportMalformed("The Authorization header is not of the form Basic <API_KEY>.");
  return false;
}
