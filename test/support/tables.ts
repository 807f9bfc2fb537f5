import { DatabaseSync } from "node:sqlite";
import type { StreamName, StreamRecord } from "../../connector/core/index.ts";
import { makeOwn } from "../../connector/sync-command/own-database.ts";
import { openTable } from "../../connector/sync-command/table.ts";

type Value = string | number | null;
/** Records of each stream that has a table. What a record does not name is null. */
export type Tables = Partial<Record<StreamName, readonly Readonly<Record<string, unknown>>[]>>;
/** A row of `_survey_export_syncs`. What it does not name is null. */
export type KeptSync = Readonly<Record<string, Value>>;

const NONE = { surveyId: undefined, responses: [] };

/** A database of SQLite, written as a sync does, and with these syncs and states. */
export function writeTables(
  path: string,
  tables: Tables,
  syncs: readonly KeptSync[],
  states: object = {},
): void {
  using database = new DatabaseSync(path);
  makeOwn(database, path);
  database.exec("begin");
  for (const [stream, records] of Object.entries(tables))
    openTable(database, stream as StreamName)(records as StreamRecord[], NONE);
  database.exec("commit");
  const sync = database.prepare(
    `insert into _survey_export_syncs values (${SETTINGS.map(() => "?").join()})`,
  );
  for (const row of syncs) sync.run(...SETTINGS.map((name) => row[name] ?? null));
  const state = database.prepare("insert into _survey_export_state values (?, ?)");
  for (const [stream, value] of Object.entries(states)) state.run(stream, JSON.stringify(value));
}

const SETTINGS = [
  "began_at",
  "ended_at",
  "outcome",
  "start_date",
  "end_date",
  "lookback_seconds",
  "survey_ids",
  "excluded_survey_ids",
] as const;
