import {
  type BaseUrlProblem,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
  parseBaseUrl,
  parseSalt,
  parseTimestamp,
  type Timestamp,
} from "@survey-export/core";
import specification from "../../spec/connection.json" with { type: "json" };
import type { Connection } from "./generated/connection.ts";

/**
 * A field of the form, by the name that users see. `spec/connection.json` owns the fields, and not TypeScript: it is
 * exactly what Airbyte shows, `spec` prints it without any other code, and the type `Connection`, the documents and the
 * manifest are made from it. What a schema cannot say is a parser for each field in `configuration.ts`; without one,
 * nothing compiles.
 */
export type Field = keyof typeof specification.properties;

/** The names of all fields, in the order of the form. */
export const FIELDS = Object.keys(specification.properties) as readonly Field[];

/**
 * A value in its final form, or what is wrong with it, for the user: a sentence after the field's name, and more if it
 * takes more. `at` is the index of the entry, or the name of the part, that is wrong. The sentence never repeats the value.
 */
export type Checked<Value> =
  | { readonly value: Value; readonly fault?: undefined }
  | { readonly fault: string; readonly at?: number | string };

/** Leaves an empty field undefined. */
export function optional<Given, Value>(check: (given: Given) => Checked<Value>) {
  return (given: Given | undefined): Checked<Value | undefined> =>
    given === undefined ? { value: undefined } : check(given);
}

/**
 * A list with each entry once; an empty field is an empty list. `problemOf` says what is wrong with an entry. Entries
 * with the same `key` are duplicates.
 */
export function list(
  problemOf: (entry: string) => string | undefined,
  key: (entry: string) => string = (entry) => entry,
) {
  return (given: readonly string[] = []): Checked<readonly string[]> => {
    for (const [at, entry] of given.entries()) {
      const fault = problemOf(entry);
      if (fault !== undefined) return { fault, at };
    }
    const seen = new Set<string>();
    return { value: given.filter((entry) => seen.size < seen.add(key(entry)).size) };
  };
}

/** For a field about which the form says all. */
export const asGiven = <Value>(value: Value): Checked<Value> => ({ value });

/** Forms and clients write null and the empty string for a field that was left alone. */
export const isFilledIn = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Those of an object's fields that were filled in. */
export const withoutEmpty = (
  given: object,
  names: readonly string[] = Object.keys(given),
): Record<string, unknown> => {
  const fields = given as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    names.filter((name) => isFilledIn(fields[name])).map((name) => [name, fields[name]]),
  );
};

const ADDRESS = "https://api.example.com/v2";

const FAULTS: Readonly<Record<BaseUrlProblem, string>> = {
  not_http: `is not an http or https address. Write it like ${ADDRESS}.`,
  holds_credentials: "holds a user name or a password. Leave them out: the key goes into api_key.",
  holds_query: `holds a query or a fragment. End it with /v2, like ${ADDRESS}.`,
  no_version: `does not end in /v2. Write it with the version, like ${ADDRESS}.`,
  plain_http:
    "uses plain http, which would show the key to everyone on the way. Use https. Plain http is accepted only for this machine, a private address, a name without dots, .local and .internal.",
};

/** The configured address in the form of the core, or what is wrong with it. */
export function checkBaseUrl(text: string): Checked<string> {
  if (/\s/.test(text)) {
    return { fault: `holds a space or a line break. Remove it, and write the address like ${ADDRESS}.` };
  }
  const port = /^https?:\/\/[^/?#]*:(\d{1,9})(?:[/?#]|$)/i.exec(text)?.[1];
  if (Number(port) > 65_535) return { fault: "has a port above 65535. Correct the port." };
  const parsed = parseBaseUrl(text);
  return "baseUrl" in parsed ? { value: parsed.baseUrl } : { fault: FAULTS[parsed.problem] };
}

/** Why an entry is not a survey's identifier that can be part of a path; undefined if it can. */
export function surveyIdProblem(id: string): string | undefined {
  if (id.trim() === "") return "is empty. Give the survey's identifier, or remove the entry.";
  // Every way to write "." and ".." as a path segment is dropped from the path.
  const isLost = id === "." || id === ".." || !id.isWellFormed();
  return slipIn(id) ?? (isLost ? "cannot be part of a URL. Copy the survey's identifier again." : undefined);
}

/** What is wrong with an entry that is not a UUID. */
export function uuidProblem(text: string): string {
  return slipIn(text) ?? "is not a UUID. Write it like 6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10.";
}

/** Why an entry is not the name of an attribute; undefined if it is one. */
export function attributeProblem(name: string): string | undefined {
  if (name !== "" && name.isWellFormed()) return undefined;
  return "is not a name. Write it as it was set, or remove the entry.";
}

/** What went wrong when an identifier was pasted. The service would only say that it does not know it. */
function slipIn(id: string): string | undefined {
  if (id.includes(",")) return "holds a comma. Write each identifier as an entry of its own.";
  return id.trim() === id ? undefined : "begins or ends with white space. Remove it.";
}

const POINT_IN_TIME = "2024-01-01T00:00:00Z";

/**
 * Why a text without the form's pattern is not a timestamp. A day alone is refused rather than taken for midnight: as an
 * end date it would leave out the day that it names.
 */
export function timestampProblem(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
    ? `is a day without a time. Add the time in UTC, like ${POINT_IN_TIME}.`
    : `is not a timestamp in UTC. Write it like ${POINT_IN_TIME}, with up to six digits after the second.`;
}

/** A date with the form's pattern as a timestamp. */
export function checkTimestamp(text: string): Checked<Timestamp> {
  const value = parseTimestamp(text);
  if (value !== undefined) return { value };
  return { fault: `names a day or a time that does not exist. Write a real one, like ${POINT_IN_TIME}.` };
}

const UNITS_MS: Readonly<Record<string, number>> = {
  W: 604_800_000,
  D: 86_400_000,
  H: 3_600_000,
  M: 60_000,
  S: 1000,
};
const LONGEST_MS = 3650 * 86_400_000;

/** Why a text is not an ISO 8601 duration in units of a fixed length. */
export function lookbackProblem(text: string): string {
  return /^P[^T]*\d[YM]/.test(text)
    ? "counts in months or years, whose length varies. Write it in weeks, days, hours, minutes and seconds, like P30D."
    : "is not an ISO 8601 duration. Write it like PT10M for ten minutes or P1D for a day.";
}

/**
 * A duration with the form's pattern, in milliseconds. The pattern has only units of a fixed length. A month has none: the
 * window would depend on the day of the sync.
 */
export function checkLookback(text: string): Checked<number> {
  const parts = [...text.matchAll(/(\d{1,9})([WDHMS])/g)];
  const ms = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0);
  if (ms > LONGEST_MS) return { fault: "is longer than 3650 days. Write a shorter one." };
  return { value: ms };
}

export interface PersonalDataConfiguration {
  /** Names every kind. */
  readonly setting: PersonalDataSetting;
  /** The empty string if nothing is hashed. */
  readonly salt: string;
}

/** The parts of the field `personal_data`. */
export const PERSONAL_DATA_PARTS: readonly string[] = [...PERSONAL_DATA_KINDS, "url", "hash_salt"];

/** The setting, and the salt of its hashes. A name that is not known is an error: a misspelt name would let personal data through. */
export function checkPersonalData(given: Connection["personal_data"]): Checked<PersonalDataConfiguration> {
  if (Object.keys(given).some((name) => !PERSONAL_DATA_PARTS.includes(name))) {
    return { fault: `holds a field that is not one of ${PERSONAL_DATA_PARTS.join(", ")}. Correct its name.` };
  }
  const { hash_salt: text = "", ...setting } = given;
  const { salt } = parseSalt(text); // the form has refused a weak one
  const at = PERSONAL_DATA_KINDS.find((kind) => setting[kind] === "hash");
  if (at === undefined || salt !== "") return { value: { setting, salt } };
  const fault =
    "is hash, and personal_data.hash_salt is missing. Give a salt of 32 random characters, or choose keep or omit.";
  return { fault, at };
}
