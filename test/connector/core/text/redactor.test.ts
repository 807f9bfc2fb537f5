import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createRedactor, spellingOf } from "../../../../connector/core/text/redactor.ts";

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
/** Text that is no part of a code. */
const calmText = fc.constantFrom("", "It said ", "<b>", "key=", "(", "\n");

/** One character, in one of the ways that services write it. */
const WRITERS: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => character.toUpperCase(),
  (character) => character.toLowerCase(),
  (character) => `%${hex(character, 2)}`,
  (character) => `%${hex(character, 2).toUpperCase()}`,
  (character) => `%25${hex(character, 2)}`,
  (character) => `%2525${hex(character, 2)}`,
  (character) => `\\u${hex(character, 4)}`,
  (character) => `\\\\u${hex(character, 4).toUpperCase()}`,
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&amp;#x${hex(character, 2)};`,
  (character) => JSON.stringify(character).slice(1, -1),
];
const hex = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).padStart(digits, "0");

describe("a redactor redacts the key", () => {
  it("as it is, whatever is before and after it", () => {
    fc.assert(
      fc.property(secrets, anyText, anyText, (secret, before, after) => {
        const text = createRedactor(secret)(before + secret + after);
        expect(text).toContain("****");
        expect(text).not.toContain(secret);
      }),
      { numRuns: 3000 },
    );
  });

  it("quoted any number of times, whatever is before and after it", () => {
    fc.assert(
      fc.property(
        secrets,
        anyText,
        anyText,
        fc.integer({ min: 1, max: 4 }),
        (secret, before, after, times) => {
          const quotes = (text: string): string => {
            let said = text;
            for (let time = 0; time < times; time++) said = JSON.stringify(said);
            return said;
          };
          const text = createRedactor(secret)(quotes(before + secret + after));
          expect(text).toContain("****");
          expect(text).not.toContain(quotes(secret).replace(/^[\\"]+|[\\"]+$/g, ""));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("with each character written in its own way, and all of it quoted or percent-encoded once more", () => {
    const ways = fc.infiniteStream(fc.nat(WRITERS.length - 1));
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => JSON.stringify(text),
      encodeURIComponent,
    );
    fc.assert(
      fc.property(secrets, ways, wrap, calmText, calmText, (secret, way, wrapped, before, after) => {
        const pieces = [...secret].map((character) => WRITERS[way.next().value!]!(character));
        const text = createRedactor(secret)(wrapped(before + pieces.join("") + after));
        expect(text).toContain("****");
        for (let at = 0; at + 8 <= pieces.length; at++) {
          const piece = wrapped(pieces.slice(at, at + 8).join("")).replace(/^"|"$/g, "");
          expect(text.includes(piece), `${text} holds ${piece}`).toBe(false);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it.each(["base64", "base64url", "hex"] as const)("in %s, as a part of what gateways log", (encoding) => {
    const encoded = (text: string) => Buffer.from(text, "latin1").toString(encoding);
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => text,
      JSON.stringify,
      encodeURIComponent,
    );
    fc.assert(
      fc.property(secrets, anyText, anyText, wrap, (secret, before, after, wrapped) => {
        const text = createRedactor(secret)(`logged ${wrapped(encoded(before + secret + after))}.`);
        for (let at = 0; at + 8 <= secret.length; at++) {
          const filler = [...before, ...secret.slice(0, at)].map(() => "\0").join("");
          const whole = encoded(filler + secret.slice(at, at + 8));
          // Without the characters at its ends, which hold other bytes too.
          const [first, last] =
            encoding === "hex" ? [2 * filler.length, undefined] : [Math.ceil((4 * filler.length) / 3), -3];
          const piece = wrapped(whole.slice(first, last)).replace(/^"|"$/g, "");
          if (piece.length >= 10) expect(text.includes(piece), `${text} holds ${piece}`).toBe(false);
        }
        expect(text).toContain("****");
      }),
      { numRuns: 1000 },
    );
    expect(createRedactor("k3y-9f2c77")(`x ${encoded("Basic k3y-9f2c77")} y`)).toContain("****");
  });

  it("and nothing else", () => {
    fc.assert(
      fc.property(secrets, fc.lorem({ maxCount: 20 }), (secret, text) => {
        fc.pre(!/[a-z ]{4}/i.test(secret));
        expect(createRedactor(secret)(text)).toBe(text);
      }),
    );
    expect(createRedactor("")("text")).toBe("text");
  });

  it.each(["\\".repeat(12), "%41%42%43", `${"\\".repeat(10)}ab`, "&amp;&amp;"])(
    "even if it is made of codes: %s",
    (secret) => {
      expect(createRedactor(secret)(`x ${secret} y`)).toBe("x **** y");
      expect(createRedactor(secret)(`x ${encodeURIComponent(secret)} y`)).not.toContain(
        encodeURIComponent(secret),
      );
    },
  );
});

describe("a key shorter than eight characters", () => {
  it.each([
    ["k3y", 'the key "k3y" is bad', 'the key "****" is bad'],
    ["k3y!", "the key k3y! is bad", "the key **** is bad"],
    ["k3y!", "Authorization: Basic k3y%21", "Authorization: Basic ****"],
    ["K3Y9", "k3y9 and xk3y9 and k3y95", "**** and xk3y9 and k3y95"],
    ["k3y", "a link to http://evil/k3y/x", "a link to http://evil/****/x"],
    ["missing", 'Basic missing, {\\"key\\":\\"missing\\"}', 'Basic ****, {\\"key\\":\\"****\\"}'],
    ["5", "it said 55, key=5", "it said 55, key=****"],
  ])("%s is redacted as a whole, and no part of a word is: %s", (secret, text, redacted) => {
    expect(createRedactor(secret)(text)).toBe(redacted);
  });
});

describe("the work of a redactor", () => {
  afterEach(() => vi.restoreAllMocks());

  /** Characters read and substrings looked up, for one text. */
  function operations(secret: string, text: string): number {
    const redact = createRedactor(secret);
    const spies = [
      vi.spyOn(String.prototype, "charCodeAt"),
      vi.spyOn(String.prototype, "slice"),
      vi.spyOn(Set.prototype, "has"),
      vi.spyOn(Uint8Array.prototype, "fill"),
    ];
    redact(text);
    const sum = spies.reduce((total, spy) => total + spy.mock.calls.length, 0);
    for (const spy of spies) spy.mockRestore();
    return sum;
  }

  it.each(["\\", "%", "%25", "\\u", "\\u0", "&", "&#", "&amp;", "a", "aaaaaaa…", "%61", "k3y-9f2c7", "k…"])(
    "grows with the length of a text of %s, never with its square",
    (piece) => {
      for (const secret of ["aaaaaaaaaaaaaaaaaaaaaaaa", "k3y-9f2c77", "\\\\\\\\\\\\\\\\\\a"]) {
        const once = operations(secret, piece.repeat(400 / piece.length));
        const tenTimes = operations(secret, piece.repeat(4000 / piece.length));
        expect(tenTimes).toBeLessThan(once * 11);
      }
    },
  );

  it("covers each character of a text by no more than eight marks in each way to read it", () => {
    let marked = 0;
    const fill = Uint8Array.prototype.fill;
    vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(function (this: Uint8Array, value, start, end) {
      marked += end! - start!;
      return fill.call(this, value, start, end);
    });
    const text = `aaaa${"\\".repeat(5000)}`.repeat(4);
    createRedactor("a".repeat(20))(text);
    expect(marked).toBeLessThanOrEqual(8 * 4 * text.length);
  });

  it("replaces fewer codes than there are characters", () => {
    const text = "%2525252525414142&amp;amp;#65;".repeat(100);
    const { characters, starts, ends } = spellingOf(text, { decodes: true, skipsBackslashes: false });
    expect(characters.length).toBeLessThan(text.length);
    for (let at = 1; at < characters.length; at++) expect(starts[at]).toBe(ends[at - 1]);
  });
});
