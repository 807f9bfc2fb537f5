import { fixed, type Message, SurveyExportError, say } from "@survey-export/core";

const DEEPEST = 100;
const MOST_CONTAINERS = 2_000_000;

/**
 * Why a JSON text holds too much to be parsed: what reads a value level by level has a stack of a limited size, and
 * each list takes many times the two characters that write it. Undefined for a text that may be parsed. The answer for
 * a text that is not JSON means nothing. The core can count too, and is never given a text with the key in it.
 */
export function tooMuchIn(text: string): Message | undefined {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      while (++at < text.length && text.charCodeAt(at) !== QUOTE) if (text.charCodeAt(at) === BACKSLASH) at++;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > DEEPEST)
        return say`it has lists and objects inside each other, more than ${DEEPEST} deep`;
      if (++containers > MOST_CONTAINERS) return say`it has more than ${MOST_CONTAINERS} lists and objects`;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
  }
  return undefined;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses the JSON of a file. The error names the line and never quotes the content, which may hold a key.
 *
 * @throws SurveyExportError `invalid_configuration`
 */
export function parseJson(given: string, what: string): unknown {
  const text = given.replace(/^\uFEFF/, "");
  const tooMuch = tooMuchIn(text);
  if (tooMuch !== undefined) {
    throw new SurveyExportError(
      "config",
      "invalid_configuration",
      say`The ${fixed(what)} cannot be used: ${tooMuch}. Check that it is the right file.`,
    );
  }
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new SurveyExportError(
      "config",
      "invalid_configuration",
      say`The ${fixed(what)} ${fault(text, thrown)}`,
    );
  }
}

function fault(text: string, thrown: unknown): Message {
  const content = text.trimEnd();
  if (content === "") return say`is empty. Write its JSON into the file.`;
  const { message } = thrown as Error;
  const [, position] = /position (\d+)/.exec(message) ?? [];
  const at = message.startsWith("Unexpected end") ? content.length : Number(position);
  if (Number.isNaN(at)) return say`is not valid JSON. Correct the file.`;
  let line = 1;
  for (let end = content.indexOf("\n"); end >= 0 && end < at; end = content.indexOf("\n", end + 1)) line++;
  return at >= content.length
    ? say`ends too early (line ${line}). Write the whole JSON into the file.`
    : say`is not valid JSON (line ${line}). Correct the file.`;
}
