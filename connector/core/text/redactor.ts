/** Gives a text back with `****` in place of the secret wherever it appears. */
export type Redactor = (text: string) => string;

const REDACTED = "****";
/** This many characters of the secret in a row give it away; fewer could be part of a word. */
const TELLING_LENGTH = 8;
/** Of eight bytes in a row, wherever the groups of base64 begin, so many of its characters hold nothing else. */
const TELLING_BASE64 = 10;

/**
 * Hides `secret` in any text, in time that grows with the text's length only.
 *
 * Any eight characters of the secret in a row are hidden, in upper and lower case: as they are, percent-encoded,
 * escaped as in JSON or HTML, and within text that was encoded as a whole in hexadecimal, base64 or base64url, as
 * gateways log headers. A secret shorter than eight characters is hidden as a whole, if no letter or digit is beside
 * it, and not in hexadecimal or base64. What was encoded twice, or in several ways, is not found.
 *
 * The secret is ASCII, as every header's value is.
 */
export function createRedactor(secret: string): Redactor {
  if (secret === "") return (text) => text;
  const characters = [...secret];
  const spellings = SPELLINGS.map((spell) => characters.map(spell));
  if (secret.length < TELLING_LENGTH) {
    const wholes = spellings.map((parts) => parts.join("").replace(/[^\w\s]/g, "\\$&"));
    const words = new RegExp(`(?<![a-z0-9])(?:${wholes.join("|")})(?![a-z0-9])`, "gi");
    return (text) => text.replace(words, REDACTED);
  }
  const needles = new Map<number, Set<string>>();
  for (const parts of [...spellings, characters.map(hex)]) addNeedles(parts, TELLING_LENGTH, needles);
  for (const parts of inBase64(characters)) addNeedles(parts, TELLING_BASE64, needles);
  return (text) => withoutNeedles(text, needles);
}

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, "0");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The ways in which a service or a gateway writes each character. */
const SPELLINGS: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => encodeURIComponent(character.toWellFormed()),
  (character) => `%${hex(character)}`,
  (character) => JSON.stringify(character).slice(1, -1),
  (character) => `\\u${hex(character).padStart(4, "0")}`,
  (character) => ENTITIES[character] ?? character,
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&#x${hex(character)};`,
];

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** What stands before the secret decides how many of its first bits share a character with it. */
function inBase64(characters: readonly string[]): string[][] {
  const bits = characters.map((character) => character.charCodeAt(0).toString(2).padStart(8, "0")).join("");
  const spellings = [0, 2, 4].map((skipped) =>
    (bits.slice(skipped).match(/.{6}/g) ?? []).map((six) => BASE64.charAt(Number.parseInt(six, 2))),
  );
  const forUrls: Readonly<Record<string, string>> = { "+": "-", "/": "_" };
  return [...spellings, ...spellings.map((letters) => letters.map((letter) => forUrls[letter] ?? letter))];
}

/** Adds what any `count` parts in a row spell, by its length. */
function addNeedles(parts: readonly string[], count: number, needles: Map<number, Set<string>>): void {
  for (let at = 0; at + count <= parts.length; at++) {
    const needle = lowerCase(parts.slice(at, at + count).join(""));
    needles.set(needle.length, (needles.get(needle.length) ?? new Set()).add(needle));
  }
}

function withoutNeedles(text: string, needles: ReadonlyMap<number, ReadonlySet<string>>): string {
  const lower = lowerCase(text);
  let shown = "";
  let hiddenUntil = 0;
  for (let at = 0; at < text.length; at++) {
    const wasHidden = at > 0 && at <= hiddenUntil;
    for (const [length, texts] of needles) {
      if (texts.has(lower.slice(at, at + length))) hiddenUntil = Math.max(hiddenUntil, at + length);
    }
    if (at >= hiddenUntil) shown += text.charAt(at);
    else if (!wasHidden) shown += REDACTED;
  }
  return shown;
}

/** Of ASCII letters only: others may become two characters. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
