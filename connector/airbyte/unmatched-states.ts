import { quoteList } from "@survey-export/core";
import { isStreamName, type SelectedStream } from "./catalog.ts";

/**
 * Sentences about a `--state` file that does not fit the selected streams: a stream without a state is read from its
 * start, and after a slip in a name nobody would know why. A file without any state is a first sync, and fine.
 */
export function unmatchedStates(
  states: ReadonlyMap<string, unknown>,
  selected: readonly SelectedStream[],
): string[] {
  if (states.size === 0 || states.has("*")) return [];
  const names = [...states.keys()];
  const unknown = names.filter((name) => !isStreamName(name));
  const without = selected
    .filter(({ name, syncMode }) => syncMode === "incremental" && isStreamName(name) && !states.has(name))
    .map(({ name }) => name);
  const sentences: string[] = [];
  if (unknown.length > 0) {
    sentences.push(
      `The state file (--state) names streams that this source does not have: ${quoteList(unknown)}. Their states are ignored. Correct the names if they are misspelt.`,
    );
  }
  if (without.length > 0) {
    const [stream, it, start] =
      without.length === 1 ? ["stream", "it is", "its"] : ["streams", "they are", "their"];
    sentences.push(
      `The state file (--state) has no state for ${stream} ${without.join(", ")}, so ${it} read from ${start} start. It has states for: ${quoteList(names)}. Pass the last state of every stream, unless it is new in the catalog.`,
    );
  }
  return sentences;
}
