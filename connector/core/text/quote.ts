/** Characters of one quotation, where the caller names no other bound. */
const QUOTE_LENGTH = 160;
/** Levels of a quoted value. */
const QUOTE_DEPTH = 8;
/** Names of one list. */
const QUOTED_NAMES = 20;

/**
 * `text` as a JSON string for one line of a message: at most `maxLength` characters between its quotation marks, `…`
 * as the last of them where it was cut. Control, bidirectional and other invisible characters, line separators and
 * lone surrogates are escaped, so a quotation cannot change how the rest of the line looks.
 *
 * Everything that comes from outside goes through here before it enters a message: paths, ids, field names, bodies.
 * Works on the first `maxLength` characters only, however long the text is.
 */
export function quote(text: string, maxLength = QUOTE_LENGTH): string {
  return `"${escapedStart(text, maxLength)}"`;
}

/** The start of a body: the same, with each run of white space as one space. */
export function quoteBody(body: string, maxLength = QUOTE_LENGTH): string {
  // Escapes make text longer and white space makes it shorter: a fixed part of the body is enough for both.
  const start = body.slice(0, maxLength * 4);
  const line = start.replace(/\s/g, " ").replace(/ {2,}/g, " ").trim();
  const isCut = body.length > start.length;
  return quote(isCut && line.length <= maxLength ? `${line}…` : line, maxLength);
}

/** Any value of a JSON document, as JSON within the same bounds. Deep or long values are cut, never walked whole. */
export function quoteValue(value: unknown, maxLength = QUOTE_LENGTH): string {
  if (typeof value === "string") return quote(value, maxLength);
  const pieces: string[] = [];
  let length = 0;
  const put = (piece: string): boolean => {
    pieces.push(piece);
    length += piece.length;
    return length < maxLength;
  };
  if (!writeValue(value, put, QUOTE_DEPTH)) pieces.push("…");
  const text = pieces.join("");
  return text.length <= maxLength + 1 ? text : cut(wholeStart(text, maxLength));
}

/** Names in quotes, separated by commas: the first of them, and how many more there are. */
export function quoteList(names: readonly string[], maxNames = QUOTED_NAMES): string {
  const quoted = names.slice(0, maxNames).map((name) => quote(name, 80));
  const more = names.length - quoted.length;
  return quoted.join(", ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : "");
}

function escapedStart(text: string, maxLength: number): string {
  let written = "";
  let beforeEllipsis = 0;
  let at = 0;
  while (at < text.length) {
    const codePoint = text.codePointAt(at)!;
    const character = String.fromCodePoint(codePoint);
    const piece = escaped(character);
    if (written.length + piece.length > maxLength) return `${written.slice(0, beforeEllipsis)}…`;
    written += piece;
    if (written.length < maxLength) beforeEllipsis = written.length;
    at += character.length;
  }
  return written;
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  if (!INVISIBLE.test(character)) return character;
  // JSON.stringify escapes line breaks and lone surrogates in their short forms, and leaves the others as they are.
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? character.split("").map(unicodeEscape).join("") : json;
}

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** @returns false once there is no more room */
function writeValue(value: unknown, put: (piece: string) => boolean, depth: number): boolean {
  if (typeof value === "string") return put(quote(value));
  if (typeof value !== "object" || value === null) return put(quote(String(value)).slice(1, -1));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (depth === 0) return put(`${open}…${close}`);
  if (!put(open)) return false;
  let separator = "";
  for (const key in value) {
    const name = Array.isArray(value) ? "" : `${quote(key)}:`;
    if (!put(separator + name)) return false;
    if (!writeValue((value as Record<string, unknown>)[key], put, depth - 1)) return false;
    separator = ",";
  }
  return put(close);
}

/** The first `length` characters, one fewer where that would cut a pair of surrogates. */
function wholeStart(text: string, length: number): string {
  const start = text.slice(0, length);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

/** The start of a JSON text, ended by `…`. A string that was cut is closed, so that quotation marks stay in pairs. */
function cut(start: string): string {
  let isInString = false;
  let isEscape = false;
  for (const character of start) {
    if (isEscape) isEscape = false;
    else if (character === "\\" && isInString) isEscape = true;
    else if (character === '"') isInString = !isInString;
  }
  if (!isInString) return `${start}…`;
  return `${isEscape ? start.slice(0, -1) : start}…"`;
}
