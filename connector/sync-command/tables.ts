import { closeSync, constants } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  given,
  STREAMS,
  type StreamName,
  type StreamRecord,
  SurveyExportError,
  say,
} from "@survey-export/core";
import { type RowWriter, storableJson, storableText } from "../airbyte/message-writer.ts";
import { openDatabase, SQLITE, sqliteCode } from "../node/sqlite.ts";
import { openFile } from "./open-file.ts";

const { O_CREAT, O_RDWR } = constants;

/** The settings of a sync that explain which responses are in the tables. */
export interface SyncSettings {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly lookbackMs: number;
}

/** SQLite's types, by the JSON type of a column. All others are text: JSON, and timestamps as in the messages. */
const TYPES: Readonly<Record<string, string>> = { integer: "INTEGER", number: "REAL", boolean: "INTEGER" };

/** Each commit costs a page of the file for almost each row, since the keys are random. */
const COMMIT_AFTER_MS = 500;
/** How long another program may write to the file before the sync gives up. */
const BUSY_MS = 60_000;

const OWN_TABLES = `
create table if not exists _survey_export_state (stream text primary key, state text not null);
create table if not exists _survey_export_syncs (
  began_at text, ended_at text, outcome text, start_date text, end_date text, lookback_seconds integer
);`;

/**
 * A SQLite file with a table for each stream: the columns of the catalog, and one row for each primary key. A later reading
 * wins. `_survey_export_state` has the state of each stream, and `_survey_export_syncs` a row for each sync.
 *
 * A state is committed together with all records before it, so a kill at any moment loses nothing (I1): some rows come again.
 * Others can read the file meanwhile, half a second late. A state counts as long as its table exists: a table that somebody dropped is read again. The file is for
 * its owner alone.
 */
export class Tables implements RowWriter {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #tables = new Map<string, Table>();
  #sync: number | bigint | undefined;
  /** After it nothing is written: SQLite may have taken rows back that a later state would cover. */
  #failure: SurveyExportError | undefined;
  #isTold = false;

  /** @throws SurveyExportError `invalid_configuration` if the file, or a table in it, cannot take the rows */
  constructor(path: string) {
    this.#path = path;
    closeSync(openFile(path, O_CREAT | O_RDWR));
    this.#database = openDatabase(path);
    try {
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL;
        PRAGMA wal_autocheckpoint = 10000; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -48000;${OWN_TABLES}`);
      const existing = this.#database
        .prepare("select name from sqlite_schema where type in ('table', 'view')")
        .all();
      for (const { name } of existing) if (Object.hasOwn(STREAMS, String(name))) this.#tableOf(String(name));
    } catch (thrown) {
      this.#database.close();
      throw thrown instanceof SurveyExportError ? thrown : this.#refusal(thrown);
    }
  }

  /** The states of the streams whose tables exist, by stream. @throws SurveyExportError `invalid_state` */
  readState(): ReadonlyMap<string, unknown> {
    const rows = this.#database.prepare("select stream, state from _survey_export_state").all();
    const kept = rows.filter(({ stream }) => this.#tables.has(String(stream)));
    return new Map(kept.map(({ stream, state }) => [String(stream), this.#parsed(String(state))]));
  }

  #parsed(state: string): unknown {
    try {
      return JSON.parse(state);
    } catch {
      const facts = say`A state in the table _survey_export_state of ${given(this.#path)} is not valid JSON.`;
      const advice = say`Correct it, or delete its row to read the stream again.`;
      throw new SurveyExportError("config", "invalid_state", facts, { advice });
    }
  }

  /** Notes in `_survey_export_syncs` that a sync begins. */
  began({ startDate = "", endDate = "", lookbackMs }: SyncSettings): void {
    const insert = "insert into _survey_export_syncs values (?, null, null, ?, ?, ?)";
    const values = [timeNow(), startDate || null, endDate || null, Math.round(lookbackMs / 1000)];
    this.#sync = this.#database.prepare(insert).run(...values).lastInsertRowid;
  }

  /** Writes rows, which are committed soon. */
  records(stream: string, records: readonly StreamRecord[]): boolean {
    return this.#guarded(stream, () => this.#tableOf(stream).write(records));
  }

  /** Writes a state, which is committed in one transaction with the rows before it, or later than these. */
  state(stream: string, state: string): void {
    this.#guarded(stream, () => {
      this.#tableOf(stream);
      this.#database.prepare("insert or replace into _survey_export_state values (?, ?)").run(stream, state);
    });
  }

  /** Nothing after a failure. @throws SurveyExportError if the file does not take the last rows */
  commit(): void {
    if (this.#failure || !this.#database.isOpen || !this.#database.isTransaction) return;
    try {
      this.#database.exec("commit");
    } catch (thrown) {
      this.#failure = this.#refusal(thrown);
      throw this.#failure;
    }
  }

  /**
   * Commits the rest, and closes the file. `isComplete`: whether the sync that began is; undefined if it was stopped.
   * @returns why the last rows were not taken, if that was not told before
   */
  close(isComplete: boolean | undefined): SurveyExportError | undefined {
    try {
      this.commit();
      const outcome = isComplete === undefined ? "stopped" : isComplete ? "complete" : "incomplete";
      const update = "update _survey_export_syncs set ended_at = ?, outcome = ? where rowid = ?";
      if (this.#database.isTransaction) this.#database.exec("rollback");
      if (this.#sync !== undefined) this.#database.prepare(update).run(timeNow(), outcome, this.#sync);
    } catch (thrown) {
      this.#failure ??= this.#refusal(thrown);
    } finally {
      this.#database.close();
    }
    return this.#isTold ? undefined : this.#failure;
  }

  /** The next write, or the end, tells of a failure. */
  #commitLater(): void {
    try {
      this.commit();
    } catch {} // it is in #failure
  }

  #guarded<T>(stream: string, write: () => T): T {
    try {
      if (this.#failure) throw this.#failure;
      if (!this.#database.isTransaction) {
        this.#database.exec("begin immediate");
        setTimeout(() => this.#commitLater(), COMMIT_AFTER_MS).unref();
      }
      return write();
    } catch (thrown) {
      this.#failure = thrown instanceof SurveyExportError ? thrown : this.#refusal(thrown, stream);
      this.#isTold = true;
      throw this.#failure;
    }
  }

  /** The table of a stream, with all columns. */
  #tableOf(stream: string): Table {
    const found = this.#tables.get(stream);
    if (found) return found;
    try {
      const table = new Table(this.#database, stream as StreamName);
      this.#tables.set(stream, table);
      return table;
    } catch (thrown) {
      throw this.#refusal(thrown, stream);
    }
  }

  /** `stream`: whose rows were refused, if it was one's. */
  #refusal(thrown: unknown, stream?: string): SurveyExportError {
    const code = sqliteCode(thrown);
    if (code === undefined) throw thrown;
    const path = given(this.#path);
    const facts =
      FAULTS[code] === undefined && stream !== undefined
        ? say`The table ${given(stream)} of ${path} does not take the rows of its stream (${given((thrown as Error).message)}). Undo what was changed in it, or drop it: then the next sync reads it from its start.`
        : say`${path} cannot be written: ${FAULTS[code] ?? say`${given((thrown as Error).message)}. Correct this, and run again.`}`;
    return new SurveyExportError("config", "invalid_configuration", facts);
  }
}

const NO_ROOM = say`the disk is full, or has failed. Make room there, and run again: nothing is lost.`;
const NOT_OURS = say`it is not a SQLite database, or is damaged. Move it away, and run again.`;

const FAULTS: Readonly<Record<number, ReturnType<typeof say>>> = {
  [SQLITE.BUSY]: say`another program has locked it for ${BUSY_MS / 1000} s. End that program's transaction, and run again.`,
  [SQLITE.READONLY]: say`this user may only read it, or its folder. Make both writable, and run again.`,
  [SQLITE.CORRUPT]: NOT_OURS,
  [SQLITE.FULL]: NO_ROOM,
  [SQLITE.IO]: NO_ROOM,
  [SQLITE.NOT_A_DATABASE]: NOT_OURS,
};

/** One stream's table. */
class Table {
  readonly #columns: readonly string[];
  readonly #upsert: StatementSync;
  /** Removes the answers of responses that were read again: of a shorter list of answers, some would remain. */
  readonly #remove: StatementSync | undefined;

  /** Creates it, without an old state, or adds the columns that it does not have yet. */
  constructor(database: DatabaseSync, stream: StreamName) {
    const { columns, primaryKey } = STREAMS[stream];
    this.#columns = Object.keys(columns);
    const declared = Object.entries(columns).map(([name, { type }]) => {
      const of = [type].flat().map((one) => TYPES[one]);
      return `"${name}" ${of.find((one) => one !== undefined) ?? "TEXT"}`;
    });
    const existing = database.prepare("select name from pragma_table_info(?)").all(stream);
    const names = new Set(existing.map(({ name }) => name));
    if (names.size === 0) {
      database.exec(
        `create table ${stream} (${declared.join(", ")}, primary key (${primaryKey.join(", ")}))`,
      );
      database.prepare("delete from _survey_export_state where stream = ?").run(stream);
    } else {
      for (const [at, name] of this.#columns.entries())
        if (!names.has(name)) database.exec(`alter table ${stream} add column ${declared[at]}`);
    }
    const quoted = this.#columns.map((name) => `"${name}"`);
    const set = quoted.map((name) => `${name} = excluded.${name}`);
    this.#upsert = database.prepare(
      `insert into ${stream} (${quoted.join(", ")}) values (${quoted.map(() => "?").join(", ")})
       on conflict (${primaryKey.join(", ")}) do update set ${set.join(", ")}`,
    );
    const among = (column: string): string => `${column} in (select value from json_each(?))`;
    const remove = `delete from survey_answers where ${among("response_uuid")} and ${among("survey_id")}`;
    this.#remove = stream === "survey_answers" ? database.prepare(remove) : undefined;
  }

  /** @returns whether a text was changed that cannot be stored */
  write(records: readonly StreamRecord[]): boolean {
    const ofAll = (column: string): string =>
      JSON.stringify([...new Set(records.map((record) => record[column]))]);
    this.#remove?.run(ofAll("response_uuid"), ofAll("survey_id"));
    let isChanged = false;
    for (const record of records) {
      const values = this.#columns.map((column): SQLInputValue => {
        const value: unknown = record[column];
        if (typeof value === "number") return value;
        if (typeof value === "boolean") return Number(value);
        if (value === null || value === undefined) return null;
        const text = typeof value === "string" ? value : JSON.stringify(value);
        const stored = typeof value === "string" ? storableText(text) : storableJson(text);
        isChanged ||= stored !== text;
        return stored;
      });
      this.#upsert.run(...values);
    }
    return isChanged;
  }
}

const timeNow = (): string => new Date().toISOString();
