import { type SpellingOptions, spellingOf } from "./spelling.ts";

/** Gives a text back with `****` in place of the secret wherever it appears. */
export type Redactor = (text: string) => string;

const BLANK = "****";
/** This many characters of the secret in a row give it away; fewer could be part of a word. */
const TELLING_LENGTH = 8;
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
 * A secret shorter than eight characters is blanked only as a whole, with no letter or digit beside it.
 *
 * The secret is ASCII, as every header's value is.
 */
export function createRedactor(secret: string): Redactor {
  if (secret === "") return (text) => text;
  const finders = WAYS_TO_READ.map((options) => createFinder(secret, options));
  return (text) => {
    const isSecret = new Uint8Array(text.length);
    let found = false;
    const mark = (start: number, end: number): void => {
      isSecret.fill(1, start, end);
      found = true;
    };
    for (const find of finders) find(text, mark);
    return found ? blanked(text, isSecret) : text;
  };
}

type Mark = (start: number, end: number) => void;
type Finder = (text: string, mark: Mark) => void;

/** Finds the secret in one way to read a text: one look at each place, each at a fixed number of characters. */
function createFinder(secret: string, options: SpellingOptions): Finder {
  const sought = spellingOf(secret, options).characters;
  if (secret.length < TELLING_LENGTH) return shortFinder(sought, options);
  if (sought.length < TELLING_LENGTH) return wholeFinder(sought, options);
  const telling = new Set<string>();
  for (let at = 0; at + TELLING_LENGTH <= sought.length; at++) {
    telling.add(sought.slice(at, at + TELLING_LENGTH));
  }
  return (text, mark) => {
    const { characters, starts, ends } = spellingOf(text, options);
    for (let at = 0; at + TELLING_LENGTH <= characters.length; at++) {
      if (telling.has(characters.slice(at, at + TELLING_LENGTH))) {
        mark(starts[at]!, ends[at + TELLING_LENGTH - 1]!);
      }
    }
  };
}

/**
 * For a secret of eight characters or more of which fewer remain, because backslashes or codes make up the rest. They
 * give it away as a whole, and only if at least eight characters spell them.
 */
function wholeFinder(sought: string, options: SpellingOptions): Finder {
  if (sought === "") return () => {};
  return (text, mark) => {
    const { characters, starts, ends } = spellingOf(text, options);
    for (let at = characters.indexOf(sought); at >= 0; at = characters.indexOf(sought, at + 1)) {
      // With the backslashes around it: they may be part of the secret.
      const start = at === 0 ? 0 : ends[at - 1]!;
      const next = at + sought.length;
      const end = next < characters.length ? starts[next]! : text.length;
      if (end - start >= TELLING_LENGTH) mark(start, end);
    }
  };
}

function shortFinder(sought: string, options: SpellingOptions): Finder {
  if (sought === "") return () => {};
  return (text, mark) => {
    const { characters, starts, ends } = spellingOf(text, options);
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
