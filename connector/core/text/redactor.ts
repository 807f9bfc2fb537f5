import { type Spelling, type SpellingOptions, spellingOf } from "./spelling.ts";

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
 * Any eight characters of the secret in a row are blanked: as they are, in other case, JSON-escaped any number of
 * times, percent-encoded as a whole or in part and any number of times, as HTML entities, and in any mixture of these.
 * So are eight in a row within text that was encoded as a whole in hexadecimal, base64 or base64url: gateways log
 * headers that way. A secret shorter than eight characters is blanked only as a whole, with no letter or digit beside
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
    const mark = (start: number, end: number): void => {
      isSecret.fill(1, start, end);
      found = true;
    };
    for (const { options, finders } of ways) {
      const spelling = spellingOf(text, options);
      for (const find of finders) find(spelling, mark, text);
    }
    return found ? blanked(text, isSecret) : text;
  };
}

type Mark = (start: number, end: number) => void;
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
        if (texts.has(characters.slice(at, at + length))) mark(starts[at]!, ends[at + length - 1]!);
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
      const start = at === 0 ? 0 : ends[at - 1]!;
      const next = at + sought.length;
      const end = next < characters.length ? starts[next]! : text.length;
      if (end - start >= TELLING_LENGTH) mark(start, end);
    }
  };
}

function shortFinder(sought: string): Finder {
  if (sought === "") return () => {};
  return ({ characters, starts, ends }, mark) => {
    for (let at = characters.indexOf(sought); at >= 0; at = characters.indexOf(sought, at + 1)) {
      const end = at + sought.length;
      if (!isWordPart(characters[at - 1]) && !isWordPart(characters[end])) mark(starts[at]!, ends[end - 1]!);
    }
  };
}

const isWordPart = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9]/.test(character);

function blanked(text: string, isSecret: Uint8Array): string {
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
