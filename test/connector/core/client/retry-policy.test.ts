import { expect, it } from "vitest";
import { retryAfterMs, verdictOn } from "../../../../connector/core/client/retry-policy.ts";
import { render } from "../../../../connector/core/text/message.ts";

it.each([
  [[301, 302, 308], "config", "redirected", false],
  [[400, 422], "config", "rejected", false],
  [[401], "config", "unauthorized", false],
  [[402], "config", "forbidden", false],
  [[403], "config", "forbidden", false],
  [[404, 410], "config", "not_found", false],
  [[408, 425, 500, 502, 504, 599], "transient", "unavailable", false],
  [[418], "system", "rejected", false],
  [[429], "transient", "rate_limited", true],
  [[503], "transient", "unavailable", true],
] as const)("status %j is of kind %s, as %s, and pauses all: %s (S10)", (statuses, kind, code, pausesAll) => {
  for (const status of statuses)
    expect({ pausesAll: false, ...verdictOn(status) }).toMatchObject({ kind, code, pausesAll });
});

it("every number has a verdict, with words for people", () => {
  for (let status = 0; status < 1000; status++) {
    const { what, advice } = verdictOn(status);
    expect(render(what)).toMatch(/^[A-Z].*[a-z]$/);
    expect(render(advice)).toMatch(/^[A-Z].*[^.]$/);
  }
});

const NOW_MS = Date.UTC(2026, 0, 1);

it.each([
  [" 5 ", 5000],
  ["0.5", 500],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Thursday, 01-Jan-26 00:00:30 GMT", 30_000],
  ["Thu Jan  1 00:00:30 2026", 30_000],
  ["99999999999", 3_600_000],
  ["Fri, 01 Jan 2100 00:00:00 GMT", 3_600_000],
])("a Retry-After of %j is %i ms, an hour at most", (header, ms) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(ms);
});

it.each([
  ...[undefined, "", "0", "-5", "soon", "5 minutes", "1e9", "2026-01-01", "Wed, 31 Dec 2025 23:59:00 GMT"],
  ...["May 5", "January 2, 2026", "Fri, 2 Jan 2026 00:00:00", "Tue, 31 Feb 2026 00:00:00 GMT", "Date: 7"],
])("a Retry-After of %j says nothing", (header) => {
  expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
});
