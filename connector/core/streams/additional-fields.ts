/** The fields of one object of an item, and the names among them that have a column of their own. */
export interface FieldGroup {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly known: ReadonlySet<string>;
  /** Put before the names, e.g. `survey_`. */
  readonly prefix?: string;
}

/**
 * The fields that this version does not know, as they came, in one object: a destination drops what the schema does
 * not declare, so they travel in the declared column `additional_fields` (S6). Null if there are none. Their names
 * are added to `unknownFields`. If two groups have the same name, the first one's value stays.
 */
export function additionalFields(
  groups: readonly FieldGroup[],
  unknownFields: Set<string>,
): Record<string, unknown> | null {
  let found: Record<string, unknown> | null = null;
  for (const { fields, known, prefix = "" } of groups) {
    for (const name in fields) {
      if (known.has(name)) continue;
      const key = prefix + name;
      found ??= {};
      unknownFields.add(key);
      if (Object.hasOwn(found, key)) continue;
      // A plain assignment to "__proto__" would set the prototype instead of a field.
      Object.defineProperty(found, key, {
        value: fields[name],
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return found;
}
