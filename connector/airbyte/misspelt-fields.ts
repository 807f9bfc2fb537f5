import { fixed, given, type Message, say } from "@survey-export/core";
import { FIELDS, type Field, isFilledIn, PERSONAL_DATA_PARTS } from "./configured-values.ts";
import type { Warning } from "./message-writer.ts";

/** A one-letter slip in a long name is still that name. */
const LONGEST_SLIP = 1;
/** No field has so long a name, not even misspelt. */
const LONGEST_NAME = 100;

/** `start-date`, `startDate` and `START_DATE` are all meant as `start_date`: what is the same in them. */
export const lettersOf = (name: string): string =>
  name.length < LONGEST_NAME ? name.toLowerCase().replace(/[^a-z0-9]/g, "") : "";
const MOST_TOLD = 5;

const KNOWN = FIELDS.map((field) => ({ field, letters: lettersOf(field) }));

/**
 * A warning for each field of the configuration that is ignored but looks like one that is known. Airbyte and its
 * callers add fields of their own, so other unknown fields are fine.
 */
export function misspeltFields(configuration: unknown): Warning[] {
  if (typeof configuration !== "object" || configuration === null) return [];
  const names = new Set(Object.keys(configuration));
  const missing = KNOWN.filter(({ field }) => !names.has(field));
  return names
    .values()
    .flatMap((name) => {
      const spelt = lettersOf(name);
      const meant = isField(name) ? undefined : missing.find(({ letters }) => areAlike(spelt, letters));
      return meant === undefined
        ? []
        : [{ code: "misspelt_setting" as const, message: ignored(name, meant.field) }];
    })
    .take(MOST_TOLD)
    .toArray();
}

const isField = (name: string): boolean => FIELDS.some((field) => field === name);

const ignored = (name: string, meant: Field): Message =>
  say`The configuration's field ${given(name)} is ignored. Did you mean ${fixed(meant)}?`;

/** Whether the letters of a name must have been meant as those of a field: at most one is more, less or different. */
function areAlike(name: string, field: string): boolean {
  if (name === field) return true;
  if (field.length < 6 || Math.abs(name.length - field.length) > LONGEST_SLIP) return false;
  let start = 0;
  while (start < name.length && name[start] === field[start]) start++;
  let end = 0;
  while (end < Math.min(name.length, field.length) - start && name.at(-1 - end) === field.at(-1 - end)) end++;
  return Math.max(name.length, field.length) - start - end <= LONGEST_SLIP;
}

/** A field that must have been meant as `personal_data` or as a part of it. To ignore it would let personal data through. */
export function misspeltPersonalData(given: object): string | undefined {
  const names = Object.entries(given)
    .filter(([name, value]) => name !== "personal_data" && isFilledIn(value))
    .map(([name]) => lettersOf(name));
  const isGiven = (field: string): boolean => {
    const letters = lettersOf(field);
    return names.some((name) => areAlike(name, letters));
  };
  if (isGiven("personal_data")) {
    return "A field is spelled almost like personal_data. Write it as personal_data.";
  }
  const part = PERSONAL_DATA_PARTS.find(isGiven);
  return part && `${part} is beside personal_data, where it has no effect. Move it into personal_data.`;
}
