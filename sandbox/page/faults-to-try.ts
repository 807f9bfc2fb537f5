import type { Fault } from "../faults/plan.ts";

/** A fault that the page offers, in words for somebody who tries a program against the sandbox. */
export interface FaultToTry {
  /** The fault's name, too. */
  readonly title: string;
  /** What a client meets. */
  readonly about: string;
  readonly fault: Fault;
}

const offer = (title: string, about: string, fault: Fault): FaultToTry => ({
  title,
  about,
  fault: { name: title, ...fault },
});

/** The faults of the page, a group at a time. */
export const FAULTS_TO_TRY: Readonly<Record<string, readonly FaultToTry[]>> = {
  "The service": [
    offer("Unavailable for 30 seconds", "Every request gets 503, with the request to wait 2 seconds.", {
      on: "any",
      reply: "status_503_seconds",
      toMs: 30_000,
    }),
    offer("Too many requests", "The next 10 requests get 429, with the request to wait 2 seconds.", {
      on: "any",
      reply: "status_429_seconds",
      times: 10,
    }),
    offer("An error now and then", "Every fifth request gets 500.", {
      on: "any",
      reply: "status_500",
      every: 5,
    }),
    offer("Slow", "Each answer takes 2 seconds longer.", { on: "any", reply: "slow" }),
  ],
  "The connection": [
    offer("Down for a minute", "Every connection is cut before the answer, for 60 seconds.", {
      on: "any",
      reply: "reset_before_headers",
      toMs: 60_000,
    }),
    offer("Half an answer", "Every fifth answer ends in the middle.", {
      on: "any",
      reply: "cut_with_length",
      every: 5,
    }),
    offer("Silence", "Every tenth request is accepted and never answered.", {
      on: "any",
      reply: "silence",
      every: 10,
    }),
  ],
  "The answers": [
    offer("An empty page", "Every fourth page of a survey has no responses, and says that more follow.", {
      on: "survey_responses",
      reply: "page_empty",
      every: 4,
    }),
    offer("A web page instead of data", "Every fifth answer is HTML with status 200, as from a login page.", {
      on: "any",
      reply: "status_200_html",
      every: 5,
    }),
    offer("A link to another host", "Every fourth page of a survey links to https://other.example.", {
      on: "survey_responses",
      reply: "link_absolute",
      every: 4,
    }),
    offer("A response without an id", "The first response of each page of a survey has no uuid.", {
      on: "survey_responses",
      reply: "item_without_uuid",
    }),
  ],
  "The account and its people": [
    offer("Key refused", "Every request gets 401, as if somebody had revoked the key.", {
      on: "any",
      reply: { kind: "status", status: 401 },
    }),
    offer("Plan without the API", "Every request gets 403, with a reason in the answer.", {
      on: "any",
      reply: "status_403",
    }),
    offer("Respondents not found", "Every request for a respondent gets 404.", {
      on: "/respondents/",
      reply: "status_404",
    }),
  ],
};
