import { describe, expect, it } from "vitest";
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
    expect(performance.now() - beganMs).toBeLessThan(5000);
  });

  it("and there are some", () => {
    expect(patterns.length).toBeGreaterThan(3);
  });
});
