import { type Columns, fieldsFrom } from "../connector/core/streams/column.ts";
import type { StreamDefinition } from "../connector/core/streams/definition.ts";

type Reads = Exclude<StreamDefinition["reads"], "whole surveys">;

/**
 * Turns an item of a list into the stream's record, and gives its `collected_at`. Undefined for a stream whose columns
 * are made from one answer: the filter of the template shapes its rows.
 *
 * The record is changed in place: a value that Jinja renders would be written as Python and read again.
 */
export function shapedRecord(columns: Columns, reads: Reads): string | undefined {
  const named = Object.entries(columns);
  if (named.some(([, { from }]) => from === "one answer")) return undefined;
  const entries = named
    .filter(([, { from }]) => from !== "unknown fields")
    .map(([name, column]) => `  '${name}': ${expressionOf(column)}`);
  return [
    MACROS,
    MADE_STORABLE,
    ...(reads === "respondent attributes" ? [] : PARTS),
    `{%- set row = {\n${entries.join(",\n")}\n} -%}`,
    ...additional(columns, reads),
    ...fitted(columns, reads),
    "{%- set _ = row.update({ 'additional_fields': more or none }) -%}",
    `{%- set is_good = ${IS_GOOD[reads]} -%}`,
    "{%- set _ = record.clear() -%}{%- set _ = record.update(row) -%}",
    // An item without a key or a time would be a row that nothing can find: the stream fails instead.
    "{{- row['collected_at'] if is_good else 1 // 0 -}}",
  ].join("\n");
}

/**
 * `storable` replaces in a record what no destination can store (half of an emoji, NUL) and what no double can hold, as our
 * own source does. `text` gives a number or a boolean as JavaScript writes it.
 */
export const MACROS = String.raw`
{%- macro text(value) -%}
  {{- (value ~ '') | lower if value is boolean else (value | int if value == value | int else value) ~ '' -}}
{%- endmacro -%}
{%- macro storable(box) -%}
  {%- set keys = box.keys() | list if box is mapping else [] -%}
  {%- set values = box.values() | list if box is mapping else box | list -%}
  {%- set _ = box.clear() -%}
  {%- for value in values -%}
    {%- if value is string -%}
      {%- set value = value | regex_replace('[\\x00\\ud800-\\udfff]', '\ufffd') -%}
    {%- elif value is iterable -%}
      {{- storable(value) -}}
    {%- elif value ~ '' in ['inf', '-inf', 'nan'] or value is integer
      and not -9007199254740991 <= value <= 9007199254740991 -%}
      {%- set value = value ~ '' -%}
    {%- endif -%}
    {%- if keys -%}
      {%- set _ = box.update({ keys[loop.index0] | regex_replace('[\\x00\\ud800-\\udfff]', '\ufffd'): value }) -%}
    {%- else -%}
      {%- set _ = box.append(value) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}`.slice(1);

/** Nearly no record has any of it, which Python's spelling of the whole record tells. */
export const MADE_STORABLE = String.raw`
{%- if (record ~ '') | regex_search('(\\\\x00|\\\\ud[89a-f]|[ \\[]-?(?:[0-9]{16}|inf|nan))') -%}
  {{- storable(record) -}}
{%- endif -%}`.slice(1);

/** The parts of an item of a list of responses, wrapped or bare. */
const PARTS = [
  "{%- set response = record['response'] if record.get('response') is mapping else record -%}",
  "{%- set survey = record['survey'] if record.get('survey') is mapping else {} -%}",
  "{%- set respondent = response['respondent'] if response.get('respondent') is mapping else {} -%}",
];

const IS_GOOD_RESPONSE = "response.get('uuid') is string and response.get('collected_at') is string";
const IS_GOOD: Readonly<Record<Reads, string>> = {
  "survey responses": IS_GOOD_RESPONSE,
  "respondent responses": IS_GOOD_RESPONSE,
  "respondent attributes": "record.get('id') is integer",
};

/** What the address of a list says about its items. */
const OF_THE_LIST = [
  "{%- set survey_id, respondent_uuid = stream_slice.extra_fields.get('survey_id'), stream_slice.get('respondent_uuid') -%}",
  "{%- for name, value in [['survey_id', survey_id], ['respondent_uuid', respondent_uuid]] if row[name] is none -%}",
  "  {%- set _ = row.update({ name: value }) -%}",
  "{%- endfor -%}",
];

/**
 * The machine's time at the first record of a person, less one second: the CDK shows no transformation the `Date` header
 * of the page.
 */
const CLOCK =
  "stream_slice.extra_fields.setdefault('read_at', (now_utc() - duration('PT1S')).strftime('%Y-%m-%dT%H:%M:%S.%fZ'))";

function expressionOf({ from, format }: Columns[string]): string {
  if (from === "clock") return CLOCK;
  if (from === "list") return "stream_slice['respondent_uuid']";
  const [part = "", field] = from.split(".");
  const value = `${part === "attribute" ? "record" : part}.get('${field}')`;
  return format === "date-time" ? withMicroseconds(value) : value;
}

/** A time of the service, which may leave out digits, with six digits after the second. */
export function withMicroseconds(time: string): string {
  return `${time} if (${time} ~ '') | length == 27 else\n    (${time} ~ '')[:19] ~ ((${time} ~ '').rstrip('Z')[19:] or '.').ljust(7, '0') ~ 'Z'`;
}

/** Collects what no column is made from. */
function additional(columns: Columns, reads: Reads): string[] {
  const found =
    reads === "respondent attributes"
      ? [collect("record", "", fieldsFrom("attribute", columns))]
      : [
          collect("response", "", [...fieldsFrom("response", columns), "respondent"]),
          collect("survey", "survey_", fieldsFrom("survey", columns)),
          collect("respondent", "respondent_", fieldsFrom("respondent", columns)),
          "{%- if record.get('response') is mapping -%}",
          collect("record", "", ["survey", "response"]),
          "{%- endif -%}",
        ];
  return ["{%- set more = {} -%}", ...found];
}

function collect(of: string, prefix: string, known: readonly string[]): string {
  const key = prefix === "" ? "key" : `'${prefix}' ~ key`;
  return [
    `{%- for key, value in ${of}.items() if key not in ${list(known)} -%}`,
    `  {%- set _ = more.setdefault(${key}, value) -%}`,
    "{%- endfor -%}",
  ].join("\n");
}

/**
 * Makes the row keep to its schema. A value that does not fit its column is null there and goes to
 * `additional_fields`, if a field of a part has the name of its column. Of a list, the entries that fit stay.
 */
function fitted(columns: Columns, reads: Reads): string[] {
  const fields = Object.entries(columns).filter(([, { from, format }]) => from.includes(".") && !format);
  const lists = fields.filter(([, { items }]) => items !== undefined);
  const texts = fields.filter(([, { items, type }]) => items === undefined && type !== "integer");
  return [
    fittedTexts(
      "row",
      texts.map(([name]) => name),
      "more",
    ),
    ...(lists.length > 0 ? [fittedLists(lists)] : []),
    ...(reads === "respondent attributes" ? [] : OF_THE_LIST),
  ];
}

/** Numbers and booleans become text. A respondent is named by a string alone. */
export function fittedTexts(row: string, names: readonly string[], more: string): string {
  return `{%- for name, value in ${row}.items() if value is not string and value is not none
  and name in ${list(names)} -%}
  {%- set fits = value is number and name != 'respondent_uuid' -%}
  {%- if not fits -%}{%- set _ = ${more}.setdefault(name, value) -%}{%- endif -%}
  {%- set _ = ${row}.update({ name: text(value) if fits else none }) -%}
{%- endfor -%}`;
}

function fittedLists(lists: readonly (readonly [string, Columns[string]])[]): string {
  const byTest = Object.groupBy(lists, ([, { items }]) => misfit(items as EntrySchema));
  const misfits = Object.entries(byTest)
    .map(([test, named]) => `(${test})\n    if name in ${list(named!.map(([name]) => name))} else`)
    .concat("false")
    .join("\n    ");
  return `{%- for name in ${list(lists.map(([name]) => name))} -%}
  {%- set value, odd = row[name], [] -%}
  {%- set is_list = value is sequence and value is not string and value is not mapping -%}
  {%- for entry in (value if is_list else [])
    if ${misfits} -%}
    {%- set _ = odd.append(entry) -%}
  {%- endfor -%}
  {%- if odd | reject('none') | list or value is not none and not is_list -%}
    {%- set _ = more.setdefault(name, value) -%}
  {%- endif -%}
  {%- if odd or not is_list -%}
    {%- set _ = row.update({ name: value | reject('in', odd) | list if is_list else [] if value is none else none }) -%}
  {%- endif -%}
{%- endfor -%}`;
}

interface EntrySchema {
  readonly properties: Readonly<Record<string, { readonly type: readonly string[] }>>;
}

/** Whether an entry of a list does not fit its schema. A schema of all types allows everything. Most entries are whole. */
function misfit({ properties }: EntrySchema): string {
  const typed = Object.entries(properties).filter(([, { type }]) => type.length === 2);
  const whole = typed.map(
    ([
      name,
      {
        type: [type],
      },
    ]) => `entry['${name}'] is ${type}`,
  );
  const fits = typed.map(
    ([
      name,
      {
        type: [type],
      },
    ]) => {
      const value = `entry['${name}']`;
      const isWhole = `${value} is number and ${value} is not boolean\n        and ${value} == ${value} | int`;
      return `(entry.get('${name}') is none or ${type === "integer" ? isWhole : `${value} is string`})`;
    },
  );
  return `entry is not mapping or not (${whole.join(" and ")})\n      and not (\n      ${fits.join("\n      and ")})`;
}

/** A list of texts, on lines of five. */
const list = (texts: readonly string[]): string =>
  `[${texts.map((text, at) => `${at > 0 && at % 5 === 0 ? "\n  " : at > 0 ? " " : ""}'${text}'`).join(",")}]`;
