import { STREAMS } from "@survey-export/core";

/** Tables of a loader, made by hand for what the sandbox cannot show: as SQL that DuckDB and PostgreSQL take. */

type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;

const TYPES = {
  text: "text",
  timestamp: "timestamp with time zone",
  boolean: "boolean",
  json: "json",
  integer: "bigint",
  number: "double precision",
};

/** The columns of each stream's table by name, with their types in a database that names these kinds so. */
export function columnsIn(types: typeof TYPES) {
  const typeOf = ({ type, format }: { readonly type?: unknown; readonly format?: string }) => {
    if (format === "date-time") return types.timestamp;
    const [kind] = [type].flat().filter((one) => one !== "null");
    return types[(kind === "string" ? "text" : kind) as keyof typeof types] ?? types.json;
  };
  return Object.fromEntries(
    Object.values(STREAMS).map(({ name, columns }) => [
      name,
      {
        ...Object.fromEntries(Object.entries(columns).map(([column, one]) => [column, typeOf(one)])),
        _airbyte_extracted_at: types.timestamp,
      },
    ]),
  );
}

/** Empty tables of some streams in a schema of their own. */
export function createTables(schema: string, ...streams: readonly (keyof typeof STREAMS)[]): string {
  const columns = (stream: string) => Object.entries(columnsIn(TYPES)[stream]!).map((pair) => pair.join(" "));
  const tables = streams.map((stream) => `create table ${schema}.${stream} (${columns(stream)});`);
  return [`create schema ${schema};`, ...tables].join("\n");
}

const literal = (value: Value): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);

/** Rows of a table; what is not named is null. */
export const insert = (table: string, rows: readonly Row[]): string =>
  rows
    .map((row) => `insert into ${table} (${Object.keys(row)}) values (${Object.values(row).map(literal)});`)
    .join("\n");
