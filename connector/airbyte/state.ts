import { SurveyExportError } from "@survey-export/core";

/**
 * The states in a `--state` file, by stream: Airbyte's array, `[]`, `{}`, one state as it was printed, or a
 * former run's lines, of which the last STATE of each stream counts. So a shell script can keep state with
 * `grep`. Only finds them; what is inside is read by the core.
 *
 * A bare `{ "collected_at": … }` is meant for every stream and returned under `*`.
 *
 * @throws SurveyExportError `invalid_state`
 */
export function parseStates(text: string): Map<string, unknown> {
  const states = new Map<string, unknown>();
  for (const value of documents(text)) collect(value, states);
  return states;
}

function documents(text: string): unknown[] {
  if (text.trim() === "") return [];
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line, at) => {
        try {
          return JSON.parse(line);
        } catch {
          throw invalid(`it is neither one JSON document nor JSON lines (line ${at + 1})`);
        }
      });
  }
}

type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function collect(value: unknown, states: Map<string, unknown>): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, states);
    return;
  }
  if (!isFields(value)) throw invalid(`${JSON.stringify(value)} stands where a state should`);
  if (isFields(value.state) && value.type === "STATE") collect(value.state, states);
  else if (isFields(value.stream)) {
    const { stream_descriptor: descriptor, stream_state: state } = value.stream;
    const name = isFields(descriptor) ? descriptor.name : undefined;
    if (typeof name !== "string") throw invalid("a state does not name its stream (stream_descriptor.name)");
    states.set(name, state);
  } else if ("collected_at" in value) states.set("*", value);
  else if (Object.keys(value).length > 0 && !isOtherMessage(value)) {
    const type = typeof value.type === "string" ? `a state of type ${value.type}` : "an object";
    throw invalid(`${type} in it is not a state of one stream`);
  }
}

/** Lines of a former run that are not states may lie between them. */
const isOtherMessage = ({ type }: Fields): boolean => type === "RECORD" || type === "LOG" || type === "TRACE";

function invalid(what: string): SurveyExportError {
  return new SurveyExportError(
    "config",
    "invalid_state",
    `The state file (--state) cannot be read: ${what}. Pass the states that a former run wrote, or none to read everything again.`,
  );
}
