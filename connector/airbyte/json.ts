import { SurveyExportError } from "@survey-export/core";

/**
 * Parses the JSON of a file. The error names the line and never quotes the content, which may hold a key.
 *
 * @throws SurveyExportError `invalid_configuration`
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    const [, position] = /position (\d+)/.exec((thrown as Error).message) ?? [];
    const where =
      position === undefined ? "" : ` (line ${text.slice(0, Number(position)).split("\n").length})`;
    throw new SurveyExportError(
      "config",
      "invalid_configuration",
      `The ${what} is not valid JSON${where}. Correct the file.`,
    );
  }
}
