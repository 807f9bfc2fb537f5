/** A record as plain data. */
export type FlatRecord = Record<string, unknown>;

/** Values that a sheet, a CSV file, a Data Table and a filter all take. */
export type Primitive = string | number | boolean | null;

/** Names and a value for each. A run holds very many, and two lists take less memory than a list of pairs. */
export interface Cells {
  readonly names: readonly string[];
  readonly values: readonly Primitive[];
}

export const NO_CELLS: Cells = { names: [], values: [] };

export function cellsOf(byName: ReadonlyMap<string, Primitive>): Cells {
  if (byName.size === 0) return NO_CELLS;
  return { names: [...byName.keys()], values: [...byName.values()] };
}

/** Objects, which the service does not document here, as JSON. */
export function primitive(value: unknown): Primitive {
  if (value === undefined || value === null) return null;
  return typeof value === "object" ? JSON.stringify(value) : (value as Primitive);
}

/** One output item before all columns of its run are known. A missing value is null. */
export interface FlatItem {
  /** The response's own fields. */
  readonly fixed: FlatRecord;
  /** By column. */
  readonly answers: Cells;
  /** By the attribute's own name. */
  readonly attributes: Cells;
  /** The columns to have, in their order, if somebody chose them. "answers" and "attributes" stand for all of these. */
  readonly columns?: readonly string[];
}

/** Columns whose values are numbers, or text that may be a number. */
const MAY_BE_NUMBER = /^attribute_|^answer_\d+_score$/;

/**
 * What a column has in an item that lacks it. n8n's filters take null for 0 (`null <= 6` is true), so a missing number
 * is undefined: as a filter and as JSON see it, the item has no such key. The key is there all the same for a node that
 * makes a table of the keys, such as Convert to File.
 */
export const missingIn: Missing = (column) => (MAY_BE_NUMBER.test(column) ? undefined : null);
/** For items of different surveys, most of which lack most columns. */
export const missingInAny: Missing = () => undefined;
type Missing = (column: string) => null | undefined;

/**
 * Items with the same columns in the same order, so that a later node sees a table: the columns that were chosen, or
 * all of the run: fixed fields, answers by question, attributes by name. What an item lacks is null, or for a number
 * undefined.
 */
export function withAllColumns(items: readonly FlatItem[], missing: Missing = missingIn): FlatRecord[] {
  const fixed = new Set<string>();
  const answers = new Set<string>();
  const names = new Set<string>();
  const chosen = new Set<readonly string[]>();
  for (const item of items) {
    for (const field of Object.keys(item.fixed)) fixed.add(field);
    for (const column of item.answers.names) answers.add(column);
    for (const name of item.attributes.names) names.add(name);
    if (item.columns) chosen.add(item.columns);
  }
  const attributes = attributeColumns(names);
  const all = {
    answers: [...answers].sort(byQuestion),
    attributes: [...names].sort().flatMap((name) => attributes.get(name) ?? []),
  };
  const columns =
    chosen.size === 0
      ? [...fixed, ...all.answers, ...all.attributes]
      : [...chosen]
          .flat()
          .flatMap((column) => (column === "answers" || column === "attributes" ? all[column] : column));
  // Copies of one object share their layout, which takes far less memory than objects filled one by one.
  const empty = JSON.parse(
    `{${columns.map((column) => `${JSON.stringify(column)}:null`).join(",")}}`,
  ) as FlatRecord;
  for (const column of columns) empty[column] = missing(column);
  return items.map((item) => {
    const json = { ...empty };
    Object.assign(json, item.fixed);
    for (const [index, column] of item.answers.names.entries()) {
      json[column] = item.answers.values[index] ?? missing(column);
    }
    for (const [index, name] of item.attributes.names.entries()) {
      const column = attributes.get(name);
      if (column !== undefined && column in empty) json[column] = item.attributes.values[index] ?? undefined;
    }
    return json;
  });
}

/** By the question's number; of one question, the answer before its score, tag and comment. */
function byQuestion(one: string, other: string): number {
  const [left, right] = [Number(one.split("_")[1]), Number(other.split("_")[1])];
  return left !== right ? left - right : one < other ? -1 : 1;
}

const LONGEST_NAME = 50;
const LEGAL = /^[A-Za-z0-9_]+$/;

/**
 * A column for each attribute name, legal in databases: letters, digits and `_`. Spaces and punctuation become
 * `_`. A name that loses more than these ends in a checksum of itself, and has the same column in every run.
 *
 * So does one of two names that would share a column of the run, such as "first name" and "first_name": the legal
 * one keeps it. Only such a name can have another column in another run. A checksum for every name with a space would
 * prevent that, and make "attribute_First_name" ugly for all.
 */
function attributeColumns(names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const byColumn = new Map<string, string[]>();
  for (const name of names) {
    const column = attributeColumn(name).toLowerCase();
    byColumn.set(column, [...(byColumn.get(column) ?? []), name]);
  }
  const columns = new Map<string, string>();
  for (const sharing of byColumn.values()) {
    sharing.sort(
      (one, other) => Number(LEGAL.test(other)) - Number(LEGAL.test(one)) || (one < other ? -1 : 1),
    );
    for (const [index, name] of sharing.entries()) {
      columns.set(name, index === 0 ? attributeColumn(name) : checked(name));
    }
  }
  return columns;
}

/** The column of an attribute that shares it with no other. */
export function attributeColumn(name: string): string {
  const column = name.replace(/[\s\-./:]+/g, "_");
  return column.length <= LONGEST_NAME && LEGAL.test(column) ? `attribute_${column}` : checked(name);
}

function checked(name: string): string {
  const readable = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return ["attribute", readable.slice(0, LONGEST_NAME - 9), checksum(name)]
    .filter((part) => part !== "")
    .join("_");
}

/** FNV-1a, as eight hexadecimal digits. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
