import { type Message, say } from "@survey-export/core";

/** The first character at which a text is no JSON. `line` and `column` count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** What stands there, if it is a mistake that people make often. It quotes nothing of the text, which may hold a key. */
  readonly reason: Message | undefined;
}

/** What may come next. */
type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end" | "nothing";

const WHITE_SPACE = /[ \t\n\r]*/y;
/** Without control characters, which a string of JSON escapes. */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const SIMPLE_VALUE = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Where a text that `JSON.parse` refuses stops being JSON; undefined if it is JSON. The errors of `JSON.parse` itself name no
 * place for half of the mistakes, and quote the text for the others.
 */
export const faultInJson = (text: string): JsonFault | undefined => new Scanner(text).fault();

/** Reads a text from its beginning, as far as it is JSON. */
class Scanner {
  readonly #text: string;
  #at = 0;
  #expected: Expected = "value";
  /** What closes the brackets that are open, the innermost last. */
  readonly #open: ("}" | "]")[] = [];
  /** The place of the last comma, until something follows it. */
  #comma: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  fault(): JsonFault | undefined {
    for (;;) {
      this.#skip(WHITE_SPACE);
      const character = this.#text[this.#at];
      if (character === undefined)
        return this.#expected === "nothing" ? undefined : this.#faultAt(this.#at, ENDS_EARLY);
      const next = this.#afterPart(character);
      if (next === undefined) return this.#faultBefore(character);
      this.#expected = next;
      if (character !== ",") this.#comma = undefined;
    }
  }

  /** Reads one bracket, colon, comma, name or value. @returns what may follow; undefined if it does not fit */
  #afterPart(character: string): Expected | undefined {
    const expected = this.#expected;
    if (expected.endsWith("or end") && character === this.#open.at(-1)) {
      this.#open.pop();
      return this.#after(1, this.#afterValue());
    }
    if (expected === "colon") return character === ":" ? this.#after(1, "value") : undefined;
    if (expected === "name" || expected === "name or end") return this.#skip(STRING) ? "colon" : undefined;
    if (expected === "value" || expected === "value or end") return this.#value(character);
    if (expected !== "comma or end" || character !== ",") return undefined;
    this.#comma = this.#at;
    return this.#after(1, this.#open.at(-1) === "}" ? "name" : "value");
  }

  #value(character: string): Expected | undefined {
    if (character === "{") {
      this.#open.push("}");
      return this.#after(1, "name or end");
    }
    if (character === "[") {
      this.#open.push("]");
      return this.#after(1, "value or end");
    }
    return this.#skip(STRING) || this.#skip(SIMPLE_VALUE) ? this.#afterValue() : undefined;
  }

  #after(characters: number, expected: Expected): Expected {
    this.#at += characters;
    return expected;
  }

  #afterValue(): Expected {
    return this.#open.length === 0 ? "nothing" : "comma or end";
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found !== "";
  }

  /** The character here does not fit. After a comma, a closing bracket means that the comma is too many. */
  #faultBefore(character: string): JsonFault {
    if (this.#comma !== undefined && character === this.#open.at(-1))
      return this.#faultAt(this.#comma, TRAILING_COMMA);
    return this.#faultAt(this.#at, REASONS[character]);
  }

  #faultAt(at: number, reason: Message | undefined): JsonFault {
    const lines = this.#text.slice(0, at).split("\n");
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, reason };
  }
}

const ENDS_EARLY = say`the text ends before its last bracket`;
const TRAILING_COMMA = say`a comma stands before a closing bracket`;
const COMMENT = say`JSON has no comments`;

/** What the first character says that does not fit. */
const REASONS: Readonly<Record<string, Message>> = {
  "'": say`JSON has double quotation marks only`,
  "“": say`JSON has straight quotation marks only`,
  "”": say`JSON has straight quotation marks only`,
  "/": COMMENT,
  "#": COMMENT,
};
