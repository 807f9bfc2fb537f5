import { readdir, readFile } from "node:fs/promises";
import { parse } from "yaml";
import { STREAMS } from "../connector/core/index.ts";

interface StreamSchema {
  readonly properties: Readonly<
    Record<string, { readonly type: string | readonly string[]; readonly format?: string }>
  >;
}
interface Model {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly data_type: string }[];
  readonly data_tests?: readonly {
    readonly survey_export_unique_key: { readonly arguments: { readonly columns: readonly string[] } };
  }[];
}

/** Pages with parts that `npm run generate` writes. */
export const GENERATED_PAGES = ["docs/airbyte.md", "dbt/README.md"];

const root = new URL("../", import.meta.url);

/** How the streams belong together, in Mermaid's words. `}o--||` is "many of the left to one of the right". */
const STREAM_RELATIONS = [
  'survey_answers }o--|| survey_responses : "response_uuid = uuid"',
  'respondent_attributes }o--o{ survey_responses : "respondent_uuid"',
  'respondent_responses }o--o{ respondent_attributes : "respondent_uuid"',
  'respondent_responses |o--o| survey_responses : "uuid"',
];
const MODEL_RELATIONS = [
  'survey_export__answers }o--|| survey_export__responses : "response_uuid"',
  'survey_export__answers }o--|| survey_export__questions : "survey_id, question_id"',
  'survey_export__questions }o--|| survey_export__surveys : "survey_id"',
  'survey_export__responses }o--|| survey_export__surveys : "survey_id"',
  'survey_export__responses }o--o| survey_export__respondents : "respondent_uuid"',
  'survey_export__respondent_attributes }o--|| survey_export__respondents : "respondent_uuid"',
  'survey_export__responses_wide |o--|| survey_export__responses : "response_uuid"',
  'survey_export__url_parameters }o--|| survey_export__responses : "response_uuid"',
  'survey_export__nps_daily }o--|| survey_export__questions : "survey_id, question_id"',
  'survey_export__csat_daily }o--|| survey_export__questions : "survey_id, question_id"',
];

const section = /(<!-- entity diagram: (\w+) -->\n).*?(<!-- end -->)/gs;

/**
 * A page with the entity diagrams between its `entity diagram` and `end` lines: `streams` from the schemas in
 * `schemas/streams/` and the primary keys of `STREAMS`, `models` from the description of the dbt package.
 */
export async function withEntityDiagrams(page: string): Promise<string> {
  const diagrams: Readonly<Record<string, string>> = {
    streams: await streamDiagram(),
    models: await modelDiagram(),
  };
  return page.replace(section, (_, start, name, end) => `${start}\n${diagrams[name]}\n${end}`);
}

async function streamDiagram(): Promise<string> {
  const entities = await Promise.all(
    (await readdir(new URL("schemas/streams/", root))).toSorted().map(async (file) => {
      const schema: StreamSchema = JSON.parse(
        await readFile(new URL(`schemas/streams/${file}`, root), "utf8"),
      );
      const name = file.replace(/\.json$/, "");
      const keys: readonly string[] = STREAMS[name as keyof typeof STREAMS].primaryKey;
      return entity(
        name,
        Object.entries(schema.properties).map(([column, { type, format }]) => {
          const kind =
            format === undefined
              ? [type]
                  .flat()
                  .filter((one) => one !== "null")
                  .join("_or_")
              : "timestamp";
          return `${kind} ${column}${keys.includes(column) ? " PK" : ""}`;
        }),
      );
    }),
  );
  return diagram([...entities, ...STREAM_RELATIONS]);
}

async function modelDiagram(): Promise<string> {
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
