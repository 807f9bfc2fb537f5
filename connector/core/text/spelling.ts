/**
 * One way to read a text: the characters that it spells, in lower case, and where each is in the text. An encoded
 * character spans all characters of its code.
 */
export interface Spelling {
  readonly characters: string;
  readonly starts: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
}

export interface SpellingOptions {
  /** Takes `%41`, `\u0041`, `&#65;`, `&amp;` for the character they stand for, however often that was encoded. */
  readonly decodes: boolean;
  /** Leaves out every backslash: JSON puts any number of them before a quotation mark or a backslash. */
  readonly skipsBackslashes: boolean;
}

/**
 * Reads `text` once, from left to right. Each character is pushed on a stack; a code that its end completes is
 * replaced by its character, which may complete another code. A replacement takes at least two characters from the
 * stack, so there are fewer replacements than characters, and each looks at a bounded number of them: linear time.
 */
export function spellingOf(text: string, options: SpellingOptions): Spelling {
  const stack = createStack(text.length, options.skipsBackslashes);
  for (let at = 0; at < text.length; at++) {
    stack.push(text.charCodeAt(at), at, at + 1);
    if (!options.decodes) continue;
    for (let code = codeAtEnd(stack); code !== undefined; code = codeAtEnd(stack)) {
      stack.size -= code.length;
      stack.push(code.character, stack.starts[stack.size]!, at + 1);
    }
  }
  const { codes, size, starts, ends } = stack;
  return { characters: stringOf(codes.subarray(0, size)), starts, ends };
}

interface Stack {
  size: number;
  readonly codes: Uint16Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  push(character: number, start: number, end: number): void;
}

function createStack(capacity: number, skipsBackslashes: boolean): Stack {
  return {
    size: 0,
    codes: new Uint16Array(capacity),
    starts: new Uint32Array(capacity),
    ends: new Uint32Array(capacity),
    push(character, start, end) {
      if (character === BACKSLASH && skipsBackslashes) return;
      const at = this.size++;
      this.codes[at] = lowerCase(character);
      this.starts[at] = start;
      this.ends[at] = end;
    },
  };
}

interface Code {
  /** How many characters it takes on the stack. `u0041` is a code without its backslash, which may be left out. */
  readonly length: number;
  readonly character: number;
}

const [PERCENT, BACKSLASH, LETTER_U, AMPERSAND, SEMICOLON] = [0x25, 0x5c, 0x75, 0x26, 0x3b];
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** `&#x10ffff;` */
const ENTITY_LENGTH = 10;

/** The code that the last character on the stack completes. */
function codeAtEnd({ codes, size }: Stack): Code | undefined {
  const last = codes[size - 1]!;
  if (last === SEMICOLON) return entityAtEnd(codes, size);
  if (hexDigit(last) < 0) return undefined;
  if (size >= 3 && codes[size - 3] === PERCENT) {
    const character = hexNumber(codes, size - 2, size);
    if (character >= 0) return { length: 3, character };
  }
  if (size >= 5 && codes[size - 5] === LETTER_U) {
    const character = hexNumber(codes, size - 4, size);
    if (character >= 0) return { length: 5, character };
  }
  return undefined;
}

function entityAtEnd(codes: Uint16Array, size: number): Code | undefined {
  for (let length = 4; length <= ENTITY_LENGTH && length <= size; length++) {
    if (codes[size - length] !== AMPERSAND) continue;
    const name = stringOf(codes.subarray(size - length + 1, size - 1));
    const [, hexadecimal, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/.exec(name) ?? [];
    const character = hexadecimal
      ? Number.parseInt(hexadecimal, 16)
      : decimal
        ? Number(decimal)
        : ENTITIES[name]?.charCodeAt(0);
    return character === undefined || character > 0xffff ? undefined : { length, character };
  }
  return undefined;
}

/** The number that hexadecimal digits write, or -1 if one of them is not a digit. */
function hexNumber(codes: Uint16Array, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = hexDigit(codes[at]!);
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}

/** Of ASCII letters only: others may become two characters. */
const lowerCase = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code);

const UTF_16 = new TextDecoder("utf-16le", { ignoreBOM: true });
/** A lone surrogate becomes U+FFFD. Not `String.fromCharCode`: scanners take it for a sign of hidden code. */
const stringOf = (codes: Uint16Array): string => UTF_16.decode(codes);
