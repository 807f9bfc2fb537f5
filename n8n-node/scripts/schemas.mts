import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/*
 * The schemas that n8n shows before the action has run. n8n looks them up by resource and operation, and does not know
 * which output is chosen. So they have only the fields that Simplified, One Item per Answer and Raw share.
 */

const SHARED = ["collected_at", "survey_id", "survey_name", "respondent_uuid"];

type Schema = { readonly type?: unknown; readonly properties?: Readonly<Record<string, Schema>> };

const root = join(import.meta.dirname, "..");
const streams = join(import.meta.dirname, "../../schemas/streams");
const folder = "nodes/SurveyExport/__schema__";

/** The schema files by path below the package. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const stream = (name: string): Record<string, Schema> =>
    JSON.parse(readFileSync(join(streams, `${name}.json`), "utf8")).properties;
  const files = new Map<string, string>();
  const add = (resource: string, properties: Record<string, unknown>): void => {
    const schema = { type: "object", properties, version: 1 };
    files.set(join(folder, `v1.0.0/${resource}/getAll.json`), `${JSON.stringify(schema, null, "\t")}\n`);
  };

  const plainOf = (name: string, fields: readonly string[]) =>
    Object.fromEntries(fields.map((field) => [field, plain(stream(name)[field])]));
  add("surveyResponse", plainOf("survey_responses", SHARED));
  add("respondentResponse", plainOf("respondent_responses", SHARED));
  add("respondentAttribute", plainOf("respondent_attributes", ["respondent_uuid"]));
  return files;
}

/** n8n takes one type for each field, and knows no null beside another. */
function plain(schema: Schema | undefined): { readonly type: string } {
  const type = [schema?.type].flat().find((one) => one !== "null");
  return { type: String(type === "integer" ? "number" : type) };
}

if (import.meta.main) {
  for (const [path, text] of schemaFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
