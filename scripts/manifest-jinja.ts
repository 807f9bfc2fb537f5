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
    .map(([name, column]) => `'${name}': ${expressionOf(column, reads)}`);
  const hasAdditional = named.some(([, { from }]) => from === "unknown fields");
  return [
    ...(reads === "respondent attributes" ? [] : PARTS),
    `{%- set row = { ${entries.join(", ")} } -%}`,
    ...(hasAdditional ? additional(columns, reads) : []),
    `{%- set is_good = ${IS_GOOD[reads]} -%}`,
    "{%- set _ = record.clear() -%}{%- set _ = record.update(row) -%}",
    // An item without a key or a time would be a row that nothing can find: the stream fails instead.
    "{{- row['collected_at'] if is_good else 1 // 0 -}}",
  ].join("\n");
}

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
const OF_THE_LIST: Readonly<Record<Reads, readonly [source: string, value: string]>> = {
  "survey responses": ["survey.id", "stream_slice.extra_fields['survey_id']"],
  "respondent responses": ["respondent.uuid", "stream_partition.respondent_uuid"],
  "respondent attributes": ["list", "stream_partition.respondent_uuid"],
};

/** The machine's time, less one second: the CDK shows no transformation the `Date` header of the page. */
const CLOCK = "(now_utc() - duration('PT1S')).strftime('%Y-%m-%dT%H:%M:%S.%fZ')";

function expressionOf({ from, type }: Columns[string], reads: Reads): string {
  const [source, known] = OF_THE_LIST[reads];
  if (from === "clock") return CLOCK;
  if (from === "list") return known;
  const [part = "", field] = from.split(".");
  const value = `${part === "attribute" ? "record" : part}.get('${field}')`;
  const otherwise = from === source ? known : [type].flat().includes("array") ? "[]" : undefined;
  return otherwise === undefined ? value : `(${value} if ${value} is not none else ${otherwise})`;
}

/** Puts into `additional_fields` what no column is made from. */
function additional(columns: Columns, reads: Reads): string[] {
  const wrapper = collect("record", "", ["survey", "response"]);
  const found =
    reads === "respondent attributes"
      ? [collect("record", "", fieldsFrom("attribute", columns))]
      : [
          collect("response", "", [...fieldsFrom("response", columns), "respondent"]),
          collect("survey", "survey_", fieldsFrom("survey", columns)),
          collect("respondent", "respondent_", fieldsFrom("respondent", columns)),
          `{%- if 'response' in record and record['response'] is mapping -%}${wrapper}{%- endif -%}`,
        ];
  const put = "{%- set _ = row.update({ 'additional_fields': more or none }) -%}";
  return ["{%- set more = {} -%}", ...found, put];
}

function collect(of: string, prefix: string, known: readonly string[]): string {
  const list = known.map((name) => `'${name}'`).join(", ");
  const key = prefix === "" ? "key" : `'${prefix}' ~ key`;
  return `{%- for key, value in ${of}.items() if key not in [${list}] -%}{%- set _ = more.setdefault(${key}, value) -%}{%- endfor -%}`;
}
