import { describe, expect, it } from "vitest";
import { formatTimestamp, parseTimestamp } from "../../sandbox/time.ts";

describe("a timestamp", () => {
  it("keeps its microseconds through reading and writing, on either side of the epoch", () => {
    for (const text of [
      "2026-09-30T06:07:52.518975Z",
      "1969-12-31T23:59:59.999999Z",
      "2024-02-29T00:00:00.000000Z",
    ]) {
      expect(formatTimestamp(parseTimestamp(text)!)).toBe(text);
    }
    expect(parseTimestamp("1969-12-31T23:59:59.999999Z")).toBe(-1);
  });

  it("is written as short as the service chooses", () => {
    const micros = parseTimestamp("2026-01-01T00:00:00.120000Z")!;
    expect([
      formatTimestamp(micros, "millis"),
      formatTimestamp(micros, "shortest"),
      formatTimestamp(micros, "seconds"),
    ]).toEqual(["2026-01-01T00:00:00.120Z", "2026-01-01T00:00:00.12Z", "2026-01-01T00:00:00Z"]);
  });
});
