import { fixed, given, listed, outside, say } from "@survey-export/core";
import { isStreamName, type SelectedStream } from "./catalog.ts";
import type { Warning } from "./warning.ts";

/**
 * Warnings about a `--state` file that does not fit the selected streams: a stream without a state is read from its
 * start, and if its name is misspelt, nobody would know why. A file without any state is a first sync, and fine.
 */
export function unmatchedStates(
  states: ReadonlyMap<string, unknown>,
  selected: readonly SelectedStream[],
): Warning[] {
  if (states.size === 0 || states.has("*")) return [];
  const names = [...states.keys()];
  const unknown = names.filter((name) => !isStreamName(name));
  const without = selected
    .filter(({ name, syncMode }) => syncMode === "incremental" && isStreamName(name) && !states.has(name))
    .map(({ name }) => name);
  const warnings: Warning[] = [];
  if (unknown.length > 0) {
    warnings.push({
      code: "state_of_unknown_stream",
      message: say`The state file (--state) names streams that this source does not have: ${listed(unknown.map((name) => outside(name)))}. Their states are ignored. Correct the names if they are misspelt.`,
    });
  }
  if (without.length > 0) {
    const [stream, it, start] =
      without.length === 1 ? [say`stream`, say`it is`, say`its`] : [say`streams`, say`they are`, say`their`];
    warnings.push({
      code: "state_missing",
      message: say`The state file (--state) has no state for ${stream} ${listed(without.map(fixed))}, so ${it} read from ${start} start. It has states for: ${listed(names.map((name) => (isStreamName(name) ? given(name) : outside(name))))}. Pass the last state of every stream, unless it is new in the catalog.`,
    });
  }
  return warnings;
}
