import { fixed, type Message, outsideValue, SurveyExportError, say } from "@survey-export/core";
import { tooMuchIn } from "./json.ts";
import type { Warning } from "./warning.ts";

/** What a `--state` file holds. */
export interface States {
  /** The states by stream, not yet parsed. A bare `{ "collected_at": … }` is meant for every stream: `*`. */
  readonly states: ReadonlyMap<string, unknown>;
  readonly warnings: readonly Warning[];
}

/**
 * Finds the states in the text of a `--state` file: Airbyte's array, `[]`, `{}`, one state as it was printed, or the
 * whole output of an earlier run, of which the last STATE of each stream counts. Undefined is a first sync.
 *
 * A last line that a kill cut short is left out, with a warning. Text that holds nothing, or messages without any
 * STATE, is refused: taken for a first sync, it would read everything again without a word.
 *
 * @throws SurveyExportError `invalid_state`
 */
export function parseStates(text: string | undefined): States {
  const states = new Map<string, unknown>();
  if (text === undefined) return { states, warnings: [] };
  const { documents, isCut } = documentsIn(text.replace(/^\uFEFF/, ""));
  for (const value of documents.flat()) collect(value, states);
  if (states.size === 0 && (isCut || documents.some(isOtherMessage))) {
    throw invalid(say`it holds messages of a run, but no STATE`, NOT_STARTED);
  }
  return { states, warnings: isCut ? [{ code: "state_cut_short", message: CUT }] : [] };
}

const CUT = say`The last line of the state file (--state) is cut short, as happens if a run is killed. The states before it are used.`;
const NOT_STARTED = say`Pass the output of an earlier run that has one, or leave --state out to read everything again.`;

function documentsIn(text: string): { documents: unknown[]; isCut: boolean } {
  if (text.trim() === "") throw invalid(say`it is empty`, NOT_STARTED);
  const tooMuch = tooMuchIn(text);
  if (tooMuch !== undefined) throw invalid(tooMuch);
  try {
    return { documents: [JSON.parse(text)], isCut: false };
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
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
}

type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function collect(given: unknown, states: Map<string, unknown>): void {
  if (!isFields(given)) throw invalid(say`it holds ${outsideValue(given)} instead of a state`);
  const value = given.type === "STATE" && isFields(given.state) ? given.state : given;
  if (isFields(value.stream) || isFields(value.streamDescriptor)) {
    const [descriptor, state] = isFields(value.stream)
      ? [value.stream.stream_descriptor, value.stream.stream_state]
      : [value.streamDescriptor, value.streamState];
    const name = isFields(descriptor) ? descriptor.name : undefined;
    if (typeof name !== "string")
      throw invalid(say`a state does not name its stream (stream_descriptor.name)`);
    states.set(name, state);
  } else if ("collected_at" in value) states.set("*", value);
  else if (Object.keys(value).length > 0 && !isOtherMessage(value)) {
    const type =
      typeof value.type === "string"
        ? say`a state of type ${OTHER_STATES.has(value.type) ? fixed(value.type) : outsideValue(value.type, 40)}`
        : say`an object`;
    throw invalid(say`${type} in it is not a state of one stream`);
  }
}

/** Of Airbyte's protocol. */
const OTHER_STATES: ReadonlySet<string> = new Set(["LEGACY", "GLOBAL"]);

/** Lines of an earlier run that are not states may lie between them. */
const isOtherMessage = (value: unknown): boolean =>
  isFields(value) && typeof value.type === "string" && OTHER_MESSAGES.has(value.type);
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
