import { PERSONAL_DATA_KINDS, type PersonalDataSetting, parseSalt } from "@survey-export/core";
import { type Checked, isFilledIn } from "./configured-field.ts";
import type { Connection } from "./generated/connection.ts";
import { areAlike, lettersOf } from "./misspelt-fields.ts";

export interface PersonalDataConfiguration {
  /** Names every kind. */
  readonly setting: PersonalDataSetting;
  /** The empty string if nothing is hashed. */
  readonly salt: string;
}

const NAMES: readonly string[] = [...PERSONAL_DATA_KINDS, "url", "hash_salt"];

/** The setting, and the salt of its hashes. A name that is not known is an error: a misspelt name would let personal data through. */
export function checkPersonalData(given: Connection["personal_data"]): Checked<PersonalDataConfiguration> {
  if (Object.keys(given).some((name) => !NAMES.includes(name))) {
    return { fault: `holds a field that is not one of ${NAMES.join(", ")}. Correct its name.` };
  }
  const { hash_salt: text = "", ...setting } = given;
  const { salt } = parseSalt(text); // the form has refused a weak one
  const at = PERSONAL_DATA_KINDS.find((kind) => setting[kind] === "hash");
  if (at === undefined || salt !== "") return { value: { setting, salt } };
  const fault =
    "is hash, and personal_data.hash_salt is missing. Give a salt of 32 random characters, or choose keep or omit.";
  return { fault, at };
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
  const part = NAMES.find(isGiven);
  return part && `${part} is beside personal_data, where it has no effect. Move it into personal_data.`;
}
