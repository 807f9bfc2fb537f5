/** Gives a text back with `****` in place of the secret wherever it appears. */
export type Redactor = (text: string) => string;

const BLANK = "****";
/** This many characters of the secret in a row give it away; fewer could be part of a word. */
const TELLING_LENGTH = 8;
/** Of eight bytes in a row, wherever the groups of base64 begin, so many of its characters hold nothing else. */
const TELLING_BASE64 = 10;
const TELLING_HEX = 2 * TELLING_LENGTH;
const WAYS_TO_READ: readonly SpellingOptions[] = [
  { decodes: false, skipsBackslashes: false },
  { decodes: false, skipsBackslashes: true },
  { decodes: true, skipsBackslashes: false },
  { decodes: true, skipsBackslashes: true },
];

/**
 * Blanks `secret` in any text, in time that grows with the text's length only, whatever the text holds.
 *
 * Any eight characters of the secret in a row are redacted: as they are, in other case, JSON-escaped any number of
 * times, percent-encoded as a whole or in part and any number of times, as HTML entities, and in any mixture of these.
 * So are eight in a row within text that was encoded as a whole in hexadecimal, base64 or base64url: gateways log
 * headers that way. A secret shorter than eight characters is redacted only as a whole, with no letter or digit beside
 * it, and not if it was encoded.
 *
 * The secret is ASCII, as every header's value is.
 */
export function createRedactor(secret: string): Redactor {
  if (secret === "") return (text) => text;
  const encoded = piecesOfEncodings(secret);
  const ways = WAYS_TO_READ.map((options) => ({
    options,
    finders: [createFinder(secret, options), piecesFinder(encoded)],
  }));
  return (text) => {
    const isSecret = new Uint8Array(text.length);
    let found = false;
    const mark: Mark = (start, end) => {
      isSecret.fill(1, start, end);
      found = true;
    };
    for (const { options, finders } of ways) {
      const spelling = spellingOf(text, options);
      for (const find of finders) find(spelling, mark, text);
    }
    return found ? redacted(text, isSecret) : text;
  };
}

/** Without a start or an end, it marks all that is before or after. */
type Mark = (start: number | undefined, end: number | undefined) => void;
/** `text`: what the spelling is of. */
type Finder = (spelling: Spelling, mark: Mark, text: string) => void;

/** Finds the secret in one way to read a text: one look at each place, each at a fixed number of characters. */
function createFinder(secret: string, options: SpellingOptions): Finder {
  const sought = spellingOf(secret, options).characters;
  if (secret.length < TELLING_LENGTH) return shortFinder(sought);
  if (sought.length < TELLING_LENGTH) return wholeFinder(sought);
  return piecesFinder(piecesOf([sought], TELLING_LENGTH));
}

/** What gives the secret away: lower-case texts of the same length. */
type Pieces = readonly { readonly length: number; readonly texts: ReadonlySet<string> }[];

function piecesOf(wholes: readonly string[], length: number): Pieces {
  const texts = new Set<string>();
  for (const whole of wholes) {
    for (let at = 0; at + length <= whole.length; at++) texts.add(whole.slice(at, at + length));
  }
  return [{ length, texts }];
}

function piecesFinder(pieces: Pieces): Finder {
  return ({ characters, starts, ends }, mark) => {
    for (const { length, texts } of pieces) {
      for (let at = 0; at + length <= characters.length; at++) {
        if (texts.has(characters.slice(at, at + length))) mark(starts[at], ends[at + length - 1]);
      }
    }
  };
}

/** In lower case, as texts are read. */
const BASE64 = `${"abcdefghijklmnopqrstuvwxyz".repeat(2)}0123456789+/`;

function piecesOfEncodings(secret: string): Pieces {
  if (secret.length < TELLING_LENGTH) return [];
  const inBase = (base: number, digits: number): string =>
    [...secret].map((character) => character.charCodeAt(0).toString(base).padStart(digits, "0")).join("");
  const bits = inBase(2, 8);
  // What stands before the secret decides how many of its first bits share a character with it.
  const base64 = [0, 2, 4].map((skipped) =>
    (bits.slice(skipped).match(/.{6}/g) ?? []).map((six) => BASE64[Number.parseInt(six, 2)]).join(""),
  );
  const base64url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...piecesOf([inBase(16, 2)], TELLING_HEX), ...piecesOf([...base64, ...base64url], TELLING_BASE64)];
}

/**
 * For a secret of eight characters or more of which fewer remain, because backslashes or codes make up the rest. They
 * give it away as a whole, and only if at least eight characters spell them.
 */
function wholeFinder(sought: string): Finder {
  if (sought === "") return () => {};
  return ({ characters, starts, ends }, mark, text) => {
    for (let at = characters.indexOf(sought); at >= 0; at = characters.indexOf(sought, at + 1)) {
      // With the backslashes around it: they may be part of the secret.
      const start = ends[at - 1] ?? 0;
      const next = at + sought.length;
      const end = (next < characters.length ? starts[next] : undefined) ?? text.length;
      if (end - start >= TELLING_LENGTH) mark(start, end);
    }
  };
}

function shortFinder(sought: string): Finder {
  if (sought === "") return () => {};
  return ({ characters, starts, ends }, mark) => {
    for (let at = characters.indexOf(sought); at >= 0; at = characters.indexOf(sought, at + 1)) {
      const end = at + sought.length;
      if (!isWordPart(characters[at - 1]) && !isWordPart(characters[end])) mark(starts[at], ends[end - 1]);
    }
  };
}

const isWordPart = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9]/.test(character);

function redacted(text: string, isSecret: Uint8Array): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = isSecret.indexOf(1, at);
    if (start < 0) break;
    const next = isSecret.indexOf(0, start);
    pieces.push(text.slice(at, start), BLANK);
    at = next < 0 ? text.length : next;
  }
  pieces.push(text.slice(at));
  return pieces.join("");
}

/**
 * One way to read a text: the characters that it spells, in lower case, and where each is in the text. An encoded
 * character spans all characters of its code.
 */
interface Spelling {
  readonly characters: string;
  readonly starts: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
}

interface SpellingOptions {
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
      stack.push(code.character, stack.starts[stack.size] ?? at, at + 1);
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
  const last = codes[size - 1] ?? 0;
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
    const digit = hexDigit(codes[at] ?? 0);
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
