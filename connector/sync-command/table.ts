import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { STREAMS, type StreamName, type StreamRecord } from "@survey-export/core";
import { type ReadResponses, storableJson, storableText } from "../airbyte/message-writer.ts";

/** SQLite's types, by the JSON type of a column. All others are text: JSON, and timestamps as in the messages. */
const TYPES: Readonly<Record<string, string>> = { integer: "integer", number: "real", boolean: "integer" };

/** Writes the records of these responses. @returns whether a text was changed that cannot be stored */
export type Table = (records: readonly StreamRecord[], of: ReadResponses) => boolean;

/**
 * The table of a stream, which is created without an old state, or gets the columns that it does not have yet. Answers of
 * a response replace all that it had: there may be fewer now, or none.
 */
export function openTable(database: DatabaseSync, stream: StreamName): Table {
  const { columns, primaryKey } = STREAMS[stream];
  const names = Object.keys(columns);
  const quoted = names.map((name) => `"${name}"`);
  const declared = Object.values(columns).map(({ type }, at) => {
    const types = [type].flat().flatMap((one) => TYPES[one] ?? []);
    return `${quoted[at]} ${types[0] ?? "text"}`;
  });
  const existing = database.prepare("select name from pragma_table_info(?)").all(stream);
  const has = new Set(existing.map(({ name }) => name));
  if (has.size === 0) {
    database.exec(`create table ${stream} (${declared.join(", ")}, primary key (${primaryKey.join(", ")}))`);
    database.prepare("delete from _survey_export_state where stream = ?").run(stream);
  } else
    for (const [at, name] of names.entries())
      if (!has.has(name)) database.exec(`alter table ${stream} add column ${declared[at]}`);

  const upsert = database.prepare(
    `insert into ${stream} (${quoted.join(", ")}) values (${quoted.map(() => "?").join(", ")})
     on conflict (${primaryKey.join(", ")}) do update set ${quoted.map((name) => `${name} = excluded.${name}`).join(", ")}`,
  );
  const among = (column: string): string => `${column} in (select value from json_each(?))`;
  const answersOf = `delete from survey_answers where ${among("response_uuid")} and ${among("survey_id")}`;
  const remove = stream === "survey_answers" ? database.prepare(answersOf) : undefined;
  return (records, { surveyId, responses }) => {
    const surveyIds = new Set([surveyId, ...records.map(({ survey_id: id }) => id)]);
    remove?.run(JSON.stringify(responses.map(storableText)), JSON.stringify([...surveyIds]));
    let isChanged = false;
    const cell = (value: unknown): SQLInputValue => {
      if (typeof value === "number") return value;
      if (typeof value === "boolean") return Number(value);
      if (value === null || value === undefined) return null;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const stored = typeof value === "string" ? storableText(text) : storableJson(text);
      isChanged ||= stored !== text;
      return stored;
    };
    for (const record of records) upsert.run(...names.map((name) => cell(record[name])));
    return isChanged;
  };
}
