import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { STREAMS, type StreamDefinition } from "../../connector/core/index.ts";

interface Model {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly data_type: string }[];
  readonly data_tests?: readonly {
    readonly survey_export_unique_key: { readonly arguments: { readonly columns: readonly string[] } };
  }[];
}

const root = new URL("../../", import.meta.url);

/** How the models belong together, in Mermaid's words. `}o--||` is "many of the left to one of the right". */
const MODEL_RELATIONS = [
  'survey_export__answers }o--|| survey_export__responses : "response_uuid"',
  'survey_export__answers }o--|| survey_export__questions : "survey_id, question_id"',
  'survey_export__questions }o--|| survey_export__surveys : "survey_id"',
  'survey_export__responses }o--|| survey_export__surveys : "survey_id"',
  'survey_export__responses }o--o| survey_export__respondents : "respondent_uuid"',
  'survey_export__respondent_attributes }o--|| survey_export__respondents : "respondent_uuid"',
  'survey_export__respondent_attribute_history }o--|| survey_export__respondents : "respondent_uuid"',
  'survey_export__responses_wide |o--|| survey_export__responses : "response_uuid"',
  'survey_export__response_attributes }o--|| survey_export__responses : "response_uuid"',
  'survey_export__url_parameters }o--|| survey_export__responses : "response_uuid"',
  'survey_export__texts }o--|| survey_export__responses : "response_uuid"',
  'survey_export__texts }o--|| survey_export__questions : "survey_id, question_id"',
  'survey_export__complete_snapshots }o--o{ survey_export__responses : "survey_id"',
  'survey_export__nps_daily }o--|| survey_export__questions : "survey_id, question_id"',
  'survey_export__csat_daily }o--|| survey_export__questions : "survey_id, question_id"',
];

/** The streams with their columns and keys, in Mermaid's words, from their definitions. */
export function streamDiagram(): string {
  const streams = Object.values(STREAMS).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const entities = streams.map(({ name, columns, primaryKey }) =>
    entity(
      name,
      Object.entries(columns).map(([column, { type, format }]) => {
        const types = [type].flat().filter((one) => one !== "null");
        const key = primaryKey.includes(column) ? " PK" : "";
        return `${format === undefined ? types.join("_or_") : "timestamp"} ${column}${key}`;
      }),
    ),
  );
  return diagram([...entities, ...streams.flatMap(relationsOf)]);
}

/**
 * What the columns of a stream join. A column that is the whole primary key stands for one record at most. Streams that
 * read the same lists have the same responses.
 */
function relationsOf(stream: StreamDefinition): string[] {
  return Object.entries(stream.columns).flatMap(([column, { joins }]) => {
    if (joins === undefined) return [];
    const [name, field = ""] = joins.split(".");
    const other = STREAMS[name as keyof typeof STREAMS];
    const isOne = ({ primaryKey }: StreamDefinition, key: string) => primaryKey.join() === key;
    const left = isOne(stream, column) ? "|o" : "}o";
    const right = !isOne(other, field) ? "o{" : stream.reads === other.reads ? "||" : "o|";
    const label = column === field ? field : `${column} = ${field}`;
    return [`${stream.name} ${left}--${right} ${other.name} : "${label}"`];
  });
}

/** The dbt models, from the description of the package. */
export async function modelDiagram(): Promise<string> {
  const text = await readFile(new URL("dbt/models/survey_export.yml", root), "utf8");
  const { models }: { models: readonly Model[] } = parse(text);
  const entities = models.map(({ name, columns, data_tests: tests }) => {
    const keys = tests?.[0]?.survey_export_unique_key.arguments.columns ?? [columns[0]?.name];
    return entity(
      name,
      columns.map((column) => `${column.data_type} ${column.name}${keys.includes(column.name) ? " PK" : ""}`),
    );
  });
  return diagram([...entities, ...MODEL_RELATIONS]);
}

const entity = (name: string, rows: readonly string[]): string =>
  [`${name} {`, ...rows.map((row) => `    ${row}`), "}"].join("\n");

const diagram = (parts: readonly string[]): string =>
  `\`\`\`mermaid\nerDiagram\n${parts.join("\n").replace(/^/gm, "    ")}\n\`\`\`\n`;
