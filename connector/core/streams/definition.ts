import type { Timestamp } from "../coverage/timestamp.ts";
import type { Item, ListedSurvey, Numbered } from "../lists/item.ts";
import type { OddAnswers } from "./answer-rows.ts";
import { type Columns, type RecordOf, type RecordSchema, type StreamRecord, schemaOf } from "./column.ts";

type Cursor = "collected_at" | "snapshot_id";

/**
 * A stream, whole: its name, columns and key, the list that it reads, and the records that an item of that list becomes
 * (none, one or many). Catalog, documentation and sandbox derive from it.
 */
interface StreamReading<Reads extends keyof ItemsRead> {
  /** The name that users see. */
  readonly name: string;
  /** Made from the columns. */
  readonly schema: RecordSchema;
  /** Top-level fields of the record, never null. */
  readonly primaryKey: readonly string[];
  readonly columns: Columns;
  /** The column that says which records are newer. */
  readonly cursor: Cursor;
  /** Whether each sync reads it whole, whatever its state says. A sync that was cut short starts over. */
  readonly isSnapshot?: boolean;
  readonly reads: Reads;
  records(item: ItemsRead[Reads], origin: Origin): readonly StreamRecord[];
}

/** A stream that reads any of the lists. */
export type StreamDefinition = { [Reads in keyof ItemsRead]: StreamReading<Reads> }[keyof ItemsRead];

/** Collects what the service sends and this version does not know. */
export interface Unknown {
  /** Names of fields, also of known ones whose values do not fit their columns. */
  readonly fields: Set<string>;
  readonly answers: OddAnswers;
}

/** Where an item comes from, and what the list says about it that the item may omit. */
export interface Origin {
  readonly surveyId?: string;
  readonly respondentUuid?: string;
  /** What the list of surveys says of the survey, for items that do not name it (S14). */
  readonly survey?: Pick<ListedSurvey, "name" | "type"> | undefined;
  /** 1, 2, … among the items of the list; set for questions. */
  readonly position?: number;
  /** The service's present when the item was read; set for all but items of surveys' lists. */
  readonly present?: Timestamp | undefined;
  /** When the sync began, by the host's clock; set for surveys' lists. */
  readonly began?: Timestamp;
  readonly unknown: Unknown;
}

/** The lists that streams read, and the items of each. */
interface ItemsRead {
  /** The responses of the surveys that are read. */
  readonly "survey responses": Item;
  /** The same, for what is known once all of a list was read. */
  readonly "key snapshots": KeySnapshot;
  /** The surveys that are read, as the list of surveys describes them. */
  readonly surveys: ListedSurvey;
  /** The questions of each. */
  readonly "survey questions": Numbered;
  /** The responses of each respondent who is asked, down to the start date. */
  readonly "respondent responses": Item;
  /** The attributes of each respondent found in these surveys. */
  readonly "respondent attributes": Numbered;
}

/** What is known of a survey once a sync has read all of its list, as far as the configured dates go. */
export interface KeySnapshot {
  readonly numberOfResponses: number;
  /** Every response from `older` to `newer` that the service shows was read. `null` = from the beginning. */
  readonly older: Timestamp | null;
  readonly newer: Timestamp;
}

export type KeySnapshotStream = StreamReading<"key snapshots">;
export type ListedSurveyStream = StreamReading<"surveys">;
export type QuestionStream = StreamReading<"survey questions">;
export type RespondentResponseStream = StreamReading<"respondent responses">;
export type RespondentAttributeStream = StreamReading<"respondent attributes">;

/** What a stream's file says. */
interface Description<Name extends string, C extends Columns, Reads extends keyof ItemsRead, R>
  extends Omit<StreamReading<Reads>, "schema" | "cursor"> {
  readonly name: Name;
  /** The name of the record's type. */
  readonly title: string;
  /** For users: what a record is. */
  readonly description: string;
  readonly primaryKey: readonly (keyof C & string)[];
  readonly columns: C;
  /** Default: `collected_at`. */
  readonly cursor?: Cursor;
  records(item: ItemsRead[Reads], origin: Origin): readonly Exactly<R, C>[];
}
type Exactly<R, C> = R & { readonly [Name in Exclude<keyof R, keyof C>]: never };

/** A stream with the schema of its columns. A record that lacks a column or has one too many does not compile. */
export function defineStream<
  const Name extends string,
  const C extends Columns,
  Reads extends keyof ItemsRead,
  R extends RecordOf<C>,
>({ title, description, cursor = "collected_at", ...stream }: Description<Name, C, Reads, R>) {
  const defined: unknown = { ...stream, cursor, schema: schemaOf(title, description, stream.columns) };
  return defined as StreamReading<Reads> & { readonly name: Name; readonly columns: C };
}
