import type { FaultReply } from "./kinds.ts";

const HTML = "<!doctype html><html><head><title>Bad gateway</title></head><body>Back soon.</body></html>";
const HTML_TYPE = "text/html; charset=utf-8";
const YEAR_MS = 365 * 24 * 3_600_000;

/** An error body that quotes the key. */
const quoting = (key: string): string =>
  `{"error":{"message":"Rejected header: Authorization: Basic ${key}"}}`;
const UNSAFE_INTEGER = "9007199254740993";
const numbersOf = (text: string) => ({
  id: text,
  score: text,
  "respondent.visits": text,
  "answers.0.question_id": text,
  "answers.0.answer.id": text,
  "answers.0.answers.0.id": text,
});

/**
 * Every fault that a client must cope with, by name. Hosts under `.example` belong to nobody. Each fault does
 * one thing to one answer, and `Fault` says to which answers. Together they make longer situations:
 * - an outage of the respondents' lists: `{ on: "/respondents/", reply: "status_404", fromMs, toMs }`;
 * - a respondent that is there now and then: `{ on: "/respondents/<uuid>/", reply: "status_404", nth: [1, 3] }`;
 * - a list that breaks off: `{ on: "survey_responses", reply: "status_404", page: "continuation" }`;
 * - thousands of unreadable items in a row, across pages: `{ on: "survey_responses", reply:
 *   { kind: "items", which: { from, to }, drop: ["uuid"] } }`.
 * Responses from the future are data: `collect(id, { count, aheadOfClockMs })`. A service whose `Date` header
 * is ahead is an option: `serviceClockOffsetMs`.
 */
export const FAULT_CATALOGUE = {
  status_099: { kind: "status", status: 99 },
  status_400_quotes_key: { kind: "status", status: 400, body: quoting("{key}") },
  status_404: { kind: "status", status: 404 },
  status_408: { kind: "status", status: 408 },
  status_410: { kind: "status", status: 410 },
  status_429: { kind: "status", status: 429 },
  status_429_seconds: { kind: "status", status: 429, retryAfter: 2 },
  status_429_date: { kind: "status", status: 429, retryAfter: { dateInMs: 3_000 } },
  status_429_past_date: { kind: "status", status: 429, retryAfter: { dateInMs: -YEAR_MS } },
  status_429_nonsense: { kind: "status", status: 429, retryAfter: "soon" },
  status_429_far: { kind: "status", status: 429, retryAfter: { dateInMs: 10 * YEAR_MS } },
  status_429_far_seconds: { kind: "status", status: 429, retryAfter: 99_999_999_999 },
  status_500: { kind: "status", status: 500 },
  status_502_html: { kind: "status", status: 502, contentType: HTML_TYPE, body: HTML },
  status_503: { kind: "status", status: 503 },
  status_503_seconds: { kind: "status", status: 503, retryAfter: 2 },
  status_503_hour: { kind: "status", status: 503, retryAfter: 3_600 },
  status_504: { kind: "status", status: 504, body: "" },
  status_204: { kind: "status", status: 204, body: "" },
  status_200_html: { kind: "status", status: 200, contentType: HTML_TYPE, body: HTML },
  status_200_empty: { kind: "status", status: 200, body: "" },
  status_200_null: { kind: "status", status: 200, body: "null" },
  status_200_list: { kind: "status", status: 200, body: "[]" },
  status_200_quotes_key: { kind: "status", status: 200, body: quoting("{key}") },
  status_200_quotes_key_upper: { kind: "status", status: 200, body: quoting("{key_upper}") },
  date_absent: { kind: "date_header", value: null },
  date_nonsense: { kind: "date_header", value: "half past nine" },
  date_hour_ahead: { kind: "date_header", offsetMs: 3_600_000 },
  date_hour_behind: { kind: "date_header", offsetMs: -3_600_000 },
  reset_before_headers: { kind: "reset", when: "before_headers" },
  reset_in_headers: { kind: "reset", when: "in_headers" },
  reset_after_headers: { kind: "reset", when: "after_headers" },
  reset_in_body: { kind: "reset", when: "in_body" },
  cut_with_length: { kind: "cut", announcedBy: "length" },
  cut_in_chunks: { kind: "cut", announcedBy: "chunks" },
  cut_without_length: { kind: "cut", announcedBy: "nothing" },
  silence: { kind: "silence" },
  body_endless: { kind: "endless" },
  body_drip: { kind: "drip" },
  body_huge: { kind: "huge" },
  body_tiny_objects: { kind: "tiny_objects", count: 20_000_000 },
  body_byte_order_mark: { kind: "prefix", text: "\ufeff" },
  no_pagination_data: { kind: "envelope", drop: ["pagination_data"] },
  no_data: { kind: "envelope", drop: ["data"] },
  no_has_more: { kind: "envelope", drop: ["pagination_data.has_more"] },
  has_more_text: { kind: "envelope", set: { "pagination_data.has_more": "false" } },
  data_object: { kind: "envelope", set: { data: {} } },
  data_null: { kind: "envelope", set: { data: null } },
  more_without_link: {
    kind: "envelope",
    set: { "pagination_data.has_more": true },
    drop: ["pagination_data.next_url"],
  },
  more_with_null_link: {
    kind: "envelope",
    set: { "pagination_data.has_more": true, "pagination_data.next_url": null },
  },
  more_with_empty_link: {
    kind: "envelope",
    set: { "pagination_data.has_more": true, "pagination_data.next_url": "" },
  },
  link_stays: { kind: "link", to: "{self}" },
  link_back: { kind: "link", to: "{path}" },
  link_absolute: { kind: "link", to: "https://other.example/v2{link}" },
  link_protocol_relative: { kind: "link", to: "//other.example/v2{link}" },
  link_backslash: { kind: "link", to: "\\\\other.example/v2{link}" },
  link_slash_backslash: { kind: "link", to: "/\\other.example/v2{link}" },
  link_dots: { kind: "link", to: "/../v1{link}" },
  link_encoded_dots: { kind: "link", to: "/%2e%2e/v1{link}" },
  link_hidden_dots: { kind: "link", to: "/.\t./v1{link}" },
  link_credentials: { kind: "link", to: "https://user:password@other.example/v2{link}" },
  link_at: { kind: "link", to: "@other.example/v2{link}" },
  link_port: { kind: "link", to: ":1@other.example/v2{link}" },
  link_script: { kind: "link", to: "javascript:alert(1)" },
  link_file: { kind: "link", to: "file:///etc/hostname" },
  link_line_break: { kind: "link", to: "{link}\r\nhost: other.example" },
  link_other_survey: { kind: "link", to: "/surveys/{other_survey}/responses{query}" },
  link_with_key: { kind: "link", to: "{link}&access={key}", keepLastPage: true },
  link_absolute_with_key: { kind: "link", to: "https://other.example/v2{link}&access={key}" },
  redirect_other_host: { kind: "redirect", to: "https://other.example{path}" },
  redirect_permanent: { kind: "redirect", status: 308, to: "//other.example{path}" },
  redirect_same_host: { kind: "redirect", status: 307, to: "{path}" },
  item_without_uuid: { kind: "items", drop: ["uuid", "id"] },
  item_without_collected_at: { kind: "items", drop: ["collected_at"] },
  item_without_respondent: { kind: "items", drop: ["respondent"] },
  item_uuid_number: { kind: "items", set: { uuid: 12_345 } },
  item_collected_at_number: { kind: "items", set: { collected_at: 1_767_225_600 } },
  item_collected_at_nonsense: { kind: "items", set: { collected_at: "yesterday" } },
  item_an_hour_ahead: { kind: "items", aheadMs: 3_600_000 },
  item_null_in_lists: {
    kind: "items",
    append: { answers: null, attributes: null, "respondent.attributes": null },
  },
  item_deeply_nested: { kind: "items", nest: { sentiment: 5_000, "answers.0.answer.note": 5_000 } },
  item_beyond_safe_numbers: { kind: "items", raw: numbersOf(UNSAFE_INTEGER) },
  item_infinite_numbers: { kind: "items", raw: numbersOf("1e400") },
  item_lone_surrogates: {
    kind: "items",
    set: { url: "https://www.example.com/\ud83d?\ude00", value: "\udc4d up", "mood \ud83d": "\ud83d" },
  },
  items_without_uuid: { kind: "items", which: "every", drop: ["uuid", "id"] },
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
  item_null: { kind: "items", become: null },
  item_text: { kind: "items", become: "response" },
  item_unknown_fields: {
    kind: "items",
    which: "every",
    set: { sentiment: { score: 0.5, words: ["fine"] }, "respondent.segment": "new" },
  },
  item_million_characters: { kind: "items", fill: { url: 1_000_000, value: 1_000_000 } },
  page_reversed: { kind: "reverse" },
  page_empty: { kind: "empty_page" },
  page_empty_link_on: { kind: "empty_page", to: "{link}" },
  slow: { kind: "delay", ms: 2_000 },
} satisfies Record<string, FaultReply>;

export type FaultName = keyof typeof FAULT_CATALOGUE;
