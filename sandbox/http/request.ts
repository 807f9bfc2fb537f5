import type { Choices } from "../choices.ts";
import { parseTimestamp } from "../timestamp.ts";
import { Refusal } from "./refusal.ts";
import type { Endpoint } from "./request-and-reply.ts";

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
