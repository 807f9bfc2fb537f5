import {
  ANSWER_KINDS,
  ANSWER_PARTS,
  COLUMNS_OF,
  KINDS_IN,
  type PartKinds,
} from "../connector/core/answers/answer-kinds.ts";
import { STREAMS } from "../connector/core/index.ts";
import { type Column, type Columns, type Entity, fieldsFrom } from "../connector/core/streams/column.ts";

/** A Jinja file with what belongs between `<<` and `>>`: the columns of streams, and the table of the kinds of answers. */
export function filledIn(jinja: string): string {
  return jinja.trimEnd().replace(/<<([a-z ]+)>>/g, (_, name: string) => {
    const filling = FILLINGS[name];
    if (filling === undefined) throw new Error(`Nothing fills in <<${name}>>.`);
    return filling;
  });
}

const responses: Columns = STREAMS.survey_responses.columns;
const attributes: Columns = STREAMS.respondent_attributes.columns;
const surveys: Columns = STREAMS.surveys.columns;
const questions: Columns = STREAMS.survey_questions.columns;
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

type Fields = Readonly<Record<string, { readonly type: readonly string[] }>>;

/** The fields of the objects in a column's lists. Undefined if it has none. */
const fieldsIn = ({ items }: Column) => (items as { properties?: Fields } | undefined)?.properties;

/** The names in Jinja of the types that it names otherwise. A list without objects is one of texts. */
const TYPE_NAMES: Readonly<Record<string, string>> = { object: "mapping", array: "texts", string: "time" };

const FILLINGS: Readonly<Record<string, string>> = {
  "fields of a response": fieldsOf("response"),
  "fields of a survey": fieldsOf("survey"),
  "fields of a respondent": fieldsOf("respondent"),
  "fields of an attribute": fieldsOf("attribute", attributes),
  "fields of a listed survey": fieldsOf("survey", surveys),
  "fields of a question": fieldsOf("question", questions),
  "lists of a response": listsIn(responses),
  "lists of a question": listsIn(questions),
  "types of an attribute": typesIn("attribute", attributes),
  "types of a listed survey": typesIn("survey", surveys),
  "types of a question": typesIn("question", questions),

  parts: list([...ANSWER_PARTS, ""]),
  "own fields": list(["question_id", ...ANSWER_PARTS]),
  "columns of an object": dict(
    Object.entries(COLUMNS_OF)
      .filter(([, columns]) => columns.size > 0)
      .map(([kind, columns]) => [kind, dict([...columns].map(([field, column]) => [field, quoted(column)]))]),
    ",\n  ",
  ),
  "kind of an answer": markedBy(answer, quoted(answer.otherwise)),
  "kind of one of several": markedBy(answers, "kind_of_list"),
  "kind of a field": markedBy(fields, quoted(fields.otherwise)),
  "kind of a list": [
    ...answers.marked.map(
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

function fieldsOf(part: Entity, columns = responses): string {
  return list(fieldsFrom(part, columns));
}

/** The columns that are lists of objects, and of each the fields of its entries that have one type, with it. */
function listsIn(columns: Columns): string {
  const lists = Object.entries(columns).flatMap(([name, column]) => {
    const fields = Object.entries(fieldsIn(column) ?? {}).filter(([, { type }]) => type.length === 2);
    const typed = fields.map(([field, { type }]) => list([field, type[0]!]));
    return fieldsIn(column) === undefined ? [] : [[name, `[${typed.join(", ")}]`] as const];
  });
  return dict(lists, ",\n  ");
}

/** The types of a part's columns that are neither lists of objects nor texts. */
function typesIn(part: Entity, columns: Columns): string {
  const types = Object.entries(columns).flatMap(([name, column]) => {
    const [type = ""] = [column.type].flat();
    const isText = type === "string" && column.format === undefined;
    const isOther = column.from.startsWith(`${part}.`) && fieldsIn(column) === undefined && !isText;
    return isOther ? [[name, quoted(TYPE_NAMES[type] ?? type)] as const] : [];
  });
  return dict(types);
}

function markedBy({ marked }: PartKinds, otherwise: string): string {
  const cases = marked.map(({ by, kind }) => `'${kind}' if entry.get('${by}') is not none\n          else `);
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
