import type { FaultReply } from "./kinds.ts";

/**
 * The faults that a client must cope with, by name: one for each thing that the connector does about a fault. Hosts
 * under `.example` belong to nobody. Each fault does one thing to one answer, and `Fault` says to which answers.
 */
export const FAULT_CATALOGUE = {
  status_400_quotes_key: { kind: "status", status: 400, body: '{"error":"Rejected: Basic {key}"}' },
  status_403: {
    kind: "status",
    status: 403,
    body: '{"error":{"status":403,"message":"Your plan does not include the API."}}',
  },
  status_404: { kind: "status", status: 404 },
  status_429: { kind: "status", status: 429 },
  status_429_seconds: { kind: "status", status: 429, retryAfter: 2 },
  status_500: { kind: "status", status: 500 },
  status_503: { kind: "status", status: 503 },
  status_503_seconds: { kind: "status", status: 503, retryAfter: 2 },
  status_200_html: {
    kind: "status",
    status: 200,
    contentType: "text/html; charset=utf-8",
    body: "<!doctype html><title>Bad gateway</title><p>Back soon.</p>",
  },
  reset_before_headers: { kind: "reset" },
  cut_with_length: { kind: "cut", announcedBy: "length" },
  cut_without_length: { kind: "cut", announcedBy: "nothing" },
  silence: { kind: "silence" },
  body_huge: { kind: "huge" },
  redirect_other_host: { kind: "redirect", to: "https://other.example{path}" },
  no_data: { kind: "envelope", drop: ["data"] },
  more_without_link: {
    kind: "envelope",
    set: { "pagination_data.has_more": true },
    drop: ["pagination_data.next_url"],
  },
  link_stays: { kind: "link", to: "{self}" },
  link_back: { kind: "link", to: "{path}" },
  link_absolute: { kind: "link", to: "https://other.example/v2{link}" },
  link_other_survey: { kind: "link", to: "/surveys/{other_survey}/responses{query}" },
  link_with_key: { kind: "link", to: "{link}&access={key}", keepLastPage: true },
  item_without_uuid: { kind: "items", drop: ["uuid", "id"] },
  item_without_respondent: { kind: "items", drop: ["respondent"] },
  item_an_hour_ahead: { kind: "items", aheadMs: 3_600_000 },
  item_unknown_fields: {
    kind: "items",
    which: "every",
    set: { sentiment: { score: 0.5, words: ["fine"] }, "respondent.segment": "new" },
  },
  item_other_types: {
    kind: "items",
    which: "every",
    set: {
      answers: "none",
      url: 7,
      device_type: null,
      language: ["en"],
      attributes: null,
      name: 5,
      value: 1.5,
    },
  },
  page_reversed: { kind: "reverse" },
  page_empty: { kind: "empty_page" },
  page_empty_link_on: { kind: "empty_page", to: "{link}" },
  slow: { kind: "delay", ms: 2_000 },
} satisfies Record<string, FaultReply>;

export type FaultName = keyof typeof FAULT_CATALOGUE;
