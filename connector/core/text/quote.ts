/** Characters of one quotation, if the caller names no other bound. */
const QUOTE_LENGTH = 160;
/** More of a text than is ever shown: the secret is looked for in all of it, so that no cut shows a part of the secret. */
const KEPT = 4000;

/**
 * `text` as a JSON string for one line of a message: at most `maxLength` characters between its quotation marks, `…`
 * as the last of them where it was cut. Control, bidirectional and other invisible characters, line separators and
 * lone surrogates are escaped, so a quotation cannot change how the rest of the line looks.
 *
 * Works on the first `maxLength` characters only, however long the text is.
 */
export function quote(text: string, maxLength = QUOTE_LENGTH): string {
  let written = "";
  let beforeEllipsis = 0;
  for (const character of text) {
    const piece = escaped(character);
    if (written.length + piece.length > maxLength) return `"${written.slice(0, beforeEllipsis)}…"`;
    written += piece;
    if (written.length < maxLength) beforeEllipsis = written.length;
  }
  return `"${written}"`;
}

/** So much of a text as a message may keep: a copy, since a slice would keep the whole body in memory. */
export const startOf = (text: string): string =>
  text.length <= KEPT ? text : [...text.slice(0, KEPT)].join("");

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  if (!INVISIBLE.test(character)) return character;
  // JSON.stringify escapes line breaks and lone surrogates in their short forms, and no others.
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? character.split("").map(unicodeEscape).join("") : json;
}

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
