import { describe, expect, it } from "vitest";
import { parseConfiguration } from "../../connector/airbyte/configuration.ts";
import { addressOf, leavesList, parseBaseUrl } from "../../connector/core/client/address.ts";
import { parseJsonExactly } from "../../connector/core/client/json.ts";
import { reasonIn, retryAfterMs } from "../../connector/core/client/refusal.ts";
import { parseTimestamp } from "../../connector/core/coverage/timestamp.ts";
import { outside, outsideValue, render, request, say } from "../../connector/core/text/message.ts";
import connection from "../../spec/connection.json" with { type: "json" };

/** Every pattern of the configuration form, at any depth. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "pattern" && typeof inner === "string" ? [inner] : patternsIn(inner),
  );
}

const LENGTH = 50_000;
const BITS = [
  "a",
  "/",
  ".",
  "-",
  "0",
  "P1",
  "T",
  "1W",
  "https://",
  "https://a/",
  "/v2",
  "!",
  " ",
  "\\",
  "2026-01-01T00:00:00.",
];

describe("no text makes a pattern of the configuration form hang", () => {
  const patterns = [...new Set(patternsIn(connection))];
  it.each(patterns)("%s", (pattern) => {
    const compiled = new RegExp(pattern, "u");
    const beganMs = performance.now();
    for (const bit of BITS) {
      for (const before of ["", "https://", "https://a/v2", "P", "PT", "2026-01-01T00:00:00."]) {
        for (const after of ["", "!", "\n", "/v2", "\u0000"])
          compiled.test(before + bit.repeat(LENGTH / bit.length) + after);
      }
    }
    // Some 450 texts of 50,000 characters: what grows with the square of the length would take minutes.
    expect(performance.now() - beganMs).toBeLessThan(60_000);
  });

  it("and there are some", () => {
    expect(patterns.length).toBeGreaterThan(3);
  });
});

describe("no text makes what takes text from outside hang", () => {
  const takers: Readonly<Record<string, (text: string) => unknown>> = {
    "a text field": (text) =>
      parseConfiguration({ base_url: text, start_date: text, lookback_window: text, [text]: text }),
    "an entry": (text) =>
      parseConfiguration({ survey_ids: [text], attributes: [text], respondent_uuids: [text] }),
    ...{ parseBaseUrl, parseTimestamp, reasonIn },
    "reasonIn a field": (text) => reasonIn(JSON.stringify({ message: `${text}x` })),
    retryAfterMs: (text) => retryAfterMs(text, 0),
    addressOf: (text) => addressOf("https://a/v2", text),
    leavesList: (text) => leavesList("/surveys/a/responses", text),
    parseJsonExactly: (text) => parseJsonExactly(text, 10),
    "parseJsonExactly a string": (text) => parseJsonExactly(JSON.stringify([text]), 10),
    render: (text) => render(say`${outside(text)}${outsideValue([text])}${request(text)}`),
  };
  const bits = [
    ...BITS,
    '"',
    '\\"',
    "[",
    "{",
    '{"a":',
    "1,",
    "1e",
    "%2f",
    "../",
    "?",
    "#",
    ":1",
    "\n",
    "\u2028",
    "\ud800",
    "-_",
    ",",
  ];

  it.each(Object.entries(takers))("%s", (_, take) => {
    const beganMs = performance.now();
    for (const bit of bits) {
      for (const [before, after] of [
        ["", ""],
        ["https://", "/v2"],
        ["x", "x"],
        ['"', '"'],
        ["/", "\n"],
      ] as const) {
        try {
          take(before + bit.repeat((2 * LENGTH) / bit.length) + after);
        } catch {
          // refused
        }
      }
    }
    // Some 150 texts of 100,000 characters.
    expect(performance.now() - beganMs).toBeLessThan(60_000);
  });
});
