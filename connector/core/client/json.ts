const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b];
/** A container takes at least an opening and a closing bracket. */
const SHORTEST = 2;

/**
 * Whether a JSON text holds more objects and lists than `most`, without parsing it. Strings are skipped, so their
 * content does not count. The answer for a text that is not JSON means nothing; it takes time proportional to the
 * text's length all the same.
 */
export function hasMoreContainers(text: string, most: number): boolean {
  if (text.length <= SHORTEST * most) return false;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) break;
    } else if ((code === OPEN_OBJECT || code === OPEN_LIST) && ++containers > most) return true;
  }
  return false;
}

/** Where the string that begins at `start` ends, or -1 if it does not end. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end;
}

/** Whether an odd number of backslashes is before `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** A parsed JSON text. */
export interface ExactJson {
  readonly value: unknown;
  /** Whether it has objects and lists in more levels than asked for. */
  readonly isTooDeep: boolean;
}

/**
 * Parses a JSON text, with no number changed silently.
 *
 * `JSON.parse` rounds whole numbers beyond ±(2^53 − 1), makes Infinity of 1e400 and 0 of 1e-400. Here such a
 * number becomes a string with the digits as sent. Every other number stays a number; a fraction is the
 * nearest double, as everywhere. A lone surrogate, which only an escape can spell, stays in its string, and
 * `JSON.stringify` writes the same escape again.
 *
 * The parsed values tell whether a number may have changed. Only then the text is parsed again the slow way, with a
 * reviver. Below `mostLevels` nobody looks: such a value is not used.
 *
 * @throws SyntaxError for a text that is not JSON
 */
export function parseJsonExactly(text: string, mostLevels: number): ExactJson {
  const value: unknown = JSON.parse(text);
  const findings = { isTooDeep: false, hasLargeNumber: false, hasZero: false };
  inspect([value], mostLevels + 1, findings);
  const { isTooDeep, hasLargeNumber, hasZero } = findings;
  if (!hasLargeNumber && !(hasZero && MAY_BE_TINY.test(text))) return { value, isTooDeep };
  return { value: JSON.parse(text, keepDigits as Reviver), isTooDeep };
}

interface Findings {
  isTooDeep: boolean;
  /** A whole number that may have been rounded, or Infinity. */
  hasLargeNumber: boolean;
  /** It may have been a number too small for a double. */
  hasZero: boolean;
}

function inspect(container: object, levels: number, findings: Findings): void {
  if (levels === 0) findings.isTooDeep = true;
  else if (Array.isArray(container)) {
    for (let at = 0; at < container.length; at++) inspectValue(container[at], levels, findings);
  } else {
    for (const name in container) inspectValue((container as Fields)[name], levels, findings);
  }
}

function inspectValue(value: unknown, levels: number, findings: Findings): void {
  if (typeof value === "object") {
    if (value !== null) inspect(value, levels - 1, findings);
  } else if (typeof value === "number") {
    if (value === 0) findings.hasZero = true;
    else if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) findings.hasLargeNumber = true;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Where a text has a number that is not zero and becomes zero, it has an exponent of three digits, or very many zeros
 * after a decimal point. A string with the same characters costs a second parse and changes nothing.
 */
const MAY_BE_TINY = /[eE]-\d{3,}(?:[\s,}\]]|$)|\.0{200}/;

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

const WHOLE_NUMBER = /^-?\d+(?:\.0+)?$/;
const NOT_ZERO = /^-?[0.]*[1-9]/;

function keepDigits(_key: string, value: unknown, context: { readonly source: string }): unknown {
  if (typeof value !== "number") return value;
  const { source } = context;
  const changes =
    !Number.isFinite(value) ||
    (!Number.isSafeInteger(value) && WHOLE_NUMBER.test(source)) ||
    (value === 0 && NOT_ZERO.test(source));
  return changes ? source : value;
}
