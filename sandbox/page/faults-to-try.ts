import type { Fault } from "../faults/plan.ts";

/** A fault that the page offers, in words for somebody who tries a program against the sandbox. */
export interface FaultToTry {
  readonly title: string;
  /** What a client meets. */
  readonly about: string;
  /** Its name is unique on the page. */
  readonly fault: Fault & { readonly name: string };
}

const LISTS = "survey_responses";
const refusal = (status: number, message: string): Fault["reply"] => ({
  kind: "status",
  status,
  contentType: "application/json; charset=utf-8",
  body: JSON.stringify({ error: { status, message } }),
});

/** The faults of the page, a group at a time. */
export const FAULTS_TO_TRY: Readonly<Record<string, readonly FaultToTry[]>> = {
  "The service": [
    {
      title: "Unavailable for 30 seconds",
      about: "Every request gets 503, with the request to wait 2 seconds.",
      fault: { name: "unavailable", on: "any", reply: "status_503_seconds", toMs: 30_000 },
    },
    {
      title: "Too many requests",
      about: "The next 10 requests get 429, with the request to wait 2 seconds.",
      fault: { name: "too-many", on: "any", reply: "status_429_seconds", times: 10 },
    },
    {
      title: "An error now and then",
      about: "Every fifth request gets 500.",
      fault: { name: "errors", on: "any", reply: "status_500", every: 5 },
    },
    {
      title: "Slow",
      about: "Each answer takes 2 seconds longer.",
      fault: { name: "slow", on: "any", reply: "slow" },
    },
  ],
  "The connection": [
    {
      title: "Down for a minute",
      about: "Every connection is cut before the answer, for 60 seconds.",
      fault: { name: "down", on: "any", reply: "reset_before_headers", toMs: 60_000 },
    },
    {
      title: "Cut connections",
      about: "Every fifth connection is cut before the answer.",
      fault: { name: "cut", on: "any", reply: "reset_before_headers", every: 5 },
    },
    {
      title: "Half an answer",
      about: "Every fifth answer ends in the middle.",
      fault: { name: "half", on: "any", reply: "cut_with_length", every: 5 },
    },
    {
      title: "Silence",
      about: "Every tenth request is accepted and never answered.",
      fault: { name: "silence", on: "any", reply: "silence", every: 10 },
    },
  ],
  "The answers": [
    {
      title: "An empty page",
      about: "Every fourth page of a survey has no responses, and says that more follow.",
      fault: { name: "empty-page", on: LISTS, reply: "page_empty", every: 4 },
    },
    {
      title: "A web page instead of data",
      about: "Every fifth answer is HTML with status 200, as from a proxy or a login page.",
      fault: { name: "html", on: "any", reply: "status_200_html", every: 5 },
    },
    {
      title: "A link to another host",
      about: "Every fourth page of a survey links to https://other.example.",
      fault: { name: "foreign-link", on: LISTS, reply: "link_absolute", every: 4 },
    },
    {
      title: "A response without an id",
      about: "The first response of each page of a survey has no uuid.",
      fault: { name: "no-uuid", on: LISTS, reply: "item_without_uuid" },
    },
  ],
  "The account and its people": [
    {
      title: "Key refused",
      about: "Every request gets 401, as if somebody had revoked the key.",
      fault: { name: "key", on: "any", reply: refusal(401, "The API key was revoked.") },
    },
    {
      title: "Plan expired",
      about: "Every request gets 402, with a reason in the answer.",
      fault: { name: "plan", on: "any", reply: refusal(402, "Your plan has expired.") },
    },
    {
      title: "Respondents not found",
      about: "Every request for a respondent gets 404.",
      fault: { name: "nobody", on: "/respondents/", reply: "status_404" },
    },
  ],
};
