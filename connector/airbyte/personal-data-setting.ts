import { PERSONAL_DATA_KINDS, type PersonalDataSetting, parseSalt, SHORTEST_SALT } from "@survey-export/core";
import type { Checked } from "./configured-field.ts";
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
  const fault = saltFault(text);
  if (fault !== undefined) return { fault, at: "hash_salt" };
  const { salt } = parseSalt(text);
  const at = PERSONAL_DATA_KINDS.find((kind) => setting[kind] === "hash");
  if (at === undefined || salt !== "") return { value: { setting, salt } };
  const missing =
    "is hash, and personal_data.hash_salt is missing. Give a salt of 32 random characters, or choose keep or omit.";
  return { fault: missing, at };
}

/** Why nobody should use this salt; undefined for no salt. */
export const saltFault = (text: string): string | undefined =>
  text === "" || !parseSalt(text).isWeak
    ? undefined
    : `is shorter than ${SHORTEST_SALT} characters, or repeats a single one. It could be guessed, and with a list of addresses everything that was hashed with it. Give 32 random characters, such as openssl rand -hex 16 prints.`;

/** A field that must have been meant as `personal_data` or as a part of it. To ignore it would let personal data through. */
export function misspeltPersonalData(given: object): string | undefined {
  const names = Object.entries(given)
    .filter(([name, value]) => name !== "personal_data" && value !== null && value !== "")
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
