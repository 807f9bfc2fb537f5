import { fixed, type Message, SurveyExportError, say } from "@survey-export/core";

/**
 * Parses the JSON of a file. The error names the line and never quotes the content, which may hold a key.
 *
 * @throws SurveyExportError `invalid_configuration`
 */
export function parseJson(given: string, what: string): unknown {
  const text = given.replace(/^\uFEFF/, "");
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
