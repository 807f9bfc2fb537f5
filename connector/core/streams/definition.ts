import type { Timestamp } from "../coverage/timestamp.ts";
import type { StreamRecord } from "../generated/records.ts";
import type { Attribute } from "../lists/attribute-walk.ts";
import type { Item } from "../lists/item.ts";
import type { ColumnContents } from "../privacy/personal-data.ts";

/** The JSON schema of a stream's records, as Airbyte's catalog holds it. */
export interface RecordSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly [keyword: string]: unknown;
}

interface Described {
  /** The name that users see. */
  readonly name: string;
  readonly schema: RecordSchema;
  /** Top-level fields of the record, never null. */
  readonly primaryKey: readonly string[];
  /** What each column of the schema holds: it decides what happens to personal data. */
  readonly columns: ColumnContents;
}

/** Where an item comes from, and what the list says about it that the item may leave out. */
export interface Origin {
  readonly surveyId?: string;
  readonly respondentUuid?: string;
  /** The service's present when the item was read; set for items of respondents' lists. */
  readonly present?: Timestamp;
  /** Collects the names of fields that this version does not know. */
  readonly unknownFields: Set<string>;
}

/**
 * A stream, whole: its name, schema and key, the list that it reads, and the records that an item of that list becomes
 * (none, one or many). Catalog, documentation and sandbox derive from it.
 *
 * `records` may throw an `unreadable_item`: the item is left out and reported, and its range is read again by the next
 * sync.
 */
export type StreamDefinition = SurveyStream | RespondentResponseStream | RespondentAttributeStream;

/** Reads the lists of the configured surveys. */
export interface SurveyStream extends Described {
  readonly reads: "survey responses";
  records(item: Item, origin: Origin): readonly StreamRecord[];
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
