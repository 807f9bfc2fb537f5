import { DatabaseSync } from "node:sqlite";
import { STREAMS, type StreamName } from "../../connector/core/index.ts";

type Value = string | number | null;
/** Records of each stream that has a table. What a record does not name is null. */
export type Tables = Partial<Record<StreamName, readonly Readonly<Record<string, unknown>>[]>>;
/** A row of `_survey_export_syncs`. What it does not name is null. */
export type KeptSync = Readonly<Record<string, Value>>;

const KEPT = `CREATE TABLE _survey_export_state (stream TEXT PRIMARY KEY, state TEXT);
CREATE TABLE _survey_export_syncs (began_at TEXT, ended_at TEXT, outcome TEXT, start_date TEXT, end_date TEXT,
  lookback_seconds INTEGER);`;

/** A database of SQLite as a sync writes it: a table for each stream, with its columns and its primary key. */
export function writeTables(
  path: string,
  tables: Tables,
  syncs: readonly KeptSync[],
  states: object = {},
): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${KEPT}`);
  for (const [stream, records] of Object.entries(tables)) {
    const { columns, primaryKey } = STREAMS[stream as StreamName];
    const names = Object.keys(columns);
    const declared = names.map((name) => `"${name}" ${typeOf(columns[name]!.type)}`);
    database.exec(`CREATE TABLE ${stream} (${declared.join(", ")}, PRIMARY KEY (${primaryKey.join(", ")}))`);
    insert(database, stream, names, records);
  }
  const settings = ["began_at", "ended_at", "outcome", "start_date", "end_date", "lookback_seconds"];
  insert(database, "_survey_export_syncs", settings, syncs);
  const kept = Object.entries(states).map(([stream, state]) => ({ stream, state }));
  insert(database, "_survey_export_state", ["stream", "state"], kept);
  database.exec("COMMIT");
  database.close();
}

function typeOf(type: string | readonly string[]): string {
  const [of = ""] = [type].flat();
  return of === "integer" || of === "boolean" ? "INTEGER" : of === "number" ? "REAL" : "TEXT";
}

function insert(
  database: DatabaseSync,
  table: string,
  names: readonly string[],
  records: Iterable<Readonly<Record<string, unknown>>>,
): void {
  const places = names.map(() => "?").join();
  const columns = names.map((name) => `"${name}"`).join();
  const statement = database.prepare(`INSERT OR REPLACE INTO ${table} (${columns}) VALUES (${places})`);
  for (const record of records) statement.run(...names.map((name) => stored(record[name])));
}

const stored = (value: unknown): Value =>
  value === undefined || value === null
    ? null
    : typeof value === "boolean"
      ? Number(value)
      : typeof value === "object"
        ? JSON.stringify(value)
        : (value as Value);
