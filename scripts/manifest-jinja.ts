/** Jinja of the low-code manifest that depends on a schema, or is too long for a line of YAML. */

interface Field {
  readonly type?: string | readonly string[];
}
export type Fields = Readonly<Record<string, Field>>;

/**
 * Turns an item of a list of responses, wrapped or bare, into the stream's record, and gives its `collected_at`.
 * The record is changed in place: a value that Jinja renders would be written as Python and read again.
 */
export function responseRecord(fields: Fields, surveyId: string, respondentUuid: string): string {
  const names = Object.keys(fields).filter((name) => name !== "additional_fields");
  const entries = names.map(
    (name) => `'${name}': ${fieldValue(name, fields[name]!, surveyId, respondentUuid)}`,
  );
  const own = names.filter((name) => !/^(survey|respondent)_/.test(name));
  const inside = (prefix: string) =>
    names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return lines(
    PARTS,
    `{%- set row = { ${entries.join(", ")} } -%}`,
    "{%- set more = {} -%}",
    unknown("response", "", [...own, "respondent"]),
    unknown("survey", "survey_", inside("survey_")),
    unknown("respondent", "respondent_", inside("respondent_")),
    `{%- if 'response' in record and record['response'] is mapping -%}${unknown("record", "", ["survey", "response"])}{%- endif -%}`,
    ADDITIONAL,
    REPLACE,
    // An item without a key or a time would be a row that nothing can find: the stream fails instead.
    "{{- row['collected_at'] if row['uuid'] is string and row['collected_at'] is string else 1 // 0 -}}",
  );
}

/**
 * Turns an item of a respondent's list of attributes into the stream's record, and gives the respondent. The time of
 * reading is the machine's, less one second: the CDK shows no transformation the `Date` header of the page.
 */
export function attributeRecord(fields: Fields): string {
  const given = Object.keys(fields).filter(
    (name) => !["respondent_uuid", "collected_at", "additional_fields"].includes(name),
  );
  return lines(
    "{%- set row = { 'respondent_uuid': stream_partition.respondent_uuid,",
    given.map((name) => `'${name}': record.get('${name}')`).join(", "),
    ", 'collected_at': (now_utc() - duration('PT1S')).strftime('%Y-%m-%dT%H:%M:%S.%fZ') } -%}",
    "{%- set more = {} -%}",
    unknown("record", "", given),
    ADDITIONAL,
    REPLACE,
    "{{- row['respondent_uuid'] if row['id'] is integer else 1 // 0 -}}",
  );
}

const lines = (...parts: readonly string[]): string => parts.join("\n");

const PARTS = lines(
  "{%- set response = record['response'] if record.get('response') is mapping else record -%}",
  "{%- set survey = record['survey'] if record.get('survey') is mapping else {} -%}",
  "{%- set respondent = response['respondent'] if response.get('respondent') is mapping else {} -%}",
);
const ADDITIONAL = "{%- set _ = row.update({ 'additional_fields': more or none }) -%}";
const REPLACE = "{%- set _ = record.clear() -%}{%- set _ = record.update(row) -%}";

function fieldValue(name: string, { type }: Field, surveyId: string, respondentUuid: string): string {
  const [, of = "response", inside = name] = /^(survey|respondent)_(.+)$/.exec(name) ?? [];
  const otherwise =
    name === "survey_id"
      ? surveyId
      : name === "respondent_uuid"
        ? respondentUuid
        : [type].flat().includes("array")
          ? "[]"
          : "none";
  const value = `${of}.get('${inside}')`;
  return otherwise === "none" ? value : `(${value} if ${value} is not none else ${otherwise})`;
}

function unknown(of: string, prefix: string, known: readonly string[]): string {
  const list = known.map((name) => `'${name}'`).join(", ");
  const key = prefix === "" ? "key" : `'${prefix}' ~ key`;
  return `{%- for key, value in ${of}.items() if key not in [${list}] -%}{%- set _ = more.setdefault(${key}, value) -%}{%- endfor -%}`;
}
