import type { DatabaseSync } from "node:sqlite";
import {
  isEverySurveyRead,
  type Message,
  STREAMS,
  type StreamName,
  type StreamRecord,
  SurveyExportError,
} from "@survey-export/core";
import type { Selection } from "../airbyte/configuration.ts";
import type { ReadResponses, RowWriter } from "../airbyte/message-writer.ts";
import { createViews } from "../views/create-views.ts";
import { keptStates } from "./kept-states.ts";
import type { LockWait } from "./lock-wait.ts";
import { handOn, openOwnDatabase } from "./own-database.ts";
import { refusalOf } from "./refusal.ts";
import { openTable, type Table } from "./table.ts";

/** Each commit costs a page of the file for almost each row, since the keys are random. */
const COMMIT_AFTER_MS = 500;

/** How a sync ended. */
export type Outcome = "complete" | "incomplete" | "stopped";

/** Why nothing is written any more. `isThrown`: whether somebody was told. */
interface Failure {
  readonly thrown: unknown;
  isThrown: boolean;
}

/**
 * A SQLite file with a table for each stream: the columns of the catalog, and one row for each primary key. A later reading
 * wins. `_survey_export_state` has the state of each stream, and `_survey_export_syncs` a row for each sync. When a sync ends, the
 * file has the views of `connector/views`.
 *
 * A state is committed together with all records before it, so a kill at any moment loses nothing (I1): some rows come again.
 * Others can read the file meanwhile, half a second late. A state counts as long as its table exists: a table that somebody
 * dropped is read again (I17).
 */
export class Tables implements RowWriter {
  /** See `RowWriter.lost`. */
  readonly lost = new Map<string, number>();
  readonly #path: string;
  readonly #wait: LockWait;
  readonly #database: DatabaseSync;
  readonly #tables = new Map<string, Table>();
  /** The row of this sync in `_survey_export_syncs`. */
  #sync: number | bigint | undefined;
  /** Records of the transaction that is open, by stream. */
  readonly #uncommitted = new Map<string, number>();
  /** After it nothing is written: SQLite has taken rows back that a later state would cover. */
  #failure: Failure | undefined;

  private constructor(path: string, wait: LockWait, database: DatabaseSync) {
    this.#path = path;
    this.#wait = wait;
    this.#database = database;
  }

  /**
   * Opens the file at `path`, or creates it. It waits while another program holds a lock.
   * @throws SurveyExportError `invalid_configuration` if the file is not ours, or if it or a table in it cannot take the rows;
   * the signal's reason if the wait was ended
   */
  static async open(path: string, wait: LockWait): Promise<Tables> {
    const database = await openOwnDatabase(path, wait).catch((thrown: unknown) => {
      throw refusalOf(thrown, path);
    });
    const tables = new Tables(path, wait, database);
    try {
      await tables.#openExisting();
      return tables;
    } catch (thrown) {
      database.close();
      throw refusalOf(thrown, path);
    }
  }

  /** The states of the streams whose tables exist, by stream. @throws SurveyExportError `invalid_state` */
  readState(): ReadonlyMap<string, unknown> {
    return keptStates(this.#database, this.#path, (stream) => this.has(stream));
  }

  /** Whether the file has the table of this stream. */
  has(stream: string): boolean {
    return this.#tables.has(stream);
  }

  /** See `RowWriter.waitsFor`. */
  get waitsFor(): Message | undefined {
    return this.#wait.waitsFor;
  }

  /** Notes in `_survey_export_syncs` that a sync with these settings begins. */
  async began(selection: Selection): Promise<void> {
    const { startDate, endDate, lookbackMs, surveyIds, excludedSurveyIds } = selection;
    const excluded = isEverySurveyRead(selection) ? [...excludedSurveyIds] : [];
    const settings = {
      began_at: timeNow(),
      start_date: startDate ?? null,
      end_date: endDate ?? null,
      lookback_seconds: Math.round(lookbackMs / 1000),
      survey_ids: JSON.stringify(surveyIds),
      excluded_survey_ids: JSON.stringify(excluded),
    };
    const names = Object.keys(settings);
    const insert = `insert into _survey_export_syncs (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`;
    await this.#write(() => {
      this.#sync = this.#database.prepare(insert).run(...Object.values(settings)).lastInsertRowid;
    });
    await this.commit();
  }

  /** Writes rows, which are committed soon. */
  records(stream: string, records: readonly StreamRecord[], of: ReadResponses): Promise<boolean> {
    return this.#write(() => {
      const isChanged = this.#tableOf(stream)(records, of);
      this.#uncommitted.set(stream, (this.#uncommitted.get(stream) ?? 0) + records.length);
      return isChanged;
    }, stream);
  }

  /** Writes a state, which is committed in one transaction with the rows before it, or later than these. */
  state(stream: string, state: string): Promise<void> {
    return this.#write(() => {
      this.#tableOf(stream);
      this.#database.prepare("insert or replace into _survey_export_state values (?, ?)").run(stream, state);
    }, stream);
  }

  async commit(): Promise<void> {
    this.#commitNow();
    this.#throwFailure();
  }

  /**
   * Notes how the sync ended, and closes the file.
   * @returns a failure that nothing has thrown yet
   */
  async close(outcome: Outcome): Promise<SurveyExportError | undefined> {
    this.#commitNow();
    let failure = this.#failure;
    try {
      await this.#end(outcome, failure ? 0 : undefined);
      await handOn(this.#database, this.#wait);
    } catch (thrown) {
      failure ??= { thrown: refusalOf(thrown, this.#path), isThrown: false };
    } finally {
      this.#database.close();
    }
    const isNews = failure && !failure.isThrown && failure.thrown instanceof SurveyExportError;
    return isNews ? (failure?.thrown as SurveyExportError) : undefined;
  }

  async #openExisting(): Promise<void> {
    const names = this.#database.prepare("select name from sqlite_schema where type in ('table', 'view')");
    for (const { name } of await this.#wait.whenFree(() => names.all())) {
      const stream = String(name);
      if (Object.hasOwn(STREAMS, stream)) await this.#write(() => void this.#tableOf(stream), stream);
    }
    // A table that somebody dropped comes back with its rows, which may take hours. Until then its views would fail.
    await this.#write(() => createViews(this.#database));
    await this.commit();
  }

  /** What every sync leaves in the file at its end, in one transaction. `mostMs`: how long it waits for a lock. */
  async #end(outcome: Outcome, mostMs?: number): Promise<void> {
    const update = "update _survey_export_syncs set ended_at = ?, outcome = ? where rowid = ?";
    await this.#begin(mostMs);
    if (this.#sync !== undefined) this.#database.prepare(update).run(timeNow(), outcome, this.#sync);
    createViews(this.#database);
    this.#database.exec("commit");
  }

  /** `stream`: whose rows it writes, if it is one's. @throws the first failure */
  async #write<Result>(write: () => Result, stream?: string): Promise<Result> {
    this.#throwFailure();
    try {
      await this.#begin();
      return write();
    } catch (thrown) {
      this.#fail(thrown, stream);
      this.#throwFailure();
      throw thrown;
    }
  }

  /** Opens a transaction, if none is, that is committed soon. */
  async #begin(mostMs?: number): Promise<void> {
    if (this.#database.isTransaction) return;
    // Exclusive: if the file system has no WAL mode, a commit would have to wait for readers. This waits for them before it.
    await this.#wait.whenFree(() => this.#database.exec("begin exclusive"), mostMs);
    setTimeout(() => this.#commitNow(), COMMIT_AFTER_MS).unref();
  }

  /** The next write, or `commit`, throws a failure. */
  #commitNow(): void {
    if (this.#failure || !this.#database.isOpen || !this.#database.isTransaction) return;
    try {
      this.#database.exec("commit");
      this.#uncommitted.clear();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Takes back what is not committed. */
  #fail(thrown: unknown, stream?: string): void {
    this.#failure = { thrown: refusalOf(thrown, this.#path, stream), isThrown: false };
    for (const [name, count] of this.#uncommitted) this.lost.set(name, count);
    if (this.#database.isTransaction) this.#database.exec("rollback");
  }

  #throwFailure(): void {
    if (!this.#failure) return;
    this.#failure.isThrown = true;
    throw this.#failure.thrown;
  }

  #tableOf(stream: string): Table {
    const table = this.#tables.get(stream) ?? openTable(this.#database, stream as StreamName);
    this.#tables.set(stream, table);
    return table;
  }
}

const timeNow = (): string => new Date().toISOString();
