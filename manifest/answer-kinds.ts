import {
  ANSWER_KINDS,
  ANSWER_TYPES,
  type AnswerType,
  BARE_KINDS,
  COLUMNS_OF,
  KINDS_IN,
} from "@survey-export/core";
import { fittedTexts, MACROS, MADE_STORABLE, withMicroseconds } from "./jinja.ts";

/** What `manifest/answer-rows.jinja` says between `<<` and `>>`, from the table of the kinds of answers. */
export function withAnswerKinds(jinja: string): string {
  return jinja.replace(/<<([a-z ]+)>>/g, (_, name: string) => {
    const filling = FILLINGS[name];
    if (filling === undefined) throw new Error(`Nothing fills in <<${name}>>.`);
    return filling;
  });
}

const parts = Object.keys(BARE_KINDS);
const lists = ["answers", "fields"];
const { answer, answers, fields } = KINDS_IN;

const FILLINGS: Readonly<Record<string, string>> = {
  macros: MACROS,
  storable: MADE_STORABLE,
  "texts of whose": fittedTexts("whose", ["survey_id", "survey_name", "respondent_uuid"], "{}"),
  time: withMicroseconds("response['collected_at']"),
  "columns of each kind": onLines(ANSWER_TYPES.map((type) => [type, columnsOf(type)])),
  "kind of each bare value": onLines(
    Object.entries(BARE_KINDS).map(([part, kinds]) => [
      part,
      dict(Object.entries(kinds).map(([json, kind]) => [json, quoted(kind)])),
    ]),
  ),
  parts: list(parts),
  "parts of one value": list(parts.filter((part) => !lists.includes(part))),
  "fields of an element": list(["question_id", "question_type", ...parts]),
  "kind of an answer": toldBy("given", answer.told, quoted(answer.otherwise)),
  "kind of one of several answers": toldBy("entry", answers.told, "state['type']"),
  "kind of a field": toldBy("entry", fields.told, "state['type']"),
  "kind of other answers": quoted(answers.otherwise),
  "kind of other fields": quoted(fields.otherwise),
  // The kind that counts most comes last.
  "kind of a list of answers": answers.told
    .toReversed()
    .map(
      ({ by, kind }) =>
        `{%- if entries | select('mapping') | map(attribute='${by}') | select('defined') | reject('none') | list -%}\n              {%- set _ = state.update({'type': '${kind}'}) -%}\n            {%- endif -%}`,
    )
    .join("\n            "),
  "kinds with a score in their text": list(
    Object.entries(ANSWER_KINDS).flatMap(([kind, { holds }]) => (holds === "score" ? [kind] : [])),
  ),
};

function columnsOf(type: AnswerType): string {
  const columns = type === "other" ? [] : [...COLUMNS_OF[type]];
  return dict(columns.map(([field, column]) => [field, quoted(column)]));
}

function toldBy(
  object: string,
  told: readonly { readonly by: string; readonly kind: string }[],
  otherwise: string,
): string {
  const cases = told.map(({ by, kind }) => `'${kind}' if ${object}.get('${by}') is not none else`);
  return `(\n${[...cases, otherwise].map((part) => `            ${part}`).join("\n")}\n          )`;
}

function quoted(text: string): string {
  return `'${text}'`;
}

function list(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(", ")}]`;
}

function dict(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([name, value]) => `'${name}': ${value}`).join(", ")}}`;
}

function onLines(entries: readonly (readonly [string, string])[]): string {
  return `{\n${entries.map(([name, value]) => `    '${name}': ${value}`).join(",\n")}\n  }`;
}
