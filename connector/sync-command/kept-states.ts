import type { DatabaseSync } from "node:sqlite";
import { given, isObject, type Message, SurveyExportError, say } from "@survey-export/core";

/** The version of the states that this program writes, and reads. */
const VERSION = 1;

/**
 * The states in the database at `path`, by stream. A state of a table that somebody dropped is not among them.
 * @param hasTable whether the table of a stream is there
 * @throws SurveyExportError `invalid_state` if one is no JSON, or a newer version of this program wrote it
 */
export function keptStates(
  database: DatabaseSync,
  path: string,
  hasTable: (stream: string) => boolean,
): ReadonlyMap<string, unknown> {
  const rows = database.prepare("select stream, state from _survey_export_state").all();
  const kept = rows.map(({ stream, state }) => [String(stream), String(state)] as const);
  return new Map(
    kept
      .filter(([stream]) => hasTable(stream))
      .map(([stream, state]) => [stream, parsed(stream, state, path)]),
  );
}

function parsed(stream: string, text: string, path: string): unknown {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch {
    throw invalid(
      say`A state in the table _survey_export_state of ${given(path)} is not valid JSON.`,
      say`Correct it, or delete its row to read the stream again.`,
    );
  }
  if (isObject(state) && Number(state.version) > VERSION)
    throw invalid(
      say`A newer version of this program wrote the state of ${given(stream)} in ${given(path)}.`,
      say`Update the program, or drop the table ${given(stream)} to read the stream again.`,
    );
  return state;
}

const invalid = (facts: Message, advice: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_state", facts, { advice });
