import specification from "../../spec/connection.json" with { type: "json" };

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
