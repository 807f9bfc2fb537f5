/** Characters of one quotation, if the caller names no other bound. */
const QUOTE_LENGTH = 160;
/** More of a text than is ever shown: the secret is looked for in all of it, so that no cut leaves a part of the secret. */
const KEPT = 4000;
/** Levels of a quoted value. */
const QUOTE_DEPTH = 8;

/**
 * `text` as a JSON string for one line of a message: at most `maxLength` characters between its quotation marks, `…`
 * as the last of them where it was cut. Control, bidirectional and other invisible characters, line separators and
 * lone surrogates are escaped, so a quotation cannot change how the rest of the line looks.
 *
 * Works on the first `maxLength` characters only, however long the text is.
 */
export function quote(text: string, maxLength = QUOTE_LENGTH): string {
  return `"${escapedStart(text, maxLength)}"`;
}

/**
 * Any value of a JSON document, as JSON within the same bounds. Deep or long values are cut, never walked whole.
 * `redact` is applied to each text in it.
 */
export function quoteValue(
  value: unknown,
  maxLength = QUOTE_LENGTH,
  redact: (text: string) => string = (text) => text,
): string {
  const pieces: string[] = [];
  let length = 0;
  const put = (piece: string): boolean => {
    pieces.push(piece);
    length += piece.length;
    return length < maxLength;
  };
  if (!writeValue(value, put, redact, QUOTE_DEPTH)) pieces.push("…");
  const text = pieces.join("");
  return text.length <= maxLength + 1 ? text : cut(wholeStart(text, maxLength));
}

/** So much of a text as a message may keep: a copy, since a slice would keep the whole body in memory. */
export const startOf = (text: string): string =>
  text.length <= KEPT ? text : [...text.slice(0, KEPT)].join("");

function escapedStart(text: string, maxLength: number): string {
  let written = "";
  let beforeEllipsis = 0;
  for (const character of text) {
    const piece = escaped(character);
    if (written.length + piece.length > maxLength) return `${written.slice(0, beforeEllipsis)}…`;
    written += piece;
    if (written.length < maxLength) beforeEllipsis = written.length;
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
function writeValue(
  value: unknown,
  put: (piece: string) => boolean,
  redact: (text: string) => string,
  depth: number,
): boolean {
  if (typeof value === "string") return put(quote(redact(startOf(value))));
  if (typeof value !== "object" || value === null) return put(quote(redact(String(value))).slice(1, -1));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (depth === 0) return put(`${open}…${close}`);
  if (!put(open)) return false;
  let separator = "";
  for (const key in value) {
    const name = Array.isArray(value) ? "" : `${quote(redact(startOf(key)))}:`;
    if (!put(separator + name)) return false;
    if (!writeValue((value as Record<string, unknown>)[key], put, redact, depth - 1)) return false;
    separator = ",";
  }
  return put(close);
}

/** The first `length` characters, one fewer if that would cut a pair of surrogates. */
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
