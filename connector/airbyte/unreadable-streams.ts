import {
  fixed,
  type Message,
  type RecordTreatment,
  STREAMS,
  type StreamDefinition,
  type StreamName,
  SurveyExportError,
  say,
} from "@survey-export/core";

/**
 * Why a stream cannot be read under this treatment of personal data; undefined if it can be. Without its primary key it cannot
 * be stored: rows of different respondents would replace each other.
 */
export function omittedKey(
  { name, primaryKey, columns }: StreamDefinition,
  { identifiers }: Pick<RecordTreatment, "identifiers">,
): Message | undefined {
  const needsIdentifier = primaryKey.some((column) => columns[column]?.holds === "respondent_identifiers");
  if (!needsIdentifier || identifiers !== "omit") return undefined;
  return say`Stream ${fixed(name)} cannot be read if personal_data omits respondent_identifiers: its primary key holds the respondent's UUID.`;
}

/**
 * Refuses streams that a person wants to read and that cannot be read, before anything is read. A platform's catalog is not
 * refused: each stream of it that cannot be read has an error of its own.
 * @throws SurveyExportError `invalid_configuration`, which says which streams can be read
 */
export function requireReadable(
  names: readonly StreamName[],
  treatment: Pick<RecordTreatment, "identifiers">,
): void {
  const refused = names.flatMap((name) => omittedKey(STREAMS[name], treatment) ?? []);
  const [first] = refused;
  if (first === undefined) return;
  const others = names.filter((name) => omittedKey(STREAMS[name], treatment) === undefined);
  const choice =
    others.length === 0
      ? say`Set respondent_identifiers to hash or keep.`
      : say`Set respondent_identifiers to hash or keep, or read the other streams (--streams ${fixed(others.join(","))}).`;
  const advice = say`Nothing was read. ${choice}`;
  throw new SurveyExportError("config", "invalid_configuration", first, { advice });
}
