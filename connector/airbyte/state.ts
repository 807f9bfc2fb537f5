import { fixed, isObject, listed, type Message, STREAMS, SurveyExportError, say } from "@survey-export/core";
import { isStreamName, type SelectedStream } from "./catalog.ts";
import type { Warning } from "./message-writer.ts";

/**
 * The states in the text of a `--state` file, by stream, not yet parsed. It is Airbyte's array, `[]`, `{}`, one state as it
 * was printed, or the whole output of an earlier run, of which the last STATE of each stream counts. A bare
 * `{ "collected_at": … }` is meant for every stream: `*`. Undefined is a first sync. Platforms and people keep states in each of
 * these forms.
 *
 * A last line that a kill cut short is skipped. Text that holds nothing, or messages without any STATE, is refused: taken
 * for a first sync, it would read everything again without a word.
 * @throws SurveyExportError `invalid_state`
 */
export function parseStates(text: string | undefined): ReadonlyMap<string, unknown> {
  const states = new Map<string, unknown>();
  if (text === undefined) return states;
  const { documents, isCut } = documentsIn(text);
  for (const value of documents.flat()) collect(value, states);
  if (states.size === 0 && (isCut || documents.some(isOtherMessage))) {
    throw invalid(say`it holds messages of a run, but no STATE`, NOT_STARTED);
  }
  return states;
}

const NO_STATE = say`it holds something that is not the state of a stream`;
const NOT_STARTED = say`Pass the output of an earlier run that has one, or leave --state out to read everything again.`;

function documentsIn(text: string): { documents: unknown[]; isCut: boolean } {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) throw invalid(say`it is empty`, NOT_STARTED);
  try {
    return { documents: [JSON.parse(text)], isCut: false };
  } catch {} // not one document
  const documents: unknown[] = [];
  for (const [at, line] of lines.entries()) {
    try {
      documents.push(JSON.parse(line));
    } catch {
      const isCut = at === lines.length - 1 && at > 0 && !text.endsWith("\n");
      if (isCut) return { documents, isCut };
      throw invalid(say`it is neither one JSON document nor JSON lines (line ${at + 1})`);
    }
  }
  return { documents, isCut: false };
}

function collect(given: unknown, states: Map<string, unknown>): void {
  const value = isObject(given) && given.type === "STATE" && isObject(given.state) ? given.state : given;
  if (!isObject(value)) throw invalid(NO_STATE);
  if (isObject(value.stream) || isObject(value.streamDescriptor)) {
    const [descriptor, state] = isObject(value.stream)
      ? [value.stream.stream_descriptor, value.stream.stream_state]
      : [value.streamDescriptor, value.streamState];
    const name = isObject(descriptor) ? descriptor.name : undefined;
    if (typeof name !== "string")
      throw invalid(say`a state does not name its stream (stream_descriptor.name)`);
    states.set(name, state);
  } else if ("collected_at" in value) states.set("*", value);
  else if (Object.keys(value).length > 0 && !isOtherMessage(value)) {
    throw invalid(NO_STATE);
  }
}

/** Lines of an earlier run that are not states may lie between them. */
const isOtherMessage = (value: unknown): boolean =>
  isObject(value) && typeof value.type === "string" && OTHER_MESSAGES.has(value.type);
const OTHER_MESSAGES: ReadonlySet<string> = new Set(["RECORD", "LOG", "TRACE"]);

function invalid(
  reason: Message,
  advice = say`Pass the states that an earlier run wrote, or leave --state out to read everything again.`,
): SurveyExportError {
  return new SurveyExportError(
    "config",
    "invalid_state",
    say`The state file (--state) cannot be used: ${reason}.`,
    { advice },
  );
}

/**
 * A warning if the `--state` file does not fit the selected streams: a stream without a state is read from its start, and
 * if its name is misspelt there, nobody would know why. A file without any state is a first sync, and fine.
 */
export function missingStates(
  states: ReadonlyMap<string, unknown>,
  selected: readonly SelectedStream[],
): Warning[] {
  if (states.size === 0 || states.has("*")) return [];
  const without = selected.filter(
    ({ name, syncMode }) =>
      syncMode === "incremental" && isStreamName(name) && !STREAMS[name].isSnapshot && !states.has(name),
  );
  if (without.length === 0) return [];
  const names = listed(without.map(({ name }) => fixed(name)));
  const message = say`A stream without a state is read from its start, and the state file (--state) has none for: ${names}. Pass the last state of every stream, under its name, unless it is new in the catalog.`;
  return [{ code: "state_missing", message }];
}
