/** The fields of a JSON object, to be read only. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses a JSON text, with no number changed silently.
 *
 * `JSON.parse` rounds whole numbers beyond ±(2^53 − 1), makes Infinity of 1e400 and 0 of 1e-400. Here such a
 * number becomes a string with the digits as sent. Every other number stays a number; a fraction is the
 * nearest double, as everywhere. A lone surrogate, which only an escape can spell, stays in its string, and
 * `JSON.stringify` writes the same escape again.
 * @throws SyntaxError for a text that is not JSON
 */
export function parseJsonExactly(text: string): unknown {
  return MAY_CHANGE.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text);
}

/**
 * A number that changes has sixteen digits in a row, or an exponent of three digits. A reviver takes several times as
 * long as parsing, so it looks only at texts with such digits before the end of a value: not at each UUID.
 */
const MAY_CHANGE = /(?<!\d)\d{16,}(?:[.eE]|\s*(?:[,}\]]|$))|\d[eE][+-]?\d{3,}\s*(?:[,}\]]|$)/;

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

/** A number, or a string that is exactly how one is written. Not the digits of a number that would change. */
export function decimal(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && String(Number(value)) === value && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;
}

/** The one reading of an id that is a number: a safe integer, or its digits as a string. */
export function wholeNumber(value: unknown): number | undefined {
  const number = decimal(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

const MOST_LEVELS = 64;
const CUT = "(nested too deeply)";

/**
 * The same value, without what has more levels than the service's own fields ever have: that would overflow the stack
 * when it is written. A text that says so takes its place.
 */
export function cutBelow<Value>(value: Value, levels = MOST_LEVELS): Value {
  return isDeeper(value, levels) ? (cut(value, levels) as Value) : value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((each) => isDeeper(each, levels - 1));
  for (const name in value) if (isDeeper((value as Fields)[name], levels - 1)) return true;
  return false;
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return CUT;
  if (Array.isArray(value)) return value.map((each) => cut(each, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each, levels - 1)]));
}
