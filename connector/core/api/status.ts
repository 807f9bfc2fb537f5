import type { ErrorCode, ErrorKind } from "../errors.ts";

/** What to do about an answer: use it, pause every request, try this one again, or stop asking. */
export type Action = "use" | "pause" | "retry" | "fail";

export interface Verdict {
  readonly action: Action;
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  /** What happened, and what to do, around the place where it happened. */
  readonly what: string;
  readonly advice: string;
  /** Whether the answer's body helps the reader of the message. */
  readonly quotesBody?: true;
}

const KEY_PAGE = "in the service's web panel under Settings, Organization, Access Keys";

const SERVER: Verdict = {
  action: "retry",
  kind: "transient",
  code: "unavailable",
  what: "The service could not answer",
  advice: "Run the sync again; what was delivered is kept. If it goes on, ask the service",
};

const NOT_THERE: Verdict = {
  action: "fail",
  kind: "config",
  code: "not_found",
  what: "The service has nothing at this address",
  advice: "Check the id, and that base_url is the service's address up to and including /v2",
};

const REJECTED: Verdict = {
  action: "fail",
  kind: "config",
  code: "rejected",
  what: "The service rejected the request",
  advice: "Check the ids, dates and attribute names in the configuration",
  quotesBody: true,
};

/** The service documents 404 and 429 only; the rest is what such services commonly mean (S10). */
const BY_STATUS: Readonly<Record<number, Verdict>> = {
  400: REJECTED,
  401: {
    action: "fail",
    kind: "config",
    code: "unauthorized",
    what: "The service does not accept the API key",
    advice: `Copy the key again; it is shown ${KEY_PAGE}`,
  },
  402: {
    action: "fail",
    kind: "config",
    code: "payment_required",
    what: "The account's plan does not include API access",
    advice: "Ask the owner of the account to choose a plan with API access",
  },
  403: {
    action: "fail",
    kind: "config",
    code: "forbidden",
    what: "The service refuses access with this API key",
    advice: `Check that the plan includes API access and that the key belongs to the right workspace (${KEY_PAGE})`,
  },
  404: NOT_THERE,
  408: SERVER,
  410: NOT_THERE,
  422: REJECTED,
  425: SERVER,
  429: {
    action: "pause",
    kind: "transient",
    code: "rate_limited",
    what: "The service's rate limit is used up",
    advice: "Run the sync again later, or lower requests_per_minute if others use the same workspace",
  },
  503: { ...SERVER, action: "pause", what: "The service is unavailable" },
};

/** The whole HTTP policy: a status and what it means. Total: every number has a verdict. */
export function verdictOn(status: number): Verdict {
  const known = BY_STATUS[status];
  if (known) return known;
  if (status >= 200 && status < 300) return { ...SERVER, action: "use" };
  if (status >= 500) return SERVER;
  if (status >= 300 && status < 400) {
    return {
      action: "fail",
      kind: "config",
      code: "redirected",
      what: "The service answered with a redirect, which is not followed, since the API key would travel along",
      advice: "Set base_url to the address that the service really has, up to and including /v2",
    };
  }
  return {
    action: "fail",
    kind: "system",
    code: "rejected",
    what: "The service gave an answer that this version does not understand",
    advice: "Check base_url; if it is right, report this",
    quotesBody: true,
  };
}
