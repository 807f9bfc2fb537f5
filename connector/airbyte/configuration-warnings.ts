import { PERSONAL_DATA_KINDS, say, timestampOfMs } from "@survey-export/core";
import type { Configuration } from "./configuration.ts";
import { misspeltFields } from "./misspelt-fields.ts";
import type { Warning } from "./warning.ts";

/** A salt below this length can be guessed, and the hashed values with it. */
const SHORTEST_SALT = 16;

/** Warnings about settings that work but are probably not what the user wants. `given`: the configuration as it came. */
export function configurationWarnings(
  given: unknown,
  configuration: Configuration,
  nowMs: number,
): Warning[] {
  const { selection, personalData, secret } = configuration;
  const warnings = misspeltFields(given);
  if (selection.startDate !== undefined && selection.startDate > timestampOfMs(nowMs)) {
    warnings.push({
      code: "start_date_in_future",
      message: say`start_date is in the future, so no responses are read until then. Correct it if that is not meant.`,
    });
  }
  if (
    PERSONAL_DATA_KINDS.some((kind) => personalData[kind] === "hash") &&
    secret.hashSalt.length < SHORTEST_SALT
  ) {
    warnings.push({
      code: "short_salt",
      message: say`personal_data.hash_salt is shorter than ${SHORTEST_SALT} characters, so it can be guessed, and what was hashed with it. Give 32 random characters. Every hash changes with the salt: read the streams again from their start afterwards.`,
    });
  }
  return warnings;
}
