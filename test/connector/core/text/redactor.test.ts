import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createRedactor } from "../../../../connector/core/text/redactor.ts";

const visible = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
/** Any key that a header may hold; half of them full of the characters that codes are made of. */
const secrets = fc.string({
  unit: fc.oneof(visible, fc.constantFrom("%", "\\", "u", "0", "4", "&", ";", "#", '"')),
  minLength: 8,
  maxLength: 80,
});
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ minLength: 1, maxLength: 1 }),
    fc.constantFrom("%", "4", "\\", "u", "0", "&#", "&"),
  ),
  maxLength: 40,
});

const codes = (write: (code: number, hex: string) => string) => (text: string) =>
  [...text]
    .map((each) => write(each.charCodeAt(0), each.charCodeAt(0).toString(16).padStart(2, "0")))
    .join("");

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, "0");
const unicode = (character: string): string => `\\u00${hexOf(character).toUpperCase()}`;

/** The ways in which services and gateways quote a key. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in upper case": (text) => text.toUpperCase(),
  "in lower case": (text) => text.toLowerCase(),
  "percent-encoded": encodeURIComponent,
  "percent-encoded as a whole": codes((_, hex) => `%${hex}`),
  "in JSON": (text) => JSON.stringify(text).slice(1, -1),
  "in JSON's codes": codes((_, hex) => `\\u00${hex.toUpperCase()}`),
  "in HTML's decimal codes": codes((code) => `&#${code};`),
  "in HTML's hexadecimal codes": codes((_, hex) => `&#x${hex};`),
  "in HTML": (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  "in PHP's JSON": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "in .NET's JSON": (text) => text.replaceAll("\\", "\\\\").replace(/["&'+<>`]/g, unicode),
  "in Go's HTML": (text) => text.replace(/["&'+<>]/g, (each) => `&#${each.charCodeAt(0)};`),
  "in Handlebars' HTML": (text) => text.replace(/["&'<>`=/]/g, (each) => `&#x${hexOf(each).toUpperCase()};`),
  "in Python's URLs": (text) => text.replace(/[^\w.~/-]/g, (each) => `%${hexOf(each).toUpperCase()}`),
  "in HTML's names": (text) =>
    text.replace(/[+/=]/g, (each) => ({ "+": "&plus;", "/": "&sol;", "=": "&equals;" })[each]!),
  "in HTML's codes with zeros": codes((code, hex) => (code % 2 ? `&#000${code};` : `&#x00${hex};`)),
  "after backslashes": (text) => text.replace(/\W/g, "\\$&"),
  "in C's codes": codes((_, hex) => `\\x${hex}`),
  "in C's octal codes": codes((code) => `\\${code.toString(8).padStart(3, "0")}`),
  "in the shell's octal codes": codes((code) => `\\0${code.toString(8)}`),
  "in JavaScript's codes": codes((_, hex) => `\\u{${hex}}`),
  "in JavaScript's codes with zeros": codes((_, hex) => `\\u{0000${hex.toUpperCase()}}`),
  "in JavaScript's old URLs": codes((_, hex) => `%u00${hex}`),
};
/** Keys of random bytes, as services make them. */
const base64Keys = fc
  .uint8Array({ minLength: 6, maxLength: 48 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));

/** No eight characters of the key in a row are left, as `spelled` writes them. */
function expectHidden(text: string, secret: string, spelled: (piece: string, at: number) => string): void {
  expect(text).toContain("****");
  for (let at = 0; at + 8 <= secret.length; at++) {
    const piece = spelled(secret.slice(at, at + 8), at);
    if (piece.length >= 8) expect(text.includes(piece), `${text} holds ${piece}`).toBe(false);
  }
}

describe("a redactor hides the key", () => {
  it.each(Object.entries(SPELLINGS))("%s, whatever is before and after it", (_, spelled) => {
    fc.assert(
      fc.property(secrets, anyText, anyText, (secret, before, after) => {
        expectHidden(createRedactor(secret)(before + spelled(secret) + after), secret, spelled);
      }),
      { numRuns: 500 },
    );
  });

  it("to its last character, if each is escaped in any of these ways", () => {
    const ways = fc.array(fc.constantFrom(...Object.values(SPELLINGS)), { minLength: 1, maxLength: 48 });
    fc.assert(
      fc.property(base64Keys, ways, (key, spelled) => {
        const text = [...key].map((each, at) => spelled[at % spelled.length]!(each)).join("");
        expect(createRedactor(key)(`… ${text} …`)).toBe("… **** …");
      }),
      { numRuns: 2000 },
    );
  });

  it("also in base64 that PHP's JSON escapes", () => {
    const encoded = Buffer.from("??????>>????>").toString("base64");
    expect(createRedactor("??????>>????>")(encoded.replaceAll("/", "\\/"))).toMatch(/^\*{4}.{0,3}$/);
  });

  it.each(["base64", "base64url", "hex"] as const)("in %s, as a part of what gateways log", (encoding) => {
    const encoded = (text: string) => Buffer.from(text, "latin1").toString(encoding);
    fc.assert(
      fc.property(secrets, anyText, anyText, (secret, before, after) => {
        const text = createRedactor(secret)(`logged ${encoded(before + secret + after)}.`);
        expectHidden(text, secret, (piece, at) => {
          const filler = "\0".repeat(before.length + at);
          // Without the characters at its ends, which hold other bytes too.
          const ends = encoding === "hex" ? [2 * filler.length] : [Math.ceil((4 * filler.length) / 3), -3];
          const own = encoded(filler + piece).slice(...ends);
          return encoding !== "hex" && own.length < 10 ? "" : own;
        });
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ...[
      ["", ":"],
      ["", " "],
      ["", "-"],
      ["<", " "],
      ["0x", ",0x"],
      ["0x", ", 0x"],
      ['["', '","'],
    ],
    ...[
      ["\\x", " \\x"],
      ["[", ", ", 10],
      ["[ ", ",  ", 10],
    ],
  ] as [string, string, number?][])("in a list of bytes, %s71%s77", (before, between, base = 16) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const bytes = [...secret].map((each) => each.charCodeAt(0).toString(base).padStart(2, "0"));
        const text = createRedactor(secret)(`sent ${before}${bytes.join(between)} to it`);
        expect(text).toBe(`sent ${before === "\\x" ? "" : before}**** to it`);
      }),
    );
  });

  it("and nothing else", () => {
    fc.assert(
      fc.property(secrets, fc.lorem({ maxCount: 20 }), (secret, text) => {
        fc.pre(!/[a-z ]{4}/i.test(secret));
        expect(createRedactor(secret)(text)).toBe(text);
      }),
    );
    expect(createRedactor("")("text")).toBe("text");
    expect(createRedactor("k3y-9f2c77")("k3y-9f2c77 and İK3Y-9F2C77 and k3y-9f2c7, k3y-9f2c")).toBe(
      "**** and İ**** and ****, ****",
    );
  });
});

describe("a key shorter than eight characters", () => {
  it.each([
    ["k3y", 'the key "k3y" is bad', 'the key "****" is bad'],
    ["k3y!", "the key k3y! is bad", "the key **** is bad"],
    ["k3y/", "Authorization: Basic k3y%2F", "Authorization: Basic ****"],
    ["K3Y9", "k3y9 and xk3y9 and k3y95", "**** and xk3y9 and k3y95"],
    ["k3y", "a link to http://evil/k3y/x", "a link to http://evil/****/x"],
    ["missing", 'Basic missing, {\\"key\\":\\"missing\\"}', 'Basic ****, {\\"key\\":\\"****\\"}'],
    ["5", "it said 55, key=5", "it said 55, key=****"],
  ])("%s is hidden as a whole, and no part of a word is: %s", (secret, text, redacted) => {
    expect(createRedactor(secret)(text)).toBe(redacted);
  });
});

it("the work of a redactor grows with the length of a text, never with its square", () => {
  const redact = createRedactor("aaaaaaaaaaaaaaaaaaaaaaaa");
  const comparisons = (text: string): number => {
    const spy = vi.spyOn(String.prototype, "includes");
    redact(text);
    const { length } = spy.mock.calls;
    spy.mockRestore();
    return length;
  };
  for (const piece of [
    "a",
    "aaaaaaa…",
    "%61",
    "b",
    "\\",
    "&#0",
    "aaaaaaa&#x0",
    "\\u006",
    "61, ",
    "\\u{0",
    "\\14",
  ])
    expect(comparisons(piece.repeat(1000))).toBeLessThan(11 * comparisons(piece.repeat(100)));
});

it.each([
  ["&#", "0"],
  ["&", "a"],
  ["aaaaaaa&#x", "0"],
])(
  "the end of an escape is not looked for again at each place: %s, then %s a million times",
  (start, piece) => {
    const text = start + piece.repeat(1_000_000);
    expect(createRedactor("&#x0-a-key")(text)).toBe(text);
  },
  120_000,
);
