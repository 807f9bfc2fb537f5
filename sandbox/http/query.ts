import type { Choices } from "../choices.ts";
import { parseMoment } from "../moment.ts";
import type { Endpoint } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** The query of a list request. Values stay as written, since a link repeats them. */
export interface ListQuery {
  /** Undefined when left out: the default applies, and links leave it out too. */
  readonly itemsPerPage: number | undefined;
  readonly start: string | undefined;
  readonly startMicros: number;
  readonly end: string | undefined;
  readonly endMicros: number;
  readonly attributes: readonly string[];
  /** Names and values of everything that links keep besides, such as filters. */
  readonly kept: readonly (readonly [string, string])[];
  readonly cursor: string | undefined;
}

/** Told of everything that a careful client would not have sent, refused or not. */
export type Complain = (problem: string) => void;

const accepted: Record<Endpoint, readonly string[]> = {
  survey_responses: ["start", "end", "items_per_page", "attributes[]", "filters"],
  respondent_responses: ["start", "items_per_page"],
  respondent_attributes: ["start", "items_per_page"],
  single_response: ["attributes[]"],
};

/** The parameter in which the service's own links may carry an exact place. */
export const cursorParameter = "cursor";

/** Reads a query by the endpoint's rules; throws a `Refusal` where they are broken. */
export function readQuery(text: string, endpoint: Endpoint, choices: Choices, complain: Complain): ListQuery {
  const refuse = (problem: string): Refusal => {
    complain(problem);
    return new Refusal("invalidParameter", problem);
  };
  const single = new Map<string, string>();
  const attributes: string[] = [];
  const kept: [string, string][] = [];
  for (const [name, value] of pairsOf(text, refuse)) {
    const ownCursor = name === cursorParameter && carriesCursor(endpoint, choices);
    if (!accepted[endpoint].includes(name) && !ownCursor) {
      if (choices.unknownParameters === "refused") throw refuse(`The parameter "${name}" is not known here.`);
      complain(`The parameter "${name}" is not known here.`);
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
    cursor: single.get(cursorParameter),
  };
  const equalAllowed = choices.startEqualToEnd === "answered";
  if (query.startMicros < query.endMicros || (query.startMicros === query.endMicros && !equalAllowed)) {
    throw refuse("start must be later than end.");
  }
  return query;
}

/** Exact places are for responses; the mark of a closing page is for every list. */
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
  const micros = parseMoment(text, choices.requestMoments);
  if (micros === undefined) {
    throw refuse(`${name} is "${text}"; it must look like 2026-01-31T12:00:00.000000Z.`);
  }
  return micros;
}
