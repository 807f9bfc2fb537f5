import fc from "fast-check";
import { expect, it } from "vitest";
import { retryAfterMs } from "../../../../connector/core/client/refusal.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

it.each([
  ["5", 5000],
  [" 5 ", 5000],
  ["0.5", 500],
  ["3600", 3_600_000],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Thursday, 01-Jan-26 00:00:30 GMT", 30_000],
])("waits as long as %j says: %i ms", (header, ms) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(ms);
});

it.each([
  undefined,
  "",
  "0",
  "-5",
  "soon",
  "5 minutes",
  "1e9",
  "0x10",
  "NaN",
  "Infinity",
  "Wed, 31 Dec 2025 23:59:00 GMT",
  "Thu, 99 Jan 2026 00:00:30 GMT",
  "2026-01-01T00:00:30Z",
])("takes no advice from %j", (header) => {
  expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
});

it.each(["99999999999", "Fri, 01 Jan 2100 00:00:00 GMT"])("believes %j for an hour only", (header) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(3_600_000);
});

it("gives a whole number of milliseconds between one and an hour's, or none, whatever the header", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const ms = retryAfterMs(header, NOW_MS);
      if (ms === undefined) return;
      expect(Number.isInteger(ms) && ms > 0 && ms <= 3_600_000).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
