import { scanJson } from "./json-scan.ts";

/**
 * The value of a JSON text, with no number changed silently.
 *
 * `JSON.parse` rounds whole numbers beyond ±(2^53 − 1), makes Infinity of 1e400 and 0 of 1e-400. Here such a
 * number becomes a string with the digits as sent. Every other number stays a number; a fraction is the
 * nearest double, as everywhere. A lone surrogate, which only an escape can spell, stays in its string, and
 * `JSON.stringify` writes the same escape again.
 *
 * The text is scanned for numbers that could change, and only then parsed by the slow way, with a reviver.
 *
 * @throws SyntaxError for a text that is not JSON
 */
export function parseJsonExactly(text: string, { hasLongNumber } = scanJson(text)): unknown {
  return hasLongNumber ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text);
}

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
