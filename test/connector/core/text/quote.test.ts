import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quote } from "../../../../connector/core/text/quote.ts";

/** Any UTF-16, lone surrogates too, with many of the characters that change how a line looks. */
const unit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.constantFrom(0x0a, 0x1b, 0x7f, 0x9b, 0x202e, 0x2066, 0x2028, 0xfeff, 0xd83d, 0xdc4d, 0x22, 0x5c),
);
const anyText = fc.array(unit, { maxLength: 400 }).map((units) => String.fromCharCode(...units));
const MISLEADING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe("a quotation from outside", () => {
  it("is one short line without a character that hides or reorders others, and says the text, or its start", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 300 }), (text, maxLength) => {
        const quoted = quote(text, maxLength);
        expect(quoted.length).toBeLessThanOrEqual(maxLength + 2);
        expect(quoted).not.toMatch(MISLEADING);
        expect(quoted.isWellFormed()).toBe(true);
        const said: string = JSON.parse(quoted);
        if (quote(text, Number.POSITIVE_INFINITY).length <= maxLength + 2) expect(said).toBe(text);
        else expect(said.endsWith("…") && text.startsWith(said.slice(0, -1))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["plain text", '"plain text"'],
    ['a "word"\\', '"a \\"word\\"\\\\"'],
    ["two\nlines", '"two\\nlines"'],
    ["\u202Eevil\u2066", '"\\u202eevil\\u2066"'],
    ["\u{E0041}", '"\\udb40\\udc41"'],
    ["\u001b[31mred\u007f\u009b", '"\\u001b[31mred\\u007f\\u009b"'],
    ["\uD83D", '"\\ud83d"'],
    ["Größe 美咲 👍", '"Größe 美咲 👍"'],
  ])("escapes %j as %s", (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  it("never cuts an escape or a pair of surrogates", () => {
    expect(quote("👍👍", 3)).toBe('"👍…"');
    expect(quote("👍👍", 2)).toBe('"…"');
    expect(quote("a\u202Ebc", 6)).toBe('"a…"');
  });
});
