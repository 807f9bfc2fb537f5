/** Facts about a JSON text, found in one pass over it and without parsing it. */
export interface JsonFacts {
  /** Objects and lists. */
  readonly containers: number;
  /** Levels of objects and lists inside each other. */
  readonly depth: number;
  /** Whether a number has 16 characters or more, or an exponent: no other number changes when it is parsed. */
  readonly hasLongNumber: boolean;
}

const [QUOTE, BACKSLASH, MINUS, POINT] = [0x22, 0x5c, 0x2d, 0x2e];
const [ZERO, NINE] = [0x30, 0x39];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const LONG_NUMBER = 16;

/**
 * Scans a text that should be JSON. Strings are skipped, so their content does not count. The facts of a text that is
 * not JSON mean nothing; the scan ends all the same, in time proportional to its length.
 */
export function scanJson(text: string): JsonFacts {
  let [containers, depth, deepest] = [0, 0, 0];
  let hasLongNumber = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) break;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      containers++;
      if (++depth > deepest) deepest = depth;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      const end = endOfDigits(text, at + 1);
      const next = text.charCodeAt(end) | 0x20;
      hasLongNumber ||= end - at >= LONG_NUMBER || next === 0x65;
      at = end - 1;
    }
  }
  return { containers, depth: deepest, hasLongNumber };
}

/** Where the string that begins at `start` ends, or -1 where it does not. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end;
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (!((code >= ZERO && code <= NINE) || code === POINT)) return at;
    at++;
  }
}
