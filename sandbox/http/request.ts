import type { Dialect } from "../dialects.ts";
import { parseTimestamp } from "../time.ts";

/** A request as the service sees it, from a socket or from a simulation. */
export interface ServiceRequest {
  /** Default GET. */
  readonly method?: string;
  /** Path and query below the origin, such as `/v2/surveys/1/responses?items_per_page=100`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A whole answer. */
export interface ServiceReply {
  readonly status: number;
  /** Names in lower case. The server adds lengths and encodings. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer with a value as JSON. */
export const jsonReply = (status: number, value: unknown): ServiceReply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value),
});

/** An error of any status. With `waitSeconds`, it has a `Retry-After` header. */
export function errorReply(status: number, message: string, waitSeconds?: number): ServiceReply {
  const reply = jsonReply(status, { error: { status, message } });
  if (waitSeconds === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, "retry-after": String(waitSeconds) } };
}

/** Why a request does not get a 200. The service answers with it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

/** The base URL's own path. */
export const BASE_PATH = "/v2";

/** The endpoints of the API. All are lists but `survey` and `survey_response`. */
export const ENDPOINTS = [
  "survey_list",
  "survey",
  "survey_questions",
  "survey_responses",
  "survey_response",
  "respondent_responses",
  "respondent_attributes",
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

const PATHS: Readonly<Record<Endpoint, RegExp>> = {
  survey_list: /^\/surveys$/,
  survey: /^\/surveys\/([^/]+)$/,
  survey_questions: /^\/surveys\/([^/]+)\/questions$/,
  survey_responses: /^\/surveys\/([^/]+)\/responses$/,
  survey_response: /^\/surveys\/([^/]+)\/responses\/([^/]+)$/,
  respondent_responses: /^\/respondents\/([^/]+)\/responses$/,
  respondent_attributes: /^\/respondents\/([^/]+)\/attributes$/,
};

/** What a path asks for. */
export interface Route {
  readonly endpoint: Endpoint;
  /** The id of the survey or the respondent. Empty for the list of surveys. */
  readonly id: string;
  /** The UUID of a single response; empty otherwise. */
  readonly response: string;
}

/** The route of a path below the base URL, or undefined. Ids are decoded; a broken encoding has no route. */
export function routeOf(path: string): Route | undefined {
  const endpoint = ENDPOINTS.find((name) => PATHS[name].test(path));
  if (endpoint === undefined) return undefined;
  try {
    const [id = "", response = ""] = (PATHS[endpoint].exec(path) ?? []).slice(1).map(decodeURIComponent);
    return { endpoint, id, response };
  } catch {
    return undefined;
  }
}

/** The query of a list request. Values stay as written, because links repeat them. */
export interface ListQuery {
  /** Undefined if omitted: the default applies, and links leave it out too. */
  readonly itemsPerPage: number | undefined;
  readonly start: string | undefined;
  /** For attributes and questions, an id. */
  readonly startMicros: number;
  readonly end: string | undefined;
  readonly endMicros: number;
  readonly attributes: readonly string[];
  /** Kept in links, without an effect. */
  readonly filters: string | undefined;
  /** An exact position, in a dialect whose links carry one. */
  readonly cursor: string | undefined;
}

/** Reports a request that a careful client would not send, refused or not. */
export type ReportMalformed = (problem: string) => void;

const ACCEPTED: Readonly<Record<Endpoint, readonly string[]>> = {
  survey_list: ["start", "end", "items_per_page"],
  survey: [],
  survey_questions: ["start", "items_per_page"],
  survey_responses: ["start", "end", "items_per_page", "attributes[]", "filters"],
  survey_response: ["attributes[]"],
  respondent_responses: ["start", "items_per_page"],
  respondent_attributes: ["start", "items_per_page"],
};

/** The name without the number that a link may write into the brackets. */
const plain = (name: string): string => name.replace(/^attributes\[\d+\]$/, "attributes[]");

/** Parses a query by the endpoint's rules. Throws a `Refusal` if it breaks them. */
export function readQuery(
  text: string,
  endpoint: Endpoint,
  dialect: Dialect,
  report: ReportMalformed,
): ListQuery {
  const refuse = (problem: string): Refusal => {
    report(problem);
    return new Refusal(400, problem);
  };
  const accepted = [...ACCEPTED[endpoint], ...(dialect === "links_by_item" ? ["cursor"] : [])];
  const query = new URLSearchParams(text);
  for (const name of new Set(query.keys())) {
    if (!accepted.includes(plain(name))) report(`The parameter "${name}" is not known here.`);
    else if (plain(name) !== "attributes[]" && query.getAll(name).length > 1) {
      throw refuse(`The parameter "${name}" is there twice.`);
    }
  }
  const given = (name: string): string | undefined =>
    accepted.includes(name) ? (query.get(name) ?? undefined) : undefined;
  const edge = (name: string, without: number): number => {
    const value = given(name);
    if (value === undefined) return without;
    const isId = endpoint === "respondent_attributes" || endpoint === "survey_questions";
    const read = isId ? (/^\d{1,15}$/.test(value) ? Number(value) : undefined) : parseTimestamp(value);
    if (read !== undefined) return read;
    const form = isId ? "be an id from a link" : "look like 2026-01-31T12:00:00.000000Z";
    throw refuse(`${name} is "${value}"; it must ${form}.`);
  };
  const size = given("items_per_page");
  if (size !== undefined && (!/^\d{1,3}$/.test(size) || Number(size) < 1 || Number(size) > 100)) {
    throw refuse(`items_per_page is "${size}"; it must be a whole number from 1 to 100.`);
  }
  const startMicros = edge("start", Infinity);
  const endMicros = dialect === "ignores_end" ? -Infinity : edge("end", -Infinity);
  if (startMicros <= endMicros) throw refuse("start must be later than end.");
  return {
    itemsPerPage: size === undefined ? undefined : Number(size),
    start: given("start"),
    startMicros,
    end: given("end"),
    endMicros,
    attributes: [...query].flatMap(([name, value]) => (plain(name) === "attributes[]" ? [value] : [])),
    filters: given("filters"),
    cursor: given("cursor"),
  };
}
