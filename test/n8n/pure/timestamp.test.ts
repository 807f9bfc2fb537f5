import { expect, test } from "vitest";
import { timestampFrom } from "../../../n8n-node/nodes/SurveyExport/actions/reading.ts";

test.each([
  ["2026-01-31", "UTC", "2026-01-31T00:00:00.000000Z"],
  ["2026-01-31 08:30", "UTC", "2026-01-31T08:30:00.000000Z"],
  ["2026-01-31T08:30:00.123456Z", "America/New_York", "2026-01-31T08:30:00.123456Z"],
  ["2026-01-31T08:30:00.1234567+02:00", "UTC", "2026-01-31T06:30:00.123456Z"],
  ["2026-01-31T08:30:00.000-05:00[America/New_York]", "UTC", "2026-01-31T13:30:00.000000Z"],
  ["2026-07-01T02:00:00", "Europe/Berlin", "2026-07-01T00:00:00.000000Z"],
  ["2026-01-01T02:00:00", "Europe/Berlin", "2026-01-01T01:00:00.000000Z"],
  // Clocks go forward at two, so these two are one second apart.
  ["2026-03-29T01:59:59", "Europe/Berlin", "2026-03-29T00:59:59.000000Z"],
  ["2026-03-29T03:00:00", "Europe/Berlin", "2026-03-29T01:00:00.000000Z"],
  ["2026-01-31T00:00:00", "Asia/Kathmandu", "2026-01-30T18:15:00.000000Z"],
])("%s in %s is %s", (text, zone, timestamp) => {
  expect(timestampFrom(text, zone)).toBe(timestamp);
});

test("a date of JavaScript is taken too", () => {
  expect(timestampFrom(new Date("2026-01-31T08:30:00Z"), "Europe/Berlin")).toBe(
    "2026-01-31T08:30:00.000000Z",
  );
});

test.each([
  "",
  "yesterday",
  "2026-02-30",
  "2026-13-01",
  "2026-01-31T25:00",
  "31.01.2026",
  1_767_225_600,
  new Date("?"),
])("%s is not a timestamp", (text) => {
  expect(timestampFrom(text, "UTC")).toBeUndefined();
});
