import { say, timestampOfMs } from "@survey-export/core";
import type { Configuration } from "./configuration.ts";
import { misspeltFields } from "./misspelt-fields.ts";
import type { Warning } from "./warning.ts";

/** Warnings about settings that work but are probably not what the user wants. `given`: the configuration as it came. */
export function configurationWarnings(
  given: unknown,
  configuration: Configuration,
  nowMs: number,
): Warning[] {
  const { selection } = configuration;
  const warnings = misspeltFields(given);
  if (selection.startDate !== undefined && selection.startDate > timestampOfMs(nowMs)) {
    warnings.push({
      code: "start_date_in_future",
      message: say`start_date is in the future, so no responses are read until then. Correct it if that is not meant.`,
    });
  }
  return warnings;
}
