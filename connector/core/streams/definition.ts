import type { Timestamp } from "../coverage/timestamp.ts";
import type { Attribute } from "../lists/attribute-walk.ts";
import type { Item } from "../lists/item.ts";
import type { OddAnswers, Undocumented } from "./answer-rows.ts";
import { type Columns, type RecordOf, type RecordSchema, type StreamRecord, schemaOf } from "./column.ts";

interface Described {
  /** The name that users see. */
  readonly name: string;
  /** Made from the columns. */
  readonly schema: RecordSchema;
  /** Top-level fields of the record, never null. */
  readonly primaryKey: readonly string[];
  readonly columns: Columns;
  /**
   * Whether each sync reads it whole, whatever its state says: a snapshot of what is there. A sync that was cut short
   * starts over.
   */
  readonly isSnapshot?: boolean;
}

/** Collects what the service sends and this version does not know. */
export interface Unknown extends Undocumented {
  /** Names of fields. */
  readonly fields: Set<string>;
  readonly answers: OddAnswers;
}

/** Where an item comes from, and what the list says about it that the item may leave out. */
export interface Origin {
  readonly surveyId?: string;
  readonly respondentUuid?: string;
  /** The service's present when the item was read; set for items of respondents' lists. */
  readonly present?: Timestamp;
  /** When the sync began, by the host's clock; set for surveys' lists. */
  readonly began?: Timestamp;
  readonly unknown: Unknown;
}

/**
 * A stream, whole: its name, columns and key, the list that it reads, and the records that an item of that list becomes
 * (none, one or many). Catalog, documentation and sandbox derive from it.
 *
 * `records` may throw an `unreadable_item`: the item is left out and reported, and its range is read again by the next
 * sync.
 */
export type StreamDefinition =
  | SurveyStream
  | WholeSurveyStream
  | RespondentResponseStream
  | RespondentAttributeStream;

/** Reads the lists of the configured surveys. */
export interface SurveyStream extends Described {
  readonly reads: "survey responses";
  records(item: Item, origin: Origin): readonly StreamRecord[];
}

/** What is known of a survey once a sync has read all of its list, as far as the configured dates go. */
export interface WholeSurvey {
  readonly numberOfResponses: number;
  /** Every response from `older` to `newer` that the service shows was read. `null` = from the beginning. */
  readonly older: Timestamp | null;
  readonly newer: Timestamp;
}

/** Reads the lists of the configured surveys, for what is known once all of a list was read. */
export interface WholeSurveyStream extends Described {
  readonly reads: "whole surveys";
  records(survey: WholeSurvey, origin: Origin): readonly StreamRecord[];
}

/** Reads the responses of each respondent found in the configured surveys, down to the start date. */
export interface RespondentResponseStream extends Described {
  readonly reads: "respondent responses";
  records(item: Item, origin: Origin): readonly StreamRecord[];
}

/** Reads the attributes of each respondent found in the configured surveys. */
export interface RespondentAttributeStream extends Described {
  readonly reads: "respondent attributes";
  records(attribute: Attribute, origin: Origin): readonly StreamRecord[];
}

export type RespondentStream = RespondentResponseStream | RespondentAttributeStream;

type Reading<Reads> = Extract<StreamDefinition, { readonly reads: Reads }>;

/** What a stream's file says. */
interface Description<Name, C extends Columns, Reads extends StreamDefinition["reads"], R> {
  readonly name: Name;
  /** The name of the record's type. */
  readonly title: string;
  /** For users: what a record is. */
  readonly description: string;
  readonly primaryKey: readonly (keyof C & string)[];
  readonly columns: C;
  readonly isSnapshot?: boolean;
  readonly reads: Reads;
  records(item: Parameters<Reading<Reads>["records"]>[0], origin: Origin): readonly Exactly<R, C>[];
}
type Exactly<R, C> = R & { readonly [Name in Exclude<keyof R, keyof C>]: never };

/** A stream with the schema of its columns. A record that lacks a column or has one too many does not compile. */
export function defineStream<
  const Name extends string,
  const C extends Columns,
  Reads extends StreamDefinition["reads"],
  R extends RecordOf<C>,
>({ title, description, ...stream }: Description<Name, C, Reads, R>) {
  const defined: unknown = { ...stream, schema: schemaOf(title, description, stream.columns) };
  return defined as Reading<Reads> & { readonly name: Name; readonly columns: C };
}
