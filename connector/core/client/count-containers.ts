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
