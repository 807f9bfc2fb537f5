import { PERSONAL_DATA_KINDS, type PersonalDataKind, type PersonalDataSetting } from "@survey-export/core";
import type { Checked } from "./checked.ts";
import type { Connection } from "./generated/connection.ts";
import { isMeantAs } from "./misspelt-fields.ts";

export interface PersonalDataConfiguration {
  readonly setting: PersonalDataSetting;
  /** The empty string where nothing is hashed. */
  readonly salt: string;
}

const FIELDS = [...PERSONAL_DATA_KINDS, "hash_salt"];

/** The setting, and the salt of its hashes. A name that is not known is a fault: a slip would let personal data through. */
export function checkPersonalData(
  given: NonNullable<Connection["personal_data"]>,
): Checked<PersonalDataConfiguration> {
  const { hash_salt: salt = "", ...setting } = given;
  if (Object.keys(setting).some((name) => !PERSONAL_DATA_KINDS.includes(name as PersonalDataKind))) {
    return { fault: `personal_data holds a field that is none of ${FIELDS.join(", ")}. Correct its name.` };
  }
  const hashed = PERSONAL_DATA_KINDS.find((kind) => setting[kind] === "hash");
  if (hashed === undefined || salt !== "") return { value: { setting, salt } };
  return {
    fault: `personal_data.${hashed} is hash, and personal_data.hash_salt is missing. Give a salt of 32 random characters, or choose keep or omit.`,
  };
}

/** `personal_data` without the fields that were left alone: forms write null and the empty string for them. */
export function withoutBlanks(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== ""));
}

/** A field that must have been meant as `personal_data` or as a part of it. To ignore it would let personal data through. */
export function misspeltPersonalData(given: object): string | undefined {
  const names = Object.keys(given).filter((name) => name !== "personal_data");
  const isGiven = (field: string): boolean => names.some((name) => isMeantAs(name, field));
  if (isGiven("personal_data")) {
    return "A field is spelled almost like personal_data. Write it as personal_data.";
  }
  const part = FIELDS.find(isGiven);
  return part && `${part} stands beside personal_data, where it does nothing. Put it into personal_data.`;
}
