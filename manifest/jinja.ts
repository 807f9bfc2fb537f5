import {
  ANSWER_KINDS,
  ANSWER_PARTS,
  COLUMNS_OF,
  KINDS_IN,
  type PartKinds,
} from "../connector/core/answers/answer-kinds.ts";
import { STREAMS } from "../connector/core/index.ts";
import { type Columns, fieldsFrom, type Part } from "../connector/core/streams/column.ts";

/** A Jinja file with what belongs between `<<` and `>>`: the columns of streams, and the table of the kinds of answers. */
export function filledIn(jinja: string): string {
  return jinja.trimEnd().replace(/<<([a-z ]+)>>/g, (_, name: string) => {
    const filling = FILLINGS[name];
    if (filling === undefined) throw new Error(`Nothing fills in <<${name}>>.`);
    return filling;
  });
}

const responses: Columns = STREAMS.survey_responses.columns;
const { answer, answers, fields } = KINDS_IN;
/** The kinds that are no objects. */
const values = Object.entries(ANSWER_KINDS).flatMap(([name, kind]) =>
  "is" in kind ? [[name, kind] as const] : [],
);

/** Whether a whole part is a value of this kind. */
const TEST_OF = {
  string: "given is string",
  boolean: "given is boolean",
  number: "given is number and given is not boolean",
  "list of strings": "is_strings",
};

const FILLINGS: Readonly<Record<string, string>> = {
  "fields of a response": fieldsOf("response"),
  "fields of a survey": fieldsOf("survey"),
  "fields of a respondent": fieldsOf("respondent"),
  "fields of an attribute": list(fieldsFrom("attribute", STREAMS.respondent_attributes.columns)),
  lists: dict(
    Object.entries(responses).flatMap(([name, { items }]) =>
      items === undefined ? [] : [[name, typed(items)]],
    ),
    ",\n  ",
  ),

  parts: list([...ANSWER_PARTS, ""]),
  "own fields": list(["question_id", ...ANSWER_PARTS]),
  "columns of an object": dict(
    Object.entries(COLUMNS_OF)
      .filter(([, columns]) => columns.size > 0)
      .map(([kind, columns]) => [kind, dict([...columns].map(([field, column]) => [field, quoted(column)]))]),
    ",\n  ",
  ),
  "kind of an answer": toldBy(answer, quoted(answer.otherwise)),
  "kind of one of several": toldBy(answers, "kind_of_list"),
  "kind of a field": toldBy(fields, quoted(fields.otherwise)),
  "kind of a list": [
    ...answers.told.map(
      ({ by, kind }) =>
        `'${kind}' if entries | map(attribute='${by}') | select('defined') | reject('none') | list\n      else `,
    ),
    quoted(answers.otherwise),
  ].join(""),
  "kind of a value": values
    .map(([kind, { in: part, is }]) => `'${kind}' if part == '${part}' and ${TEST_OF[is]}`)
    .join("\n        else "),
  "columns of values": dict(values.map(([kind, { value }]) => [kind, quoted(value)])),
  "kinds with a score": list(
    Object.entries(ANSWER_KINDS).flatMap(([kind, { holds }]) => (holds === "score" ? [kind] : [])),
  ),
};

function fieldsOf(part: Part): string {
  return list(fieldsFrom(part, responses));
}

/** The fields of a list's entries that have one type, with it. */
function typed(items: object): string {
  const { properties } = items as { properties: Readonly<Record<string, { type: readonly string[] }>> };
  const fields = Object.entries(properties).filter(([, { type }]) => type.length === 2);
  return `[${fields.map(([name, { type }]) => list([name, type[0]!])).join(", ")}]`;
}

function toldBy({ told }: PartKinds, otherwise: string): string {
  const cases = told.map(({ by, kind }) => `'${kind}' if entry.get('${by}') is not none\n          else `);
  return cases.length === 0 ? otherwise : `(${cases.join("")}${otherwise})`;
}

function quoted(text: string): string {
  return `'${text}'`;
}

function list(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(", ")}]`;
}

function dict(entries: readonly (readonly [string, string])[], separator = ", "): string {
  return `{ ${entries.map(([name, value]) => `'${name}': ${value}`).join(separator)} }`;
}
