import type { ColumnContent } from "../privacy/personal-data.ts";

/**
 * A part of what the service sends. A response's item has a `response`, its `survey` and, inside of the response, its
 * `respondent`. The item of any other list is the `survey`, the `question` or the `attribute` itself.
 */
export type Entity = "response" | "survey" | "question" | "respondent" | "attribute";

/**
 * Where the value of a column comes from.
 *
 * - `part.field`: that field, as the service sent it. An id that the item omits comes from the list (`Origin`).
 * - `one answer`: made of one answer. `whole survey`: known once all of a survey was read. `list`: known from the list: its
 *   address, or the place in it. `clock`: the time of reading.
 * - `unknown fields`: the fields of all parts that no column is made from.
 */
export type Source =
  | `${Entity}.${string}`
  | "one answer"
  | "whole survey"
  | "list"
  | "clock"
  | "unknown fields";

/**
 * A column, whole. Schema, types, known fields, the treatment of personal data, documents and the manifest derive from
 * it. Everything but `from` and `holds` is in the schema as it is, in this order.
 */
export interface Column {
  /** A JSON type, or several. A column that cannot be null is required. */
  readonly type: JsonType | readonly JsonType[];
  readonly format?: "date-time";
  readonly airbyte_type?: "timestamp_with_timezone";
  readonly additionalProperties?: true;
  /** For users: what the value means. */
  readonly description: string;
  /** The schema of a list's elements. */
  readonly items?: object;
  readonly from: Source;
  readonly holds: ColumnContent;
}

/** In the schema of a column of timestamps. */
export const TIMESTAMP = { format: "date-time", airbyte_type: "timestamp_with_timezone" } as const;

/** When something without a time of its own was read. `what`: in words, as in the next column. */
export const readAt = (what: string) =>
  ({
    type: "string",
    ...TIMESTAMP,
    description: `Timestamp at which the ${what} was read: the service's clock less one second, in UTC with microseconds. The latest reading has the latest timestamp. Cursor of the stream.`,
    from: "clock",
    holds: { plain: "the time of our own reading" },
  }) as const;

/** `more`: what else there is to say about them. */
export const additionalFieldsOf = (what: string, more = "") =>
  ({
    type: ["object", "null"],
    additionalProperties: true,
    description: `Fields of the ${what} that this version of the source does not know, as the service sent them. Null if there are none.${more}`,
    from: "unknown fields",
    holds: "unknown",
  }) as const;

/** The columns of a stream by their names, in their order. */
export type Columns = Readonly<Record<string, Column>>;

/** What a value of each JSON type is in TypeScript. */
interface JsonValues {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
  readonly object: Readonly<Record<string, unknown>>;
  readonly array: readonly unknown[];
}

type JsonType = keyof JsonValues;

type ValueOf<Type> = Type extends readonly (infer One extends JsonType)[]
  ? JsonValues[One]
  : Type extends JsonType
    ? JsonValues[Type]
    : never;

/** A record with these columns, no fewer and no more. */
export type RecordOf<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]["type"]> };

/** A record of any stream. */
export type StreamRecord = Readonly<Record<string, unknown>>;

/** The JSON schema of a stream's records, as Airbyte's catalog holds it. */
export interface RecordSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly [keyword: string]: unknown;
}

/** `title`: the name of the record's type. */
export function schemaOf(title: string, description: string, columns: Columns): RecordSchema {
  const named = Object.entries(columns);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title,
    description,
    type: "object",
    additionalProperties: true,
    required: named.filter(([, { type }]) => ![type].flat().includes("null")).map(([name]) => name),
    properties: Object.fromEntries(
      named.map(([name, { from: _, holds: __, ...property }]) => [name, property]),
    ),
  };
}

/** The fields of a part that have a column of their own. */
export function fieldsFrom(entity: Entity, columns: Columns): string[] {
  const prefix = `${entity}.`;
  return Object.values(columns).flatMap(({ from }) =>
    from.startsWith(prefix) ? [from.slice(prefix.length)] : [],
  );
}
