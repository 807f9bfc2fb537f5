import { DatabaseSync } from "node:sqlite";
import { STREAMS } from "../connector/core/index.ts";
import { keyOf } from "../sandbox/index.ts";

/** The primary keys in the tables of a file that `sync` wrote, by stream, as the sandbox writes them. */
export function keysIn(path: string): ReadonlyMap<string, ReadonlySet<string>> {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    const names = database.prepare("select name from sqlite_schema where type = 'table'").all();
    const tables = new Set(names.map(({ name }) => name));
    const streams = Object.values(STREAMS).filter(({ name }) => tables.has(name));
    return new Map(
      streams.map(({ name, primaryKey }) => {
        const rows = database.prepare(`select ${primaryKey.join(", ")} from ${name}`).all();
        return [name, new Set(rows.map((row) => keyOf(row, primaryKey)))];
      }),
    );
  } finally {
    database.close();
  }
}
