import { closeSync, constants } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { given, type Message, STREAMS, type StreamRecord, SurveyExportError, say } from "@survey-export/core";
import type { Selection } from "../airbyte/configuration.ts";
import type { RowWriter } from "../airbyte/message-writer.ts";
import { openDatabase, SQLITE, sqliteCode } from "../node/sqlite.ts";
import { thisUser } from "../node/this-user.ts";
import { openFile } from "./open-file.ts";
import { openTable, type Table } from "./table.ts";

const { O_CREAT, O_RDWR } = constants;

/** Each commit costs a page of the file for almost each row, since the keys are random. */
const COMMIT_AFTER_MS = 500;
/** How long another program may write to the file before the sync gives up. */
const BUSY_MS = 60_000;

const SETUP = `
pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = wal; pragma wal_autocheckpoint = 10000;
pragma synchronous = normal; pragma cache_size = -48000;
create table if not exists _survey_export_state (stream text primary key, state text not null);
create table if not exists _survey_export_syncs (
  began_at text, ended_at text, outcome text, start_date text, end_date text, lookback_seconds integer
);`;

/**
 * A SQLite file with a table for each stream: the columns of the catalog, and one row for each primary key. A later reading
 * wins. `_survey_export_state` has the state of each stream, and `_survey_export_syncs` a row for each sync.
 *
 * A state is committed together with all records before it, so a kill at any moment loses nothing (I1): some rows come again.
 * Others can read the file meanwhile, half a second late. A state counts as long as its table exists: a table that somebody
 * dropped is read again. The file is for its owner alone.
 */
export class Tables implements RowWriter {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #tables = new Map<string, Table>();
  #sync: number | bigint | undefined;
  /** After it nothing is written: SQLite may have taken rows back that a later state would cover. */
  #failure: SurveyExportError | undefined;
  #isReported = false;

  /** @throws SurveyExportError `invalid_configuration` if the file, or a table in it, cannot take the rows */
  constructor(path: string) {
    this.#path = path;
    closeSync(openFile(path, O_CREAT | O_RDWR));
    this.#database = openDatabase(path);
    let stream: string | undefined;
    try {
      this.#database.exec(SETUP);
      const existing = this.#database.prepare(
        "select name from sqlite_schema where type in ('table', 'view')",
      );
      for (const { name } of existing.all()) {
        stream = Object.hasOwn(STREAMS, String(name)) ? String(name) : undefined;
        if (stream !== undefined) this.#tableOf(stream);
      }
    } catch (thrown) {
      this.#database.close();
      throw this.#refusal(thrown, stream);
    }
  }

  /** The states of the streams whose tables exist, by stream. @throws SurveyExportError `invalid_state` */
  readState(): ReadonlyMap<string, unknown> {
    const rows = this.#database.prepare("select stream, state from _survey_export_state").all();
    const kept = rows.filter(({ stream }) => this.#tables.has(String(stream)));
    try {
      return new Map(kept.map(({ stream, state }) => [String(stream), JSON.parse(String(state))]));
    } catch {
      const facts = say`A state in the table _survey_export_state of ${given(this.#path)} is not valid JSON.`;
      const advice = say`Correct it, or delete its row to read the stream again.`;
      throw new SurveyExportError("config", "invalid_state", facts, { advice });
    }
  }

  /** Notes in `_survey_export_syncs` that a sync with these settings begins. */
  began({ startDate, endDate, lookbackMs }: Selection): void {
    const insert = "insert into _survey_export_syncs values (?, null, null, ?, ?, ?)";
    const values = [timeNow(), startDate ?? null, endDate ?? null, Math.round(lookbackMs / 1000)];
    this.#sync = this.#database.prepare(insert).run(...values).lastInsertRowid;
  }

  /** Writes rows, which are committed soon. */
  records(stream: string, records: readonly StreamRecord[]): boolean {
    return this.#guarded(stream, () => this.#tableOf(stream)(records));
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
   * @returns why the last rows were not taken, if that was not reported before
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
    return this.#isReported ? undefined : this.#failure;
  }

  /** The next write, or the end, reports a failure. */
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
      this.#failure = this.#refusal(thrown, stream);
      this.#isReported = true;
      throw this.#failure;
    }
  }

  #tableOf(stream: string): Table {
    const table = this.#tables.get(stream) ?? openTable(this.#database, stream as keyof typeof STREAMS);
    this.#tables.set(stream, table);
    return table;
  }

  /** `stream`: whose rows were refused, if it was one's. */
  #refusal(thrown: unknown, stream?: string): SurveyExportError {
    const code = sqliteCode(thrown);
    if (thrown instanceof SurveyExportError || code === undefined) throw thrown;
    const [path, reason] = [given(this.#path), given((thrown as Error).message)];
    const isOfTable = FAULTS[code] === undefined && stream !== undefined;
    const facts = isOfTable
      ? say`The table ${given(stream)} of ${path} does not take the rows of its stream (${reason}). Undo what was changed in it, or drop it: then the next sync reads it from its start.`
      : say`${path} cannot be written: ${FAULTS[code] ?? say`${reason}. Correct this, and run again.`}`;
    return new SurveyExportError("config", "invalid_configuration", facts);
  }
}

const NO_ROOM = say`the disk is full, or has failed. Make room there, and run again: nothing is lost.`;
const NOT_OURS = say`it is not a SQLite database, or is damaged. Move it away, and run again.`;

const FAULTS: Readonly<Record<number, Message>> = {
  [SQLITE.BUSY]: say`another program has locked it for ${BUSY_MS / 1000} s. End that program's transaction, and run again.`,
  [SQLITE.READONLY]: say`${thisUser()} may only read it, or its folder. Make both writable, and run again.`,
  [SQLITE.IO]: NO_ROOM,
  [SQLITE.CORRUPT]: NOT_OURS,
  [SQLITE.FULL]: NO_ROOM,
  [SQLITE.NOT_A_DATABASE]: NOT_OURS,
};

const timeNow = (): string => new Date().toISOString();
