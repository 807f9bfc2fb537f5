import { isObject, wholeNumber } from "../text/json.ts";
import type { Entity } from "./column.ts";

/** A field whose value does not fit its column. `item`: the object around all parts. */
export type Misfit = `${Entity | "item"}.${string}`;

/** A value as a column of text holds it: a number or a boolean is written out. Undefined if it does not fit. */
export function text(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The fields of a list's entries that have one type, as its schema says, and their values as that type holds them. */
type EntryFields = Readonly<Record<string, typeof text | typeof wholeNumber>>;

export const ATTRIBUTE_PAIR: EntryFields = { name: text, value: text };
/** The schema does not say what the answer itself is. */
export const ANSWERED: EntryFields = { question_id: wholeNumber, question_type: text };

/** Null for no value, and for one that does not fit: that is a misfit. */
export const textOrMisfit = (value: unknown, field: Misfit, misfits: Misfit[]): string | null =>
  typeof value === "string" ? value : fittingOrMisfit(value, text, field, misfits);

/**
 * A list whose entries fit their schema. An entry that is no object is omitted, and a field's value that does not fit is
 * null: then the list is a misfit. Null holds nothing and is not one. Null for no value, and for one that is not a list.
 */
export function listOrMisfit(
  value: unknown,
  fields: EntryFields,
  field: Misfit,
  misfits: Misfit[],
): readonly unknown[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) {
    misfits.push(field);
    return null;
  }
  let isMisfit = false;
  const fitting: unknown[] = [];
  for (const entry of value) {
    if (isObject(entry)) {
      let fitted = entry;
      for (const name in fields) {
        const given = entry[name];
        if (given === undefined || given === null) continue;
        const kept = fields[name]?.(given);
        if (kept !== given) fitted = { ...fitted, [name]: kept ?? null };
        isMisfit ||= kept === undefined;
      }
      fitting.push(fitted);
    } else isMisfit ||= entry !== null;
  }
  if (isMisfit) misfits.push(field);
  return fitting;
}

/** A value that fits, or null: for no value, and for a misfit. `fit`: undefined for what does not fit. */
export function fittingOrMisfit<Fitting>(
  value: unknown,
  fit: (value: unknown) => Fitting | undefined,
  field: Misfit,
  misfits: Misfit[],
): Fitting | null {
  if (value === undefined || value === null) return null;
  const fitting = fit(value);
  if (fitting === undefined) misfits.push(field);
  return fitting ?? null;
}

/** The fields of one object of an item, and the names among them that have a column of their own. */
interface FieldGroup {
  readonly entity: Entity | "item";
  /** Undefined if the item has no such object. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly known: ReadonlySet<string>;
  /** Put before the names, e.g. `survey_`. */
  readonly prefix?: string;
}

/**
 * The misfits and the fields that this version does not know, as the service sent them, in one object: a destination
 * drops what the schema does not declare, so they travel in the declared column `additional_fields` (S6). Null if there
 * are none. Their names are added to `unknown`. If two groups have the same name, the first one's value stays.
 */
export function additionalFields(
  groups: readonly FieldGroup[],
  misfits: readonly Misfit[],
  unknown: { readonly fields: Set<string> },
): Record<string, unknown> | null {
  let found: Record<string, unknown> | null = null;
  for (const { entity, fields, known, prefix = "" } of groups) {
    for (const name in fields) {
      const isMisfit = misfits.length > 0 && misfits.includes(`${entity}.${name}`);
      if (known.has(name) && !isMisfit) continue;
      const key = prefix + name;
      found ??= {};
      unknown.fields.add(key);
      if (!Object.hasOwn(found, key)) setField(found, key, fields[name]);
    }
  }
  return found;
}

/** A plain assignment to "__proto__" would set the prototype instead of a field. */
export function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
  } else fields[name] = value;
}
